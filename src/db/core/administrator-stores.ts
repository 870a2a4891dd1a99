import type { Operator, OperatorScope, OperatorStore } from '../../auth/operators/operators.ts'
import type { SessionStore, StoredSession } from '../../auth/persons/console-session.ts'
import type { Passkey, PasskeyStore } from '../../auth/persons/passkeys.ts'
import type { Person, PersonStore } from '../../auth/persons/person.ts'
import { RowsById } from './cached-rows.ts'
import type { CoreDb } from './core-db.ts'

type PersonRow = Omit<Person, 'twoFactors'> & { readonly twoFactors: number }

/** The accounts of people in core.db, with hashes of their passwords. */
export class SqlitePersons extends RowsById<Person, PersonRow> implements PersonStore {
  readonly #narrows: CoreDb['narrows']

  constructor(core: CoreDb) {
    super(core, 'persons', ['id', 'name', 'password', 'two_factors', 'created_at', 'integration'], (row) => ({
      ...row,
      twoFactors: row.twoFactors === 1,
    }))
    this.#narrows = (id) => core.narrows(id)
  }

  insert(person: Person): void {
    // A free name may be used again.
    this.removeHeld()
    this.insertRow({ ...person, twoFactors: Number(person.twoFactors === true) })
  }

  setPassword(id: string, password: string): void {
    this.#narrows(id)
    this.db.prepare('UPDATE persons SET password = ? WHERE id = ?').run(password, id)
  }

  setTwoFactors(id: string, twoFactors: boolean): void {
    if (twoFactors) this.#narrows(id)
    this.db.prepare('UPDATE persons SET two_factors = ? WHERE id = ?').run(Number(twoFactors), id)
  }
}

const PASSKEY = ['id', 'person', 'name', 'site', 'credential', 'public_key', 'counter', 'created_at', 'used_at']

/** The passkeys of administrators, in core.db. */
export class SqlitePasskeys extends RowsById<Passkey> implements PasskeyStore {
  constructor(core: CoreDb) {
    super(core, 'passkeys', PASSKEY, (row) => row)
  }

  byCredential(credential: string): Passkey | undefined {
    return this.list().find((passkey) => passkey.credential === credential)
  }

  insert(passkey: Passkey): void {
    // A removed passkey may be registered again.
    this.removeHeld()
    this.insertRow(passkey)
  }

  used(id: string, counter: number, at: number): void {
    this.db.prepare('UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?').run(counter, at, id)
  }
}

const OPERATOR = ['id', 'name', 'scopes', 'secret_sha256', 'created_at', 'used_at']
/** The column `scopes` contains all scopes, separated by spaces. */
type OperatorRow = Omit<Operator, 'scopes'> & { readonly scopes: string }

/** Monitoring programs in core.db. An unknown scope grants nothing. */
export class SqliteOperators extends RowsById<Operator, OperatorRow> implements OperatorStore {
  constructor(core: CoreDb) {
    super(core, 'operators', OPERATOR, (row) => ({ ...row, scopes: row.scopes.split(' ') as OperatorScope[] }))
  }

  insert(operator: Operator): void {
    this.insertRow({ ...operator, scopes: operator.scopes.join(' ') })
  }

  used(id: string, at: number): void {
    this.db.prepare('UPDATE operators SET used_at = ? WHERE id = ?').run(at, id)
  }
}

const SESSION = [
  ...[
    'id',
    'person',
    'integration',
    'cookie_sha256',
    'half_sha256',
    'own_device',
    'browser',
    'peer',
    'maker_session',
    'maker_person',
  ],
  ...['created_at', 'used_at', 'steady_created_at', 'steady_used_at', 'steady_proved_at'],
]

interface SessionRow extends Omit<StoredSession, 'ownDevice' | 'maker'> {
  readonly ownDevice: number
  readonly makerSession: string | null
  readonly makerPerson: string | null
}

/** Console sessions in core.db; only hashes of their secrets are stored. */
export class SqliteConsoleSessions extends RowsById<StoredSession, SessionRow> implements SessionStore {
  constructor(core: CoreDb) {
    super(core, 'console_sessions', SESSION, fromRow)
  }

  byCookie(sha256: Buffer): StoredSession | undefined {
    return this.list().find(({ cookieSha256 }) => cookieSha256.equals(sha256))
  }

  insert({ maker, ownDevice, ...session }: StoredSession): void {
    this.insertRow({
      ...session,
      ownDevice: Number(ownDevice),
      makerSession: maker?.session ?? null,
      makerPerson: maker?.person ?? null,
    })
  }

  used(id: string, at: number, steadyAt: number): void {
    this.db.prepare('UPDATE console_sessions SET used_at = ?, steady_used_at = ? WHERE id = ?').run(at, steadyAt, id)
  }

  proved(id: string, steadyAt: number): void {
    const sql =
      'UPDATE console_sessions SET steady_proved_at = ?, maker_session = NULL, maker_person = NULL WHERE id = ?'
    this.db.prepare(sql).run(steadyAt, id)
  }

  setPerson(id: string, person: string): void {
    this.db.prepare('UPDATE console_sessions SET person = ? WHERE id = ?').run(person, id)
  }

  override remove(id: string): void {
    super.remove(id)
    this.db.prepare('DELETE FROM push_subscriptions WHERE session = ?').run(id)
  }

  expire(id: string): void {
    super.remove(id)
  }

  subscribed(person: string): readonly string[] {
    const sql = 'SELECT session FROM push_subscriptions WHERE person = ?'
    return this.db
      .prepare<[string], { session: string }>(sql)
      .all(person)
      .map(({ session }) => session)
  }

  setOwnDevice(id: string, ownDevice: boolean): void {
    this.db.prepare('UPDATE console_sessions SET own_device = ? WHERE id = ?').run(Number(ownDevice), id)
  }
}

function fromRow({ ownDevice, makerSession, makerPerson, ...row }: SessionRow): StoredSession {
  const maker = makerSession === null ? null : { session: makerSession, person: makerPerson }
  return { ...row, ownDevice: ownDevice === 1, maker }
}
