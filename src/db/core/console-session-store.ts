import type { SessionStore, StoredSession } from '../../auth/persons/console-session.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { EpochCache } from './epoch-cache.ts'
import { GoneRows } from './gone-rows.ts'

interface SessionRow {
  id: string
  person: string | null
  cookie_sha256: Buffer
  half_sha256: Buffer
  own_device: number
  browser: string
  peer: string
  maker_session: string | null
  maker_person: string | null
  created_at: number
  used_at: number
  steady_created_at: number
  steady_used_at: number
  steady_proved_at: number
}

/** Sessions of the console in core.db: only hashes of their secrets are ever stored. */
export class SqliteConsoleSessions implements SessionStore {
  readonly #db: Db
  readonly #gone: GoneRows
  readonly #all: EpochCache<readonly StoredSession[]>

  constructor(core: CoreDb) {
    this.#db = core.db
    this.#gone = new GoneRows(core)
    this.#all = new EpochCache(core, () => this.#read())
  }

  get(id: string): StoredSession | undefined {
    return this.#all.get().find((session) => session.id === id)
  }

  byCookie(sha256: Buffer): StoredSession | undefined {
    return this.#all.get().find(({ cookieSha256 }) => cookieSha256.equals(sha256))
  }

  list(): readonly StoredSession[] {
    return this.#all.get()
  }

  insert({ maker, ownDevice, ...session }: StoredSession): void {
    this.#db
      .prepare(
        `INSERT INTO console_sessions (id, person, cookie_sha256, half_sha256, own_device, browser, peer, created_at, used_at,
        steady_created_at, steady_used_at, steady_proved_at, maker_session, maker_person)
        VALUES (@id, @person, @cookieSha256, @halfSha256, @ownDevice, @browser, @peer, @createdAt, @usedAt,
        @steadyCreatedAt, @steadyUsedAt, @steadyProvedAt, @makerSession, @makerPerson)`,
      )
      .run({
        ...session,
        ownDevice: ownDevice ? 1 : 0,
        makerSession: maker?.session ?? null,
        makerPerson: maker?.person ?? null,
      })
  }

  used(id: string, at: number, steadyAt: number): void {
    this.#db.prepare('UPDATE console_sessions SET used_at = ?, steady_used_at = ? WHERE id = ?').run(at, steadyAt, id)
  }

  proved(id: string, steadyAt: number): void {
    this.#db
      .prepare(
        'UPDATE console_sessions SET steady_proved_at = ?, maker_session = NULL, maker_person = NULL WHERE id = ?',
      )
      .run(steadyAt, id)
  }

  setPerson(id: string, person: string): void {
    this.#db.prepare('UPDATE console_sessions SET person = ? WHERE id = ?').run(person, id)
  }

  setOwnDevice(id: string, ownDevice: boolean): void {
    this.#db.prepare('UPDATE console_sessions SET own_device = ? WHERE id = ?').run(ownDevice ? 1 : 0, id)
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM console_sessions WHERE id = ?').run(id)
  }

  hold(ids: readonly string[]): void {
    this.#gone.hold(ids)
  }

  #read(): readonly StoredSession[] {
    const rows = this.#db.prepare<[], SessionRow>('SELECT * FROM console_sessions ORDER BY created_at, id').all()
    return this.#gone.left(rows).map((row) => ({
      id: row.id,
      person: row.person,
      cookieSha256: row.cookie_sha256,
      halfSha256: row.half_sha256,
      ownDevice: row.own_device === 1,
      browser: row.browser,
      peer: row.peer,
      maker: row.maker_session === null ? null : { session: row.maker_session, person: row.maker_person },
      createdAt: row.created_at,
      usedAt: row.used_at,
      steadyCreatedAt: row.steady_created_at,
      steadyUsedAt: row.steady_used_at,
      steadyProvedAt: row.steady_proved_at,
    }))
  }
}
