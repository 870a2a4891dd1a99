import { createHash, timingSafeEqual } from 'node:crypto'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { Cause } from '../../home/model/events.ts'
import type { ChangePart, RecordActivity, UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import type { SteadyTime } from './steady-time.ts'

/**
 * Audience of a token, and of the path of a request: the API, the MCP server, or the MCP server of one integration
 * (Spec 5 point 6).
 */
export type TokenAudience = 'api' | 'mcp' | `mcp/r/${string}`

const BOUND = 'mcp/r/'

/** Id of the integration that an audience is bound to, or null. */
export function boundIntegration(audience: TokenAudience): string | null {
  return audience.startsWith(BOUND) ? audience.slice(BOUND.length) : null
}

/** Parses an audience of the MCP server; null for any other text. */
export function parseMcpAudience(text: string): TokenAudience | null {
  if (text === 'mcp') return text
  return text.length > BOUND.length && text.startsWith(BOUND) ? (text as TokenAudience) : null
}

/**
 * OAuth client of an agent on a hosted platform, as reported by the relay (Spec 5 points 4 and 6,
 * docs/agents.md#hosted).
 */
export interface HostedClient {
  /** The OAuth client id. */
  readonly client: string
  /** Host of the OAuth redirect. */
  readonly redirectHost: string
  /** The only audience of its tokens. */
  readonly audience: TokenAudience
  /** Relay account of the requesting user: a label, which the gateway cannot verify. */
  readonly account: string
}

/**
 * True if a domain proves the client's name: its id is the address of its metadata document, and the redirect goes to
 * the same host. A redirect to the user's own computer proves nothing.
 */
export function isProved({ client, redirectHost }: Pick<HostedClient, 'client' | 'redirectHost'>): boolean {
  const url = client.startsWith('https://') ? URL.parse(client) : null
  return url !== null && url.hostname === redirectHost
}

/** Token form (Spec 5 point 2): `hm_{kind}_{gateway}.{integration}.{link}.{secret}`. */
const CREDENTIAL_KINDS = ['key', 'agent', 'session'] as const
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]
/** Refresh token of a hosted platform, accepted only in exchange for access tokens (docs/agents.md#hosted). */
const REFRESH = 'refresh'

interface TokenOf<K> {
  readonly kind: K
  readonly gateway: string
  readonly integration: string
  readonly link: string
  /** 32 random bytes as base64url; only its SHA-256 is stored. */
  readonly secret: string
}
export type Token = TokenOf<CredentialKind>

const SECRET_BYTES = 32
/** Longest text that is parsed; a real token has about 115 characters. */
const TOKEN_LENGTH_MAX = 200
const TOKEN = /^hm_(key|agent|session|refresh)_([a-z0-9]{12})\.([0-9a-f-]{36})\.([a-z0-9]{10})\.([A-Za-z0-9_-]{43})$/

/** Parses a credential's token, or returns null. */
export function parseToken(text: string): Token | null {
  return parsed(text, CREDENTIAL_KINDS)
}

/** Parses a hosted platform's access (`agent`) or `refresh` token, or returns null. */
export function parseHosted(text: string): TokenOf<'agent' | typeof REFRESH> | null {
  return parsed(text, ['agent', REFRESH])
}

function parsed<K extends string>(text: string, kinds: readonly K[]): TokenOf<K> | null {
  if (text.length > TOKEN_LENGTH_MAX) return null
  const match = TOKEN.exec(text)
  if (!match) return null
  const [, named, gateway = '', integration = '', link = '', secret = ''] = match
  const kind = kinds.find((candidate) => candidate === named)
  return kind === undefined ? null : { kind, gateway, integration, link, secret }
}

export function formatToken(token: TokenOf<CredentialKind | typeof REFRESH>): string {
  return `hm_${token.kind}_${token.gateway}.${token.integration}.${token.link}.${token.secret}`
}

/** 32-byte hash stored instead of the secret. A random secret of 256 bits needs no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** 256 random bits as base64url. */
export const newSecret = (random: Random): string => random.bytes(SECRET_BYTES).toString('base64url')

/** Comparison hash if none is stored, so that an unknown id and a wrong secret take equally long. */
const NO_HASH = hashSecret('nobody')

/** True if the secret belongs to a stored hash. A missing or damaged hash matches no secret. */
export function isSecretOf(secret: string, stored: Buffer | null | undefined): boolean {
  const known = stored?.length === NO_HASH.length ? stored : NO_HASH
  return timingSafeEqual(hashSecret(secret), known) && known === stored
}

/**
 * A credential as stored; `link` is its id and part of its token (docs/decisions/credentials.md). Times are epoch ms,
 * those with `steady` steady time in ms.
 */
export interface Credential {
  readonly link: string
  readonly integration: string
  readonly kind: CredentialKind
  /** Name of the agent, or optional name of the key; may be empty. */
  readonly name: string
  readonly platform: string
  /** Null for an agent of a hosted platform, whose tokens expire (src/auth/hosted/hosted-tokens.ts). */
  readonly secretSha256: Buffer | null
  /** Client of a hosted platform; null for other credentials. */
  readonly hosted: HostedClient | null
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  readonly lastUsedVia: Via | null
  /** Ages count from this (src/auth/credentials/steady-time.ts). */
  readonly steadyCreatedAt: number
  readonly steadyUsedAt: number | null
  /** Epoch ms at which an agent's session was first seen expired; it stays expired. */
  readonly expiredAt: number | null
}

/** Route of a request (Spec 5 point 9): the home network, or the cloud relay. */
export type Via = 'home' | 'cloud'

