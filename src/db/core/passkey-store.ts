import type { Passkey, PasskeyStore } from '../../auth/persons/passkeys.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { EpochCache } from './epoch-cache.ts'
import { GoneRows } from './gone-rows.ts'

interface PasskeyRow {
  id: string
  person: string
  name: string
  site: string
  credential: string
  public_key: Buffer
  counter: number
  created_at: number
  used_at: number | null
}

/** The passkeys of persons, in core.db. */
export class SqlitePasskeys implements PasskeyStore {
  readonly #db: Db
  readonly #gone: GoneRows
  readonly #byId: EpochCache<ReadonlyMap<string, Passkey>>

  constructor(core: CoreDb) {
    this.#db = core.db
    this.#gone = new GoneRows(core)
    this.#byId = new EpochCache(core, () => this.#read())
  }

  get(id: string): Passkey | undefined {
    return this.#byId.get().get(id)
  }

  byCredential(credential: string): Passkey | undefined {
    return this.list().find((each) => each.credential === credential)
  }

  list(): readonly Passkey[] {
    return [...this.#byId.get().values()]
  }

  insert(passkey: Passkey): void {
    // A passkey that was removed may be made known anew.
    for (const id of this.#gone.ids) this.remove(id)
    this.#db
      .prepare(
        `INSERT INTO passkeys (id, person, name, site, credential, public_key, counter, created_at, used_at)
        VALUES (@id, @person, @name, @site, @credential, @publicKey, @counter, @createdAt, @usedAt)`,
      )
      .run(passkey)
  }

  used(id: string, counter: number, at: number): void {
    this.#db.prepare('UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?').run(counter, at, id)
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM passkeys WHERE id = ?').run(id)
  }

  hold(ids: readonly string[]): void {
    this.#gone.hold(ids)
  }

  #read(): ReadonlyMap<string, Passkey> {
    const rows = this.#db.prepare<[], PasskeyRow>('SELECT * FROM passkeys ORDER BY created_at, id').all()
    return new Map(this.#gone.left(rows).map((row) => [row.id, fromRow(row)]))
  }
}

function fromRow({ public_key: publicKey, created_at: createdAt, used_at: usedAt, ...rest }: PasskeyRow): Passkey {
  return { ...rest, publicKey, createdAt, usedAt }
}
