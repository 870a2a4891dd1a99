import type { SessionStore, StoredSession } from '../../auth/persons/console-session.ts'
import { RowsById } from './cached-rows.ts'
import { Columns } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const COLUMNS = new Columns(
  ...['id', 'person', 'cookie_sha256', 'half_sha256', 'own_device', 'browser', 'peer', 'maker_session', 'maker_person'],
  ...['created_at', 'used_at', 'steady_created_at', 'steady_used_at', 'steady_proved_at'],
)
const ALL = `SELECT ${COLUMNS.fields} FROM console_sessions ORDER BY created_at, id`

interface SessionRow extends Omit<StoredSession, 'ownDevice' | 'maker'> {
  readonly ownDevice: number
  readonly makerSession: string | null
  readonly makerPerson: string | null
}

/** Sessions of the console in core.db: only hashes of their secrets are ever stored. */
export class SqliteConsoleSessions extends RowsById<StoredSession> implements SessionStore {
  constructor(core: CoreDb) {
    super(core, 'console_sessions', () => core.db.prepare<[], SessionRow>(ALL).all().map(fromRow))
  }

  byCookie(sha256: Buffer): StoredSession | undefined {
    return this.list().find(({ cookieSha256 }) => cookieSha256.equals(sha256))
  }

  insert({ maker, ownDevice, ...session }: StoredSession): void {
    this.db.prepare(`INSERT INTO console_sessions ${COLUMNS.values}`).run({
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

  setOwnDevice(id: string, ownDevice: boolean): void {
    this.db.prepare('UPDATE console_sessions SET own_device = ? WHERE id = ?').run(Number(ownDevice), id)
  }
}

function fromRow({ ownDevice, makerSession, makerPerson, ...row }: SessionRow): StoredSession {
  const maker = makerSession === null ? null : { session: makerSession, person: makerPerson }
  return { ...row, ownDevice: ownDevice === 1, maker }
}
