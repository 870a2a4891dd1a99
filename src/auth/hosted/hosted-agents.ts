import { isPlainText, plainTextOf } from '../../lib/plain-text.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { AgentRequest, AgentRequestInput, AgentRequestRefusal, RequestStatus } from '../agents/agent-request.ts'
import { shownCode } from '../agents/spoken-codes.ts'
import {
  boundIntegration,
  parseMcpAudience,
  type Credential,
  credentialLabel,
  type Credentials,
  isSecretOf,
} from '../credentials/credentials.ts'
import type { IntegrationReader } from '../../exposure/integration.ts'
import { type Cause, GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { TokenBuckets } from '../../lib/token-bucket.ts'
import type { AccessEvent } from '../agents/expiring-requests.ts'
import type { HostedPair, HostedToken, HostedTokens } from './hosted-tokens.ts'
import type { LastUsed } from '../credentials/last-used.ts'
import type { Pairing } from '../agents/pairing.ts'

/** Longest name or platform of an agent. */
const NAME_MAX = 64
const ACCOUNT_MAX = 254
const CLIENT_MAX = 2_048
const HOST_MAX = 300
const PEER_MAX = 64
/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** RFC 7636 section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** A hosted agent's request for access, with the field names of the relay's control stream. */
export interface HostedRequestInput {
  /** Name and platform as stated by the OAuth client. */
  readonly name: string
  readonly platform: string
  /** Integration that the audience is bound to, or null. */
  readonly record: string | null
  /** The OAuth client id. */
  readonly client: string
  /** Host of the OAuth redirect. */
  readonly redirectHost: string
  /** PKCE challenge: SHA-256 of the verifier, base64url. */
  readonly challenge: string
  /** Audience: `mcp`, or `mcp/r/{integration}`. */
  readonly door: string
  /** Account at the relay. */
  readonly account: string
  /** Network address of the user's browser. */
  readonly peer: string
}

export interface HostedRequest {
  /** Id of the request, for reading its status and collecting its tokens. */
  readonly request: string
  /** The matching code, `XXXX-XXXX`. */
  readonly code: string
  /** Epoch ms. */
  readonly expiresAt: number
}

/** `not_found`: the audience's integration does not exist. `validation`: the relay sent an invalid request. */
export type HostedRefusal =
  | AgentRequestRefusal
  | { readonly kind: 'not_found' }
  | { readonly kind: 'validation'; readonly message: string }

/** Validates a relay's request. The relay is not trusted, and its texts are shown to administrators. */
function parseRequest(
  request: HostedRequestInput,
): Result<{ readonly input: AgentRequestInput; readonly challenge: Buffer }, HostedRefusal> {
  const { account, challenge, client, record, redirectHost, peer } = request
  const audience = parseMcpAudience(request.door)
  if (audience === null || boundIntegration(audience) !== record) return wrong('door')
  if (!isWord(account, ACCOUNT_MAX)) return wrong('account')
  if (!isWord(client, CLIENT_MAX)) return wrong('client')
  if (!isWord(redirectHost, HOST_MAX)) return wrong('redirectHost')
  if (!isWord(peer, PEER_MAX)) return wrong('peer')
  if (!CHALLENGE.test(challenge)) return wrong('challenge')
  const named = { name: plainTextOf(request.name, NAME_MAX), platform: plainTextOf(request.platform, NAME_MAX) }
  const host = redirectHost.slice(0, NAME_MAX)
  const input: AgentRequestInput = {
    name: named.name === '' ? host : named.name,
    platform: named.platform === '' ? host : named.platform,
    record,
    hosted: { client, redirectHost, audience, account },
    suggested: null,
    via: 'cloud',
    peer,
  }
  return ok({ input, challenge: Buffer.from(challenge, 'base64url') })
}

/** True if the verifier matches the request's challenge (RFC 7636 section 4.6, S256). */
function redeems({ challenge }: Pick<AgentRequest, 'challenge'>, verifier: string): boolean {
  return VERIFIER.test(verifier) && isSecretOf(verifier, challenge)
}

/** True for one visible word: no invisible characters, and no spaces that could push text out of sight. */
function isWord(text: string, max: number): boolean {
  return text.length > 0 && text.length <= max && isPlainText(text) && !/\s/u.test(text)
}

function wrong(field: keyof HostedRequestInput): Result<never, HostedRefusal> {
  return fail({ kind: 'validation', message: `The relay's request is not valid: ${field}.` })
}

/** Longest wait of a page for the status of a request. */
export const STATUS_WAIT_MS = 25_000
/** Most pages that wait at once; further ones get the current status immediately. */
export const STATUS_WAITS_MAX = 256
/** Rate limit of refreshes per agent. One an hour would do, but each machine of a platform refreshes separately. */
export const REFRESHES = { perSecond: 60 / 3_600, burst: 20, keysMax: 1_000 }

/** Most redeemed requests in memory; more than the home accepts in an hour. */
const REDEEMED_MAX = 64

/** Contents of an authorization code, as sent by the relay. */
interface Redemption {
  readonly request: string
  readonly verifier: string
  readonly client: string
}

/** Status of a hosted agent's request. A collected one counts as accepted. */
type HostedStatus = Exclude<RequestStatus, 'collected'>

/**
 * Reason for refusing tokens: RFC 6749's `invalid_grant`, RFC 8707's `invalid_target` for an audience that was not
 * granted, or too many refreshes; `retryAfter` in seconds.
 */
type TokenRefusal =
  | { readonly kind: 'invalid_grant' | 'invalid_target' }
  | { readonly kind: 'slow_down'; readonly retryAfter: number }

interface HostedAgentsParts {
  readonly pairing: Pick<Pairing, 'addRequest' | 'find' | 'collect'>
  readonly credentials: Pick<Credentials, 'get' | 'mintHosted' | 'revoke'>
  readonly tokens: HostedTokens
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'used'>
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly events: Pick<Emitter<AccessEvent>, 'on' | 'emit'>
}

/**
 * Agents on hosted platforms (Spec 5 points 4, 6 and 8, docs/agents.md#hosted). The relay forwards their requests and
 * shows their status, an administrator decides, and only the gateway makes and checks their tokens.
 */
export class HostedAgents {
  readonly #parts: HostedAgentsParts
  readonly #refreshes: TokenBuckets
  readonly #waiting = new Set<() => void>()
  /** Ids of recently redeemed requests, with the links of their credentials. */
  readonly #redeemed = new Map<string, string>()

  constructor(parts: HostedAgentsParts) {
    this.#parts = parts
    this.#refreshes = new TokenBuckets(parts.clock, REFRESHES)
  }

  /** Stores a platform's request for an agent whose user is signed in at the relay. */
  ask(hosted: HostedRequestInput): Result<HostedRequest, HostedRefusal> {
    const parsed = parseRequest(hosted)
    if (!parsed.ok) return parsed
    const { input, challenge } = parsed.value
    if (input.record !== null && !this.#parts.integrations.get(input.record)) return fail({ kind: 'not_found' })
    const added = this.#parts.pairing.addRequest(input, { codeSha256: null, challenge })
    if (!added.ok) return added
    const { request, userCode } = added.value
    const expiresAt = this.#parts.pairing.find(request)?.expiresAt ?? this.#parts.clock.now()
    return ok({ request, code: shownCode(userCode), expiresAt })
  }

  /** Status of a request. While it is pending, waits for a decision, the timeout or `signal`. */
  status(request: string, signal: AbortSignal): Promise<HostedStatus> {
    const status = this.#statusOf(request)
    if (status !== 'pending' || signal.aborted || this.#waiting.size >= STATUS_WAITS_MAX) return Promise.resolve(status)
    return new Promise((resolve) => {
      const answer = (): void => {
        this.#waiting.delete(answer)
        stopListening()
        stopWaiting()
        signal.removeEventListener('abort', answer)
        resolve(this.#statusOf(request))
      }
      const stopListening = this.#parts.events.on((event) => {
        if (event.kind === 'agent_request_ended' && event.request.request === request) answer()
      })
      const stopWaiting = this.#parts.clock.after(STATUS_WAIT_MS, answer)
      signal.addEventListener('abort', answer)
      this.#waiting.add(answer)
    })
  }

  /**
   * Issues the first pair of tokens for an accepted request, once, to the holder of the verifier. This works even while
   * the integration takes no agents: later requests with the token are then refused with the reason.
   */
  redeem({ request: id, verifier, client }: Redemption): Result<HostedPair, TokenRefusal> {
    const { credentials, pairing, tokens } = this.#parts
    const request = pairing.find(id)?.request
    const hosted = request?.hosted
    if (!request || !hosted || hosted.client !== client || !redeems(request, verifier)) return INVALID_GRANT
    const pair = pairing.collect(request, (draft, by, record) => {
      const credential = credentials.mintHosted({ ...draft, hosted }, by, record)
      this.#remember(request.request, credential.link)
      return { link: credential.link, result: tokens.issue(credential) }
    })
    return pair === null ? INVALID_GRANT : ok(pair)
  }

  /**
   * Revokes the tokens of a request whose authorization code was used twice, because somebody else has the code (RFC
   * 6749 section 4.1.2).
   */
  codeReused({ request: id, verifier, client }: Redemption): void {
    const request = this.#parts.pairing.find(id)?.request
    if (!request || request.hosted?.client !== client || !redeems(request, verifier)) return
    const credential = this.#parts.credentials.get(this.#redeemed.get(id) ?? '')
    if (credential && credential.revokedAt === null) this.#endReused(credential, 'code_reused')
  }

  /**
   * Issues the next pair of tokens for a refresh token, even while the integration takes no agents. Reusing a refresh
   * token long after its first use revokes the credential, because somebody else has a copy.
   */
  refresh({
    refresh,
    client,
    door,
  }: {
    readonly refresh: string
    readonly client: string
    /** Audience named by the client, if any. */
    readonly door?: string | undefined
  }): Result<HostedPair, TokenRefusal> {
    const found = this.#find(refresh, client)
    if (found?.token.kind !== 'refresh') return INVALID_GRANT
    const { token, credential } = found
    if (this.#parts.tokens.isReused(token)) {
      this.#endReused(credential, 'refresh_reused')
      return INVALID_GRANT
    }
    // Checked before the token is used, so that a refused client can still use it.
    if (door !== undefined && door !== credential.hosted?.audience) return fail({ kind: 'invalid_target' })
    const wait = this.#refreshes.take(credential.link)
    if (wait > 0) return fail({ kind: 'slow_down', retryAfter: wait })
    const pair = this.#parts.work.change(() => this.#parts.tokens.rotate(token, credential))
    this.#parts.lastUsed.used(credential.link, 'cloud')
    return ok(pair)
  }

  /**
   * Revokes a client's token (RFC 7009): an access token alone, or with a refresh token the whole credential. Other
   * texts are ignored without an error.
   */
  revoke({ token: text, client }: { readonly token: string; readonly client: string }): void {
    const found = this.#find(text, client)
    if (found === null) return
    const { token, credential } = found
    if (token.kind === 'refresh') this.#parts.credentials.revoke(credential, this.#causeOf(credential))
    else this.#parts.work.change(() => this.#parts.tokens.remove(token))
  }

  /** Answers all waiting pages. */
  stop(): void {
    for (const answer of this.#waiting) answer()
  }

  #statusOf(id: string): HostedStatus {
    const found = this.#parts.pairing.find(id)
    if (!found || found.request.hosted === null) return 'expired'
    return found.status === 'collected' ? 'accepted' : found.status
  }

  /** A token of this client with its active credential, or null. */
  #find(text: string, client: string): { readonly token: HostedToken; readonly credential: Credential } | null {
    const token = this.#parts.tokens.find(text)
    const credential = token && this.#parts.credentials.get(token.link)
    if (!credential || credential.revokedAt !== null || credential.hosted?.client !== client) return null
    return { token, credential }
  }

  /** Remembers a redemption. The oldest can go: codes are valid for only a minute at the relay. */
  #remember(request: string, link: string): void {
    this.#redeemed.set(request, link)
    const [oldest] = this.#redeemed.keys()
    if (this.#redeemed.size > REDEEMED_MAX && oldest !== undefined) this.#redeemed.delete(oldest)
  }

  #endReused(credential: Credential, why: keyof typeof REUSED): void {
    const { credentials, events } = this.#parts
    credentials.revoke(credential, GATEWAY_CAUSE, [], REUSED[why])
    events.emit({ kind: 'agent_ended', credential, why })
  }

  #causeOf(credential: Credential): Cause {
    const { integration, link } = credential
    const name = credentialLabel(credential, this.#parts.integrations.get(integration)?.name ?? '')
    return { source: 'agent', name, integration, link }
  }
}

const INVALID_GRANT = fail({ kind: 'invalid_grant' } as const)
const REUSED = {
  refresh_reused: 'one of its refresh tokens was used twice',
  code_reused: 'its authorization code was used twice',
} as const
