import { isPlainText, plainTextOf } from '../../lib/plain-text.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import {
  type AgentRequest,
  type AgentRequestInput,
  type AgentRequestRefusal,
  type RequestStatus,
  shownCode,
} from '../agents/agent-request.ts'
import {
  boundTo,
  mcpDoorOf,
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

/** Characters of an agent's name or platform, as everywhere. */
const NAME_MAX = 64
const ACCOUNT_MAX = 254
const CLIENT_MAX = 2_048
const HOST_MAX = 300
const PEER_MAX = 64
/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** RFC 7636 section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** What a relay tells of an agent that asks, in the words of its control stream. */
export interface HostedAsk {
  /** What the OAuth client calls itself, and where it says that it runs. */
  readonly name: string
  readonly platform: string
  /** The integration that the door is bound to, or null. */
  readonly record: string | null
  /** The OAuth client id. */
  readonly client: string
  /** The host that the answer goes to. */
  readonly redirectHost: string
  /** PKCE: SHA-256 of the verifier, in base64url. */
  readonly challenge: string
  /** `mcp`, or `mcp/r/{integration}`. */
  readonly door: string
  /** The account at the relay. */
  readonly account: string
  /** The network address that the user's browser came from. */
  readonly peer: string
}

export interface HostedAsked {
  /** The request's id, by which its state is asked and its tokens are collected. */
  readonly request: string
  /** The matching code, `XXXX-XXXX`. */
  readonly code: string
  /** Epoch ms. */
  readonly expiresAt: number
}

/** `not_found`: there is no integration behind that door. `validation`: a relay told something that is no request. */
export type HostedRefusal =
  | AgentRequestRefusal
  | { readonly kind: 'not_found' }
  | { readonly kind: 'validation'; readonly message: string }

/** A request as it is stored. What a relay tells is read as anybody's words: administrators are shown it. */
function readAsk(
  asked: HostedAsk,
): Result<{ readonly input: AgentRequestInput; readonly challenge: Buffer }, HostedRefusal> {
  const { account, challenge, client, record, redirectHost, peer } = asked
  const door = mcpDoorOf(asked.door)
  if (door === null || boundTo(door) !== record) return wrong('door')
  if (!isWord(account, ACCOUNT_MAX)) return wrong('account')
  if (!isWord(client, CLIENT_MAX)) return wrong('client')
  if (!isWord(redirectHost, HOST_MAX)) return wrong('redirectHost')
  if (!isWord(peer, PEER_MAX)) return wrong('peer')
  if (!CHALLENGE.test(challenge)) return wrong('challenge')
  const named = { name: plainTextOf(asked.name, NAME_MAX), platform: plainTextOf(asked.platform, NAME_MAX) }
  const host = redirectHost.slice(0, NAME_MAX)
  const input: AgentRequestInput = {
    name: named.name === '' ? host : named.name,
    platform: named.platform === '' ? host : named.platform,
    record,
    hosted: { client, redirectHost, door, account },
    suggested: null,
    via: 'cloud',
    peer,
  }
  return ok({ input, challenge: Buffer.from(challenge, 'base64url') })
}

/** Whether a verifier is the one of the request's challenge (RFC 7636 section 4.6, S256). */
function redeems({ challenge }: Pick<AgentRequest, 'challenge'>, verifier: string): boolean {
  return VERIFIER.test(verifier) && isSecretOf(verifier, challenge)
}

/** Something that people are shown in one piece: nothing invisible, and no spaces to hide more behind. */
function isWord(text: string, max: number): boolean {
  return text.length > 0 && text.length <= max && isPlainText(text) && !/\s/u.test(text)
}

function wrong(field: keyof HostedAsk): Result<never, HostedRefusal> {
  return fail({ kind: 'validation', message: `The relay's request is not valid: ${field}.` })
}

/** A page that asks what has become of a request is answered after this long at the latest. */
export const STATUS_WAIT_MS = 25_000
/** Pages that wait at once; those beyond are answered at once. */
export const STATUS_WAITS_MAX = 256
/** Refreshes of one agent: once an hour is enough, but a platform's machines do it each for itself. */
export const REFRESHES = { perSecond: 60 / 3_600, burst: 20, keysMax: 1_000 }

/** Redeemed requests that are remembered: more than an hour of the home has. */
const REDEEMED_MAX = 64

/** What an authorization code stands for, as the relay shows it to the gateway. */
interface Redemption {
  readonly request: string
  readonly verifier: string
  readonly client: string
}

/** What has become of a hosted agent's request. One whose tokens were collected is accepted. */
type HostedStatus = Exclude<RequestStatus, 'collected'>

/**
 * Why no tokens: RFC 6749's `invalid_grant`, RFC 8707's `invalid_target` for another door than was granted, or too many
 * refreshes; `retryAfter` in seconds.
 */
type TokenRefusal =
  | { readonly kind: 'invalid_grant' | 'invalid_target' }
  | { readonly kind: 'slow_down'; readonly retryAfter: number }

interface HostedAgentsParts {
  readonly pairing: Pick<Pairing, 'enter' | 'find' | 'collect'>
  readonly credentials: Pick<Credentials, 'get' | 'mintHosted' | 'revoke'>
  readonly tokens: HostedTokens
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'used'>
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly events: Pick<Emitter<AccessEvent>, 'on' | 'emit'>
}

/**
 * Agents on hosted platforms (Spec 5 points 4, 6 and 8, docs/agents.md#hosted): the relay brings their requests and
 * shows what becomes of them, an administrator decides, and the gateway alone makes and checks their tokens.
 */
export class HostedAgents {
  readonly #parts: HostedAgentsParts
  readonly #refreshes: TokenBuckets
  readonly #waiting = new Set<() => void>()
  /** Links of the credentials that requests were redeemed for lately, by the ids of the requests. */
  readonly #redeemed = new Map<string, string>()

  constructor(parts: HostedAgentsParts) {
    this.#parts = parts
    this.#refreshes = new TokenBuckets(parts.clock, REFRESHES)
  }

  /** A platform asks for an agent whose user has signed in at the relay. */
  ask(asked: HostedAsk): Result<HostedAsked, HostedRefusal> {
    const read = readAsk(asked)
    if (!read.ok) return read
    const { input, challenge } = read.value
    if (input.record !== null && !this.#parts.integrations.get(input.record)) return fail({ kind: 'not_found' })
    const entered = this.#parts.pairing.enter(input, { codeSha256: null, challenge })
    if (!entered.ok) return entered
    const { request, userCode } = entered.value
    const expiresAt = this.#parts.pairing.find(request)?.expiresAt ?? this.#parts.clock.now()
    return ok({ request, code: shownCode(userCode), expiresAt })
  }

  /** What has become of a request: while nobody has decided, the answer waits until somebody has, or `signal` ends it. */
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
   * The first pair of tokens for an accepted request, once, to whoever has the verifier of its challenge. Also while
   * the integration takes no agents: its requests are refused then, and say why.
   */
  redeem({ request: id, verifier, client }: Redemption): Result<HostedPair, TokenRefusal> {
    const { credentials, pairing, tokens } = this.#parts
    const request = pairing.find(id)?.request
    const hosted = request?.hosted
    if (!request || !hosted || hosted.client !== client || !redeems(request, verifier)) return INVALID_GRANT
    const pair = pairing.collect(request, (what, by, record) => {
      const credential = credentials.mintHosted({ ...what, hosted }, by, record)
      this.#remember(request.request, credential.link)
      return { link: credential.link, handed: tokens.issue(credential) }
    })
    return pair === null ? INVALID_GRANT : ok(pair)
  }

  /**
   * The authorization code of a request was shown again after its tokens were handed out: somebody else has it, and its
   * tokens end (RFC 6749 section 4.1.2).
   */
  codeReused({ request: id, verifier, client }: Redemption): void {
    const request = this.#parts.pairing.find(id)?.request
    if (!request || request.hosted?.client !== client || !redeems(request, verifier)) return
    const credential = this.#parts.credentials.get(this.#redeemed.get(id) ?? '')
    if (credential && credential.revokedAt === null) this.#endReused(credential, 'code_reused')
  }

  /**
   * The next pair of tokens for a refresh token; also while the integration takes no agents. One that comes back long
   * after it was used ends its whole family: somebody else has it.
   */
  refresh({
    refresh,
    client,
    door,
  }: {
    readonly refresh: string
    readonly client: string
    /** The one that the client names, or none. */
    readonly door?: string | undefined
  }): Result<HostedPair, TokenRefusal> {
    const found = this.#find(refresh, client)
    if (found?.token.kind !== 'refresh') return INVALID_GRANT
    const { token, credential } = found
    if (this.#parts.tokens.isReused(token)) {
      this.#endReused(credential, 'refresh_reused')
      return INVALID_GRANT
    }
    // Before anything is used up: what is refused leaves the client with what it had.
    if (door !== undefined && door !== credential.hosted?.door) return fail({ kind: 'invalid_target' })
    const wait = this.#refreshes.take(credential.link)
    if (wait > 0) return fail({ kind: 'slow_down', retryAfter: wait })
    const pair = this.#parts.work.change(() => this.#parts.tokens.rotate(token, credential))
    this.#parts.lastUsed.used(credential.link, 'cloud')
    return ok(pair)
  }

  /**
   * The client wants a token no more (RFC 7009): an access token ends alone, a refresh token with all of its family.
   * Whatever else is shown is nobody's, and nothing is told of it.
   */
  revoke({ token: text, client }: { readonly token: string; readonly client: string }): void {
    const found = this.#find(text, client)
    if (found === null) return
    const { token, credential } = found
    if (token.kind === 'refresh') this.#parts.credentials.revoke(credential, this.#causeOf(credential))
    else this.#parts.work.change(() => this.#parts.tokens.remove(token))
  }

  /** Answers whoever waits. */
  stop(): void {
    for (const answer of this.#waiting) answer()
  }

  #statusOf(id: string): HostedStatus {
    const found = this.#parts.pairing.find(id)
    if (!found || found.request.hosted === null) return 'expired'
    return found.status === 'collected' ? 'accepted' : found.status
  }

  /** A token that its own client shows, with the credential that it belongs to; null when there is no such thing. */
  #find(text: string, client: string): { readonly token: HostedToken; readonly credential: Credential } | null {
    const token = this.#parts.tokens.find(text)
    const credential = token && this.#parts.credentials.get(token.link)
    if (!credential || credential.revokedAt !== null || credential.hosted?.client !== client) return null
    return { token, credential }
  }

  /** Codes are good for a minute at the relay, so that only the latest can be shown again. */
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
  refresh_reused: 'a refresh token of it came back after it was used',
  code_reused: 'its authorization code came back after it was used',
} as const
