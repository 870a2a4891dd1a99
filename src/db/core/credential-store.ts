import type {
  Credential,
  CredentialReader,
  CredentialUse,
  CredentialWriter,
  Via,
  CredentialKind,
} from '../../auth/credentials/credentials.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { EpochCache } from './epoch-cache.ts'
import { hostedOf, type HostedRow, hostedValues } from './hosted-row.ts'

interface CredentialRow extends HostedRow {
  link: string
  integration: string
  kind: CredentialKind
  name: string
  platform: string
  secret_sha256: Buffer | null
  created_at: number
  revoked_at: number | null
  last_used_at: number | null
  last_used_via: Via | null
  steady_created_at: number
  steady_used_at: number | null
  expired_at: number | null
}

/** Credentials in core.db: only the SHA-256 of a secret is ever stored (docs/decisions/credentials.md). */
export class SqliteCredentials implements CredentialReader, CredentialWriter {
  readonly #core: CoreDb
  readonly #db: Db
  /** When those ended that the disk did not let end, by link. */
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
      .prepare(
        `INSERT INTO credentials (link, integration, kind, name, platform, secret_sha256, created_at, revoked_at, last_used_at, last_used_via,
        steady_created_at, steady_used_at, expired_at, hosted_client, redirect_host, door, account)
        VALUES (@link, @integration, @kind, @name, @platform, @secretSha256, @createdAt, @revokedAt, @lastUsedAt, @lastUsedVia,
        @steadyCreatedAt, @steadyUsedAt, @expiredAt, @client, @redirectHost, @door, @account)`,
      )
      .run({ ...credential, ...hostedValues(credential.hosted) })
  }

  revoke(link: string, at: number): void {
    this.#db.prepare('UPDATE credentials SET revoked_at = ? WHERE link = ? AND revoked_at IS NULL').run(at, link)
    this.#db.prepare('DELETE FROM hosted_tokens WHERE link = ?').run(link)
    this.#db.prepare('DELETE FROM ended_agent_sessions WHERE link = ?').run(link)
  }

  hold(link: string, at: number): void {
    this.#held.set(link, at)
    this.#core.readAgain()
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

  forgetEnded(integration: string, kept: number, sessionsBefore: number): void {
    this.#db
      .prepare(
        `DELETE FROM credentials WHERE link IN (
          SELECT link FROM credentials WHERE integration = ? AND
            (revoked_at IS NOT NULL OR expired_at IS NOT NULL OR (kind = 'session' AND steady_created_at < ?))
          ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)`,
      )
      .run(integration, sessionsBefore, kept)
  }

  #read(): ReadonlyMap<string, Credential> {
    const rows = this.#db.prepare<[], CredentialRow>('SELECT * FROM credentials ORDER BY created_at, link').all()
    const read = new Map(rows.map((row) => [row.link, fromRow(row)]))
    for (const [link, revokedAt] of this.#held) {
      const credential = read.get(link)
      if (credential === undefined || credential.revokedAt !== null) this.#held.delete(link)
      else read.set(link, { ...credential, revokedAt })
    }
    return read
  }
}

function fromRow(row: CredentialRow): Credential {
  return {
    link: row.link,
    integration: row.integration,
    kind: row.kind,
    name: row.name,
    platform: row.platform,
    secretSha256: row.secret_sha256,
    hosted: hostedOf(row),
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    lastUsedVia: row.last_used_via,
    steadyCreatedAt: row.steady_created_at,
    steadyUsedAt: row.steady_used_at,
    expiredAt: row.expired_at,
  }
}
