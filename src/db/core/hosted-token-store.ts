import type { HostedToken, HostedTokenStore, TokenBounds } from '../../auth/hosted/hosted-tokens.ts'
import { Columns, CoreStore } from './columns.ts'

const COLUMNS = new Columns('sha256', 'link', 'kind', 'generation', 'steady_made_at', 'steady_used_at')

/** Tokens of hosted platforms in core.db, by the SHA-256 of their secrets; each use reads its row. */
export class SqliteHostedTokens extends CoreStore implements HostedTokenStore {
  get(sha256: Buffer): HostedToken | undefined {
    const sql = `SELECT ${COLUMNS.fields} FROM hosted_tokens WHERE sha256 = ?`
    return this.db.prepare<[Buffer], HostedToken>(sql).get(sha256)
  }

  insert(token: HostedToken): void {
    this.db.prepare(`INSERT INTO hosted_tokens ${COLUMNS.values}`).run(token)
  }

  used(sha256: Buffer, steadyAt: number): void {
    this.db.prepare('UPDATE hosted_tokens SET steady_used_at = ? WHERE sha256 = ?').run(steadyAt, sha256)
  }

  remove(sha256: Buffer): void {
    this.db.prepare('DELETE FROM hosted_tokens WHERE sha256 = ?').run(sha256)
  }

  trim(link: string, { access, refresh, generations }: TokenBounds): void {
    const newest = this.db.prepare(
      `DELETE FROM hosted_tokens WHERE sha256 IN (
        SELECT sha256 FROM hosted_tokens WHERE link = ? AND kind = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?)`,
    )
    newest.run(link, 'access', access)
    newest.run(link, 'refresh', refresh)
    this.db
      .prepare(
        `DELETE FROM hosted_tokens WHERE link = @link AND kind = 'refresh' AND generation <=
        (SELECT max(generation) FROM hosted_tokens WHERE link = @link AND kind = 'refresh') - @generations`,
      )
      .run({ link, generations })
  }

  unused(link: string): number {
    const sql = "SELECT count(*) FROM hosted_tokens WHERE link = ? AND kind = 'refresh' AND steady_used_at IS NULL"
    return this.db.prepare<[string], number>(sql).pluck().get(link) ?? 0
  }

  removeUnused(link: string, besides: Buffer): void {
    this.db
      .prepare(
        `DELETE FROM hosted_tokens
        WHERE link = ? AND kind = 'refresh' AND steady_used_at IS NULL AND sha256 <> ?`,
      )
      .run(link, besides)
  }
}
