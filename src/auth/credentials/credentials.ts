import { createHash, timingSafeEqual } from 'node:crypto'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { Cause, ActivityDraft } from '../../home/model/events.ts'
import type { ChangePart, UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import type { SteadyTime } from './steady-time.ts'

/**
 * What a request comes in by: the service's own paths, the MCP server for any integration, or the one that is bound to
 * an integration (Spec 5 point 6).
 */
export type Door = 'api' | 'mcp' | `mcp/r/${string}`

const BOUND = 'mcp/r/'

/** The id of the integration that a door is bound to, or null. */
export function boundTo(door: Door): string | null {
  return door.startsWith(BOUND) ? door.slice(BOUND.length) : null
}

/** A door of the MCP server by its name, or null where it has none of that name. */
export function mcpDoorOf(name: string): Door | null {
  if (name === 'mcp') return name
  return name.length > BOUND.length && name.startsWith(BOUND) ? (name as Door) : null
}

/**
 * The OAuth client of an agent that runs on a hosted platform, as the relay tells of it (Spec 5 points 4 and 6,
 * docs/agents.md#hosted).
 */
export interface HostedClient {
  /** The OAuth client id. */
  readonly client: string
  /** The host that the answer to the request goes to. */
  readonly redirectHost: string
  /** The door that its tokens are for, and the only one. */
  readonly door: Door
  /** The account at the relay whose user asks; it names, and proves nothing to the gateway. */
  readonly account: string
}

/**
 * Whether the client's name is proved by a domain: its id is the address of the document with the name, and the answer
 * goes to the same host. Any program on a computer can ask in the name of a document whose answers go there.
 */
export function isProved({ client, redirectHost }: Pick<HostedClient, 'client' | 'redirectHost'>): boolean {
  const url = client.startsWith('https://') ? URL.parse(client) : null
  return url !== null && url.hostname === redirectHost
}

/** Token form (Spec 5 point 2): `hm_{kind}_{gateway}.{integration}.{link}.{secret}`. */
const CREDENTIAL_KINDS = ['key', 'agent', 'session'] as const
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]
/** Of a hosted platform: exchanged for access tokens, and no credential anywhere else (docs/agents.md#hosted). */
const REFRESH = 'refresh'

interface TokenOf<K> {
  readonly kind: K
  readonly gateway: string
  readonly integration: string
  readonly link: string
  /** 32 random bytes as base64url; never stored, only its SHA-256 is. */
  readonly secret: string
}
export type Token = TokenOf<CredentialKind>

const SECRET_BYTES = 32
/** A real token has about 115 characters; longer strings are refused before they are looked at. */
const TOKEN_LENGTH_MAX = 200
const TOKEN = /^hm_(key|agent|session|refresh)_([a-z0-9]{12})\.([0-9a-f-]{36})\.([a-z0-9]{10})\.([A-Za-z0-9_-]{43})$/

/** The token of a credential, or null. */
export function parseToken(text: string): Token | null {
  return parsed(text, CREDENTIAL_KINDS)
}

/** A token of a hosted platform's family, access (`agent`) or `refresh`, or null. */
export function parseHosted(text: string): TokenOf<'agent' | typeof REFRESH> | null {
  return parsed(text, ['agent', REFRESH])
}

function parsed<K extends string>(text: string, kinds: readonly K[]): TokenOf<K> | null {
  if (text.length > TOKEN_LENGTH_MAX) return null
  const match = TOKEN.exec(text)
  if (!match) return null
  const [, named, gateway = '', integration = '', link = '', secret = ''] = match
  const kind = kinds.find((each) => each === named)
  return kind === undefined ? null : { kind, gateway, integration, link, secret }
}

export function formatToken(token: TokenOf<CredentialKind | typeof REFRESH>): string {
  return `hm_${token.kind}_${token.gateway}.${token.integration}.${token.link}.${token.secret}`
}

/** 32 bytes: what is stored instead of the secret. A random secret of 256 bits needs no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** 256 random bits as base64url. */
export const newSecret = (random: Random): string => random.bytes(SECRET_BYTES).toString('base64url')

/** Compared with where nothing is stored, so that an unknown id and a wrong secret cost the same. */
const NOBODY = hashSecret('nobody')

/** Whether it is the secret of a stored hash; one that was damaged is nobody's, like none. */
export function isSecretOf(secret: string, stored: Buffer | null | undefined): boolean {
  const known = stored?.length === NOBODY.length ? stored : NOBODY
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
  /** Name of the agent, or of the key where one was given; may be empty. */
  readonly name: string
  readonly platform: string
  /** Null for an agent of a hosted platform: its tokens expire (src/auth/hosted/hosted-tokens.ts). */
  readonly secretSha256: Buffer | null
  /** The client of a hosted platform; null of everybody else. */
  readonly hosted: HostedClient | null
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  readonly lastUsedVia: Via | null
  /** What it ages by (src/auth/credentials/steady-time.ts). */
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

/** What a new credential is for. Name and platform are those of an agent; a key may have a name. */
export interface NewCredential {
  /** Id of the integration. */
  readonly integration: string
  readonly kind: CredentialKind
  readonly name: string
  readonly platform: string
}

/** What a new credential of a hosted platform is for. */
interface NewHosted extends Omit<NewCredential, 'kind'> {
  readonly hosted: HostedClient
}

/** The token is shown once, here; afterwards only the hash of its secret exists. */
interface Minted {
  readonly token: string
  readonly credential: Credential
}

/** Writes an activity row in the transaction that is under way. */
export type RecordActivity = (draft: ActivityDraft) => void

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

  /** `also` is stored in the same transaction; `why` stands in the activity where it was nobody's wish. */
  revoke(credential: Credential, cause: Cause, also: readonly ChangePart[] = [], why?: string): void {
    this.#parts.work.change((record) => {
      this.end(credential, cause, record, why)
      for (const part of also) part.store(record)
    })
    for (const part of also) part.apply()
    this.#parts.changes.emit({ integration: credential.integration, deleted: false })
  }

  /** As `revoke`, in memory alone: where the disk does not take it. */
  hold({ link, integration }: Credential): void {
    this.#parts.store.hold(link, this.#parts.clock.now())
    this.#parts.changes.emit({ integration, deleted: false })
  }

  /** As `create`, inside a change that is under way: the caller emits the `AccessChange` afterwards. */
  mint(what: NewCredential, cause: Cause, record: RecordActivity): Minted {
    const { gateway, random } = this.#parts
    const secret = newSecret(random)
    const credential = this.#insert({ ...what, secretSha256: hashSecret(secret), hosted: null }, cause, record)
    const { kind, integration, link } = credential
    return { token: formatToken({ kind, gateway, integration, link, secret }), credential }
  }

  /** As `mint`, for a hosted platform, whose tokens are made beside it. */
  mintHosted(what: NewHosted, cause: Cause, record: RecordActivity): Credential {
    return this.#insert({ ...what, kind: 'agent', secretSha256: null }, cause, record)
  }

  /** As `revoke`, inside a change that is under way. */
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
