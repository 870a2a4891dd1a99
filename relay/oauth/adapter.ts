import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider'
import { z } from 'zod'
import type { Clock } from '../../src/lib/clock.ts'
import type { Homes } from '../homes.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { unavailable } from './answers.ts'
import { gatewayOfToken } from './gateway-of-token.ts'

const Payload = z.record(z.string(), z.unknown())
type Payload = z.infer<typeof Payload>

/** What belongs to one authorization, and ends with it. */
const OF_A_FLOW: readonly string[] = ['Interaction', 'Grant', 'AuthorizationCode']
const TOKENS: readonly string[] = ['AccessToken', 'RefreshToken']

/** Every operation that an adapter may leave out: it does nothing. */
class Nothing implements Adapter {
  async upsert(_id: string, _payload: AdapterPayload, _expiresIn?: number): Promise<void> {}
  async find(_id: string): Promise<AdapterPayload | undefined> {
    return undefined
  }
  async findByUid(_uid: string): Promise<undefined> {}
  async findByUserCode(_code: string): Promise<undefined> {}
  async consume(_id: string): Promise<void> {}
  async destroy(_id: string): Promise<void> {}
  async revokeByGrantId(_grantId: string): Promise<void> {}
}

/** Interactions, grants and codes: all by the hashes of their ids, which are codes or cookies, gone after 15 min. */
class FlowEntries extends Nothing {
  readonly #table: Table<Payload>
  readonly #kind: string

  constructor(store: Store, kind: string) {
    super()
    this.#table = new Table(store, 'flows', Payload)
    this.#kind = kind
  }

  override async upsert(id: string, { jti: _jti, ...payload }: AdapterPayload): Promise<void> {
    const { returnTo } = payload
    // The id, which is a cookie's value, is the end of that address too.
    const kept = returnTo?.endsWith(`/${id}`) ? { ...payload, returnTo: returnTo.slice(0, -id.length) } : payload
    await guarded(this.#table.put(this.#key(id), kept))
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const payload = await guarded(this.#table.get(this.#key(id)))
    if (payload === null) return undefined
    const { returnTo } = payload
    const isCut = typeof returnTo === 'string' && returnTo.endsWith('/')
    return { ...payload, ...(isCut ? { returnTo: `${returnTo}${id}` } : {}), jti: id }
  }

  override async destroy(id: string): Promise<void> {
    await guarded(this.#table.delete(this.#key(id)))
  }

  #key(id: string): string {
    return hashedId(`${this.#kind} ${id}`)
  }
}

/** A client that is used is written anew this often. */
const KEPT_EACH_MS = 86_400_000

const Kept = z.object({ client: Payload, at: z.int() })
type Kept = z.infer<typeof Kept>

/** Clients that registered. One that nobody approves within a day is gone; each day of use keeps it for 90 more. */
class Clients extends Nothing {
  readonly #clock: Clock
  readonly #registered: Table<Payload>
  readonly #approved: Table<Kept>

  constructor(store: Store, clock: Clock) {
    super()
    this.#clock = clock
    this.#registered = new Table(store, 'registrations', Payload)
    this.#approved = new Table(store, 'clients', Kept)
  }

  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    await guarded(this.#registered.put(clientKey(id), { ...payload }))
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const approved = await guarded(this.#approved.get(clientKey(id)))
    return approved?.client ?? (await guarded(this.#registered.get(clientKey(id)))) ?? undefined
  }

  async keep(id: string): Promise<void> {
    const key = clientKey(id)
    const approved = await this.#approved.get(key)
    const now = this.#clock.now()
    if (approved !== null && now - approved.at < KEPT_EACH_MS) return
    const client = approved?.client ?? (await this.#registered.get(key))
    if (client !== null) await this.#approved.put(key, { client, at: now })
  }
}

const clientKey = (id: string): string => hashedId(`client ${id}`)

/**
 * Tokens are the gateway's: the relay keeps none and finds none. One that has a token's form is taken for the calling
 * client's, so that the engine lets it be revoked; whether it is one, and whose, the gateway knows.
 */
class TokensOfGateways extends Nothing {
  readonly #homes: Homes
  readonly #kind: 'AccessToken' | 'RefreshToken'

  constructor(homes: Homes, kind: 'AccessToken' | 'RefreshToken') {
    super()
    this.#homes = homes
    this.#kind = kind
  }

  override async upsert(): Promise<void> {
    throw new Error('The relay mints no token.')
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const named = gatewayOfToken(id)
    const client = Provider.ctx?.oidc.client
    if (named?.kind !== this.#kind || client === undefined) return undefined
    return { jti: id, kind: this.#kind, clientId: client.clientId }
  }

  override async destroy(id: string): Promise<void> {
    const named = gatewayOfToken(id)
    const client = Provider.ctx?.oidc.client
    if (named === null || client === undefined) return
    const revoked = await this.#homes.revoke(named.gateway, { token: id, client: client.clientId })
    if (!revoked.ok) throw unavailable(revoked.error)
  }
}

export interface Adapters {
  /** For the engine, by the name of its model. */
  readonly of: (model: string) => Adapter
  /** A client was approved for a home. */
  readonly keepClient: (id: string) => Promise<void>
}

export function adaptersOver(store: Store, homes: Homes, clock: Clock): Adapters {
  const clients = new Clients(store, clock)
  const of = (model: string): Adapter => {
    if (model === 'Client') return clients
    if (OF_A_FLOW.includes(model)) return new FlowEntries(store, model)
    if (TOKENS.includes(model)) return new TokensOfGateways(homes, model === 'AccessToken' ? model : 'RefreshToken')
    // Sessions of the engine are never kept: who is signed in says the relay's own cookie (docs/decisions/sign-in.md).
    return new Nothing()
  }
  return { of, keepClient: (id) => clients.keep(id) }
}

/** A store that is away is `temporarily_unavailable`, in OAuth's form. */
async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw unavailable(error)
  }
}
