import type { KeptAnswer, KeyedWrite, KeyedWriteStore } from '../../auth/credentials/idempotency-keys.ts'
import { readCell } from '../database.ts'
import { Columns, CoreStore } from './columns.ts'

const COLUMNS = new Columns('link', 'key', 'request_sha256', 'steady_at', 'status', 'headers', 'body')

interface KeyedWriteRow extends Omit<KeyedWrite, 'answer'> {
  readonly status: number | null
  readonly headers: string | null
  readonly body: string | null
}

/** Writes with an Idempotency-Key in core.db, with their answers. */
export class SqliteKeyedWrites extends CoreStore implements KeyedWriteStore {
  get(link: string, key: string): KeyedWrite | null {
    const sql = `SELECT ${COLUMNS.fields} FROM idempotency_keys WHERE link = ? AND key = ?`
    const row = this.db.prepare<[string, string], KeyedWriteRow>(sql).get(link, key)
    if (row === undefined) return null
    const { status, headers, body, ...write } = row
    return { ...write, answer: answerOf({ status, headers, body }) }
  }

  insert({ link, key, requestSha256, steadyAt }: KeyedWrite): void {
    this.db
      .prepare('INSERT INTO idempotency_keys (link, key, request_sha256, steady_at) VALUES (?, ?, ?, ?)')
      .run(link, key, requestSha256, steadyAt)
  }

  answer(link: string, key: string, { status, headers, body }: KeptAnswer): void {
    this.db
      .prepare('UPDATE idempotency_keys SET status = ?, headers = ?, body = ? WHERE link = ? AND key = ?')
      .run(status, JSON.stringify(headers), body, link, key)
  }

  remove(link: string, key: string): void {
    this.db.prepare('DELETE FROM idempotency_keys WHERE link = ? AND key = ?').run(link, key)
  }

  trim(link: string, before: number, most: { readonly keys: number; readonly bytes: number }): void {
    this.db.prepare('DELETE FROM idempotency_keys WHERE link = ? AND steady_at <= ?').run(link, before)
    this.db.prepare(BEYOND).run(link, most.keys, most.bytes)
  }
}

/** A credential's oldest answers beyond a number, or beyond a sum of bytes. */
const BEYOND = `DELETE FROM idempotency_keys WHERE rowid IN (SELECT id FROM
  (SELECT rowid AS id, row_number() OVER newest AS place, sum(octet_length(coalesce(body, ''))) OVER newest AS bytes
  FROM idempotency_keys WHERE link = ? WINDOW newest AS (ORDER BY steady_at DESC, rowid DESC))
  WHERE place > ? OR bytes > ?)`

function answerOf({ status, headers, body }: Pick<KeyedWriteRow, 'status' | 'headers' | 'body'>): KeptAnswer | null {
  const stored = readCell<Readonly<Record<string, string>> | null>(headers ?? '{}', null)
  return status === null || stored === null ? null : { status, headers: stored, body }
}