export const LINK_LENGTH = 10
/** Spec 8: a session ends one hour after its last use and twelve hours after it was made. */
export const SESSION_IDLE_MS = 60 * 60_000
export const SESSION_LIFE_MS = 12 * 60 * 60_000
/** A credential is shown as stale after this long without use, but stays valid (Spec 3). */
export const STALE_AFTER_MS = 90 * 24 * 60 * 60_000

/** Most ended credentials that stay listed per integration; the oldest are deleted. */
export const ENDED_KEPT_MAX = 50

/** Name of the credential in the activity log (Spec 4 rule 4) and in `GET /v1/integration`. */
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

/**
 * Writes run inside `UnitOfWork.change`; `used` and `expired` are written later, in batches
 * (docs/decisions/credentials.md).
 */
export interface CredentialWriter {
  insert(credential: Credential): void
  /** Ends a credential with all its tokens. */
  revoke(link: string, at: number): void
  /** Ends a credential in memory until its end can be stored; runs outside a change. */
  hold(link: string, at: number): void
  used(uses: readonly CredentialUse[]): void
  /** Marks an expired session. */
  expired(link: string, at: number): void
  /**
   * Deletes all but the newest `max` ended credentials of an integration: revoked, expired, or sessions made before a
   * steady time.
   */
  forgetEnded(integration: string, max: number, sessionsBefore: number): void
}

export interface CredentialUse {
  readonly link: string
  readonly at: number
  readonly steadyAt: number
  readonly via: Via
}

/** Properties of a new credential. Name and platform describe an agent; a key may have a name. */
export interface NewCredential {
  /** Id of the integration. */
  readonly integration: string
  readonly kind: CredentialKind
  readonly name: string
  readonly platform: string
}

/** Properties of a hosted agent's new credential. */
interface NewHosted extends Omit<NewCredential, 'kind'> {
  readonly hosted: HostedClient
}

/** The only copy of a new token; only the hash of its secret is stored. */
interface Minted {
  readonly token: string
  readonly credential: Credential
}

interface CredentialsParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly store: CredentialReader & CredentialWriter
  readonly work: UnitOfWork
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
}

/** Makes and revokes credentials (Spec 5). */
export class Credentials {
  readonly #parts: CredentialsParts

  constructor(parts: CredentialsParts) {
    this.#parts = parts
  }

  list(): readonly Credential[] {
    return this.#parts.store.list()
  }

  get(link: string): Credential | undefined {
    return this.#parts.store.get(link)
  }

  create(what: NewCredential, cause: Cause): Minted {
    const minted = this.#parts.work.change((record) => this.mint(what, cause, record))
    this.#parts.changes.emit({ integration: what.integration, deleted: false })
    return minted
  }

  /**
   * Revokes a credential. `also` is stored in the same transaction; `why` is the reason in the activity if no person
   * decided it.
   */
  revoke(credential: Credential, cause: Cause, also: readonly ChangePart[] = [], why?: string): void {
    this.#parts.work.change((record) => {
      this.end(credential, cause, record, why)
      for (const part of also) part.store(record)
    })
    for (const part of also) part.apply()
    this.#parts.changes.emit({ integration: credential.integration, deleted: false })
  }

  /** Revokes a credential in memory only, for a disk that refuses writes. */
  hold({ link, integration }: Credential): void {
    this.#parts.store.hold(link, this.#parts.clock.now())
    this.#parts.changes.emit({ integration, deleted: false })
  }

  /** Like `create`, inside the caller's change; the caller emits the `AccessChange` afterwards. */
  mint(what: NewCredential, cause: Cause, record: RecordActivity): Minted {
    const { gateway, random } = this.#parts
    const secret = newSecret(random)
    const credential = this.#insert({ ...what, secretSha256: hashSecret(secret), hosted: null }, cause, record)
    const { kind, integration, link } = credential
    return { token: formatToken({ kind, gateway, integration, link, secret }), credential }
  }

  /** Like `mint`, for a hosted platform, whose tokens are made separately. */
  mintHosted(what: NewHosted, cause: Cause, record: RecordActivity): Credential {
    return this.#insert({ ...what, kind: 'agent', secretSha256: null }, cause, record)
  }

  /** Like `revoke`, inside the caller's change. */
  end(credential: Credential, cause: Cause, record: RecordActivity, why?: string): void {
    this.#parts.store.revoke(credential.link, this.#parts.clock.now())
    this.#record(credential, why === undefined ? 'revoked' : `revoked: ${why}`, cause, record)
  }

  #insert(
    what: Pick<Credential, 'integration' | 'kind' | 'name' | 'platform' | 'secretSha256' | 'hosted'>,
    cause: Cause,
    record: RecordActivity,
  ): Credential {
    const { clock, random, steady, store } = this.#parts
    const credential: Credential = {
      ...what,
      link: randomId(random, LINK_LENGTH),
      createdAt: clock.now(),
      revokedAt: null,
      lastUsedAt: null,
      lastUsedVia: null,
      steadyCreatedAt: steady.now(),
      steadyUsedAt: null,
      expiredAt: null,
    }
    store.insert(credential)
    store.forgetEnded(what.integration, ENDED_KEPT_MAX, steady.now() - SESSION_LIFE_MS)
    steady.save()
    this.#record(credential, 'created', cause, record)
    return credential
  }

  #record({ integration, kind, link }: Credential, did: string, cause: Cause, record: RecordActivity): void {
    record({
      at: this.#parts.clock.now(),
      kind: 'access',
      subject: { kind: 'integration', id: integration },
      what: `${kind} ${link} ${did}`,
      cause,
    })
  }
}
