import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type {
  NewAgentRequest,
  AgentRequestStatus,
  HomeFailure,
  HomeRefusal,
  RevocationRequest,
  TokenRequest,
} from '../../../relay/model/homes.ts'
import type { Homes } from '../../../relay/tunnels/tunnel-homes.ts'

interface FakeRequest {
  readonly gateway: string
  readonly ask: NewAgentRequest
  readonly code: string
  status: AgentRequestStatus
  redeemed: boolean
}

interface FakeToken {
  readonly client: string
  readonly door: string
}

const secret = (): string => randomBytes(32).toString('base64url')

/** Fake gateways for the relay's sign-in: record its requests and mint tokens. */
export class FakeHomes implements Homes {
  /** Name of the house by serial. */
  readonly houses = new Map<string, string>()
  readonly requests = new Map<string, FakeRequest>()
  readonly tokensAsked: TokenRequest[] = []
  readonly revoked: RevocationRequest[] = []
  /** Integrations by the serial of their home; others are `not_found`. */
  readonly records = new Map<string, string>()
  /** Serials of gateways that accept every integration, and whose tokens name another home or audience. */
  readonly hostile = new Map<string, { readonly tokensOf?: string; readonly door?: string }>()
  /** Response to use instead, by serial. */
  readonly failing = new Map<string, HomeFailure>()
  refusing: HomeRefusal | null = null
  slow: number | null = null
  /** Refresh tokens with their access tokens. */
  minted = 0
  readonly #changes = new EventEmitter().setMaxListeners(0)
  readonly #refresh = new Map<string, FakeToken>()

  async isConnected(gateway: string) {
    return this.houses.has(gateway) && this.failing.get(gateway)?.kind !== 'gateway_offline'
  }

  async label(gateway: string) {
    const failure = this.failing.get(gateway)
    return failure
      ? ({ ok: false, error: failure } as const)
      : ({ ok: true, value: this.houses.get(gateway)! } as const)
  }

  async requestAccess(gateway: string, ask: NewAgentRequest) {
    const failure = this.failing.get(gateway) ?? this.refusing
    if (failure) return { ok: false, error: failure } as const
    if (ask.record !== null && this.records.get(ask.record) !== gateway && !this.hostile.has(gateway)) {
      const error = {
        kind: 'refused',
        status: 404,
        code: 'not_found',
        message: 'There is no such thing here.',
      } as const
      return { ok: false, error } as const
    }
    const request = randomUUID()
    const number = String(this.requests.size + 1).padStart(4, '2')
    const code = `WX${number.slice(0, 2)}-${number}`
    this.requests.set(request, { gateway, ask, code, status: 'pending', redeemed: false })
    this.#changes.emit('asked')
    return { ok: true, value: { request, code, expiresAt: Date.now() + 600_000 } } as const
  }

  async agentRequest(gateway: string, request: string, signal: AbortSignal) {
    const failure = this.failing.get(gateway)
    if (failure) return { ok: false, error: failure } as const
    const found = this.requests.get(request)!
    if (found.status === 'pending') await once(this.#changes, request, { signal }).catch(() => {})
    return { ok: true, value: found.status } as const
  }

  async tokens(gateway: string, ask: TokenRequest) {
    this.tokensAsked.push(ask)
    await new Promise(setImmediate)
    const failure = this.failing.get(gateway)
    if (failure) return { ok: false, error: failure } as const
    if (this.slow !== null) return { ok: false, error: { kind: 'slow_down', retryAfter: this.slow } } as const
    const other = 'refresh' in ask && ask.door !== undefined && ask.door !== this.#refresh.get(ask.refresh)?.door
    if (other) return { ok: false, error: { kind: 'invalid_target' } } as const
    const granted = 'refresh' in ask ? this.#refreshed(ask) : this.#redeemed(ask)
    if (granted === null) return { ok: false, error: { kind: 'invalid_grant' } } as const
    this.minted += 1
    const { tokensOf = gateway, door = granted.door } = this.hostile.get(gateway) ?? {}
    const form = `_${tokensOf}.${randomUUID()}.aaaaaaaaaa.${secret()}`
    const refresh = `hm_refresh${form}`
    this.#refresh.set(refresh, granted)
    return { ok: true, value: { access: `hm_agent${form}`, refresh, expiresIn: 3_600, door } } as const
  }

  async revoke(gateway: string, ask: RevocationRequest) {
    const failure = this.failing.get(gateway)
    if (failure) return { ok: false, error: failure } as const
    this.revoked.push(ask)
    if ('token' in ask) this.#refresh.delete(ask.token)
    else this.#refresh.clear()
    return { ok: true, value: undefined } as const
  }

  /** Resolves with the latest request, once there is one. */
  async latestRequest(): Promise<FakeRequest> {
    if (this.requests.size === 0) await once(this.#changes, 'asked')
    return [...this.requests.values()].at(-1)!
  }

  /** Decides on all pending requests as an administrator. */
  decide(status: Exclude<AgentRequestStatus, 'pending'>): void {
    for (const [id, request] of this.requests) {
      if (request.status !== 'pending') continue
      request.status = status
      this.#changes.emit(id)
    }
  }

  #redeemed({ request, verifier, client }: Extract<TokenRequest, { request: string }>): FakeToken | null {
    const found = this.requests.get(request)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (!found || found.redeemed || found.status !== 'accepted') return null
    if (found.ask.challenge !== challenge || found.ask.client !== client) return null
    found.redeemed = true
    return { client, door: found.ask.door }
  }

  #refreshed({ refresh, client }: Extract<TokenRequest, { refresh: string }>): FakeToken | null {
    const found = this.#refresh.get(refresh)
    return found?.client === client ? found : null
  }
}
