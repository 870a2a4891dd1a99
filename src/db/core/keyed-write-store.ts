import type { KeptAnswer, KeyedWrite, KeyedWriteStore } from '../../auth/credentials/idempotency-keys.ts'
import { type Db, readCell } from '../database.ts'

interface KeyedWriteRow {
  link: string
  key: string
  request_sha256: Buffer
  steady_at: number
  status: number | null
  headers: string | null
  body: string | null
}

/** Writes with an Idempotency-Key in core.db, with the answers they got. */
export class SqliteKeyedWrites implements KeyedWriteStore {
  readonly #db: Db

  constructor(core: { readonly db: Db }) {
    this.#db = core.db
  }

  get(link: string, key: string): KeyedWrite | null {
    const row = this.#db
      .prepare<[string, string], KeyedWriteRow>('SELECT * FROM idempotency_keys WHERE link = ? AND key = ?')
      .get(link, key)
    return row ? { link, key, requestSha256: row.request_sha256, steadyAt: row.steady_at, answer: answerOf(row) } : null
  }

  insert({ link, key, requestSha256, steadyAt }: KeyedWrite): void {
    this.#db
      .prepare('INSERT INTO idempotency_keys (link, key, request_sha256, steady_at) VALUES (?, ?, ?, ?)')
      .run(link, key, requestSha256, steadyAt)
  }

  answer(link: string, key: string, { status, headers, body }: KeptAnswer): void {
    this.#db
      .prepare('UPDATE idempotency_keys SET status = ?, headers = ?, body = ? WHERE link = ? AND key = ?')
      .run(status, JSON.stringify(headers), body, link, key)
  }

  remove(link: string, key: string): void {
    this.#db.prepare('DELETE FROM idempotency_keys WHERE link = ? AND key = ?').run(link, key)
  }

  trim(link: string, before: number, most: { readonly keys: number; readonly bytes: number }): void {
    this.#db.prepare('DELETE FROM idempotency_keys WHERE link = ? AND steady_at <= ?').run(link, before)
    this.#db.prepare(BEYOND).run(link, most.keys, most.bytes)
  }
}

/** The oldest of a credential beyond a number of them, or beyond a sum of the bytes of their answers. */
const BEYOND = `DELETE FROM idempotency_keys WHERE rowid IN (SELECT id FROM
  (SELECT rowid AS id, row_number() OVER newest AS place, sum(octet_length(coalesce(body, ''))) OVER newest AS bytes
  FROM idempotency_keys WHERE link = ? WINDOW newest AS (ORDER BY steady_at DESC, rowid DESC))
  WHERE place > ? OR bytes > ?)`

function answerOf({ status, headers, body }: KeyedWriteRow): KeptAnswer | null {
  const kept = readCell<Readonly<Record<string, string>> | null>(headers ?? '{}', null)
  return status === null || kept === null ? null : { status, headers: kept, body }
}
