import type { HostedClient } from './hosted-client.ts'
import type { CredentialKind } from './token.ts'

/**
 * A credential as stored; `link` is its id and part of its token (docs/decisions/credentials.md). Times are epoch ms,
 * those with `steady` steady time in ms.
 */
export interface Credential {
  readonly link: string
  readonly integration: string
  readonly kind: CredentialKind
  /** Name of the agent, or of the key where one was given; may be empty. */
  readonly name: string
  readonly platform: string
  /** Null of a hosted platform's, which has tokens that end in the place of a secret (src/auth/hosted-tokens.ts). */
  readonly secretSha256: Buffer | null
  /** The client of a hosted platform; null of everybody else. */
  readonly hosted: HostedClient | null
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  readonly lastUsedVia: Via | null
  /** What it ages by (src/auth/steady-time.ts). */
  readonly steadyCreatedAt: number
  readonly steadyUsedAt: number | null
  /** Of a session that was seen past its time: it stays so. */
  readonly expiredAt: number | null
}

/** Where a request came from (Spec 5 point 9): the home network, or the cloud relay. */
export type Via = 'home' | 'cloud'

export const LINK_LENGTH = 10
/** Spec 8: a session ends one hour after its last use and twelve hours after it was made. */
export const SESSION_IDLE_MS = 60 * 60_000
export const SESSION_LIFE_MS = 12 * 60 * 60_000
/** Spec 3: shown as stale after this long without use; it stays valid. */
export const STALE_AFTER_MS = 90 * 24 * 60 * 60_000

/** Of an integration so many that have ended are still listed; the oldest are forgotten. */
export const ENDED_KEPT_MAX = 50

/** How the credential is named in the activity log (Spec 4 rule 4) and in `GET /v1/integration`. */
export function credentialLabel(
  credential: Pick<Credential, 'kind' | 'name' | 'platform'>,
  integrationName: string,
): string {
  if (credential.kind === 'key') return `API: ${integrationName}`
  return credential.platform ? `Agent: ${credential.name} via ${credential.platform}` : `Agent: ${credential.name}`
}

export interface CredentialReader {
  get(link: string): Credential | undefined
  list(): readonly Credential[]
}

/** Writes run inside `UnitOfWork.change`; `used` and `expired` are written behind (docs/decisions/credentials.md). */
export interface CredentialWriter {
  insert(credential: Credential): void
  /** Ends it, with all tokens of its family. */
  revoke(link: string, at: number): void
  /** Counts as ended in memory until it is stored as ended; outside of a change. */
  hold(link: string, at: number): void
  used(uses: readonly CredentialUse[]): void
  /** Marks a session that is past its time. */
  expired(link: string, at: number): void
  /**
   * Forgets all but the newest `kept` of an integration's credentials that are revoked or expired, or are sessions that
   * were made before a steady time.
   */
  forgetEnded(integration: string, kept: number, sessionsBefore: number): void
}

export interface CredentialUse {
  readonly link: string
  readonly at: number
  readonly steadyAt: number
  readonly via: Via
}
