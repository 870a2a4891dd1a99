import type {
  Credential,
  CredentialReader,
  CredentialUse,
  CredentialWriter,
} from '../../auth/credentials/credentials.ts'
import type { Db } from '../database.ts'
import { EpochCache } from './cached-rows.ts'
import { Columns, HOSTED_COLUMNS, hostedOf, type HostedRow, hostedValues } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const COLUMNS = new Columns(
  ...['link', 'integration', 'kind', 'name', 'platform', 'secret_sha256', 'created_at', 'revoked_at', 'expired_at'],
  ...['last_used_at', 'last_used_via', 'steady_created_at', 'steady_used_at', ...HOSTED_COLUMNS],
)
type CredentialRow = Omit<Credential, 'hosted'> & HostedRow

/** Credentials in core.db: only the SHA-256 of a secret is stored (docs/decisions/credentials.md). */
export class SqliteCredentials implements CredentialReader, CredentialWriter {
  readonly #core: CoreDb
  readonly #db: Db
  /** End times of credentials whose revocation the disk refused, by link. */
  readonly #held = new Map<string, number>()
  readonly #byLink: EpochCache<ReadonlyMap<string, Credential>>

  constructor(core: CoreDb) {
    this.#core = core
    this.#db = core.db
    this.#byLink = new EpochCache(core, () => this.#read())
  }

  get(link: string): Credential | undefined {
    return this.#byLink.get().get(link)
  }

  list(): readonly Credential[] {
    return [...this.#byLink.get().values()]
  }

  insert(credential: Credential): void {
    this.#db
      .prepare(`INSERT INTO credentials ${COLUMNS.values}`)
      .run({ ...credential, ...hostedValues(credential.hosted) })
  }

  revoke(link: string, at: number): void {
    this.#db.prepare('UPDATE credentials SET revoked_at = ? WHERE link = ? AND revoked_at IS NULL').run(at, link)
    this.#db.prepare('DELETE FROM hosted_tokens WHERE link = ?').run(link)
    this.#db.prepare('DELETE FROM ended_agent_sessions WHERE link = ?').run(link)
  }

  hold(link: string, at: number): void {
    this.#held.set(link, at)
    this.#core.invalidate()
  }

  used(uses: readonly CredentialUse[]): void {
    const update = this.#db.prepare(
      'UPDATE credentials SET last_used_at = ?, steady_used_at = ?, last_used_via = ? WHERE link = ?',
    )
    for (const use of uses) update.run(use.at, use.steadyAt, use.via, use.link)
  }

  expired(link: string, at: number): void {
    this.#db.prepare('UPDATE credentials SET expired_at = ? WHERE link = ? AND expired_at IS NULL').run(at, link)
  }

  forgetEnded(integration: string, keep: number, sessionsBefore: number): void {
    this.#db
      .prepare(
        `DELETE FROM credentials WHERE link IN (
          SELECT link FROM credentials WHERE integration = ? AND
            (revoked_at IS NOT NULL OR expired_at IS NOT NULL OR (kind = 'session' AND steady_created_at < ?))
          ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)`,
      )
      .run(integration, sessionsBefore, keep)
  }

  #read(): ReadonlyMap<string, Credential> {
    const sql = `SELECT ${COLUMNS.fields} FROM credentials ORDER BY created_at, link`
    const rows = this.#db.prepare<[], CredentialRow>(sql).all()
    const read = new Map(rows.map((row) => [row.link, fromRow(row)]))
    for (const [link, revokedAt] of this.#held) {
      const credential = read.get(link)
      if (credential === undefined || credential.revokedAt !== null) this.#held.delete(link)
      else read.set(link, { ...credential, revokedAt })
    }
    return read
  }
}

function fromRow({ hostedClient, redirectHost, door, account, ...row }: CredentialRow): Credential {
  return { ...row, hosted: hostedOf({ hostedClient, redirectHost, door, account }) }
}
