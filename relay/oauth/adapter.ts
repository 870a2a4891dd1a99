import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider'
import type { Homes } from '../model/homes.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { guarded, unavailable } from './answers.ts'
import { gatewayOfToken } from './gateway-of-token.ts'
import { NoOperations, Payload } from './no-operations.ts'
import type { RegisteredClients } from './registered-clients.ts'

/** What belongs to one authorization, and ends with it. */
const OF_A_FLOW: readonly string[] = ['Interaction', 'Grant', 'AuthorizationCode']
const TOKENS: readonly string[] = ['AccessToken', 'RefreshToken']

/** Interactions, grants and codes: all by the hashes of their ids, which are codes or cookies, gone after 15 min. */
class FlowEntries extends NoOperations {
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

/**
 * Tokens are the gateway's: the relay keeps none and finds none. One that has a token's form is taken for the calling
 * client's, so that the engine lets it be revoked; whether it is one, and whose, the gateway knows.
 */
class TokensOfGateways extends NoOperations {
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

/** The adapter of each model of the engine, by the model's name. */
export function adaptersOver(store: Store, homes: Homes, clients: RegisteredClients): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client') return clients
    if (OF_A_FLOW.includes(model)) return new FlowEntries(store, model)
    if (TOKENS.includes(model)) return new TokensOfGateways(homes, model === 'AccessToken' ? model : 'RefreshToken')
    // Sessions of the engine are never kept: who is signed in says the relay's own cookie (docs/decisions/sign-in.md).
    return new NoOperations()
  }
}
