import { type Adapter, Provider } from 'oidc-provider'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { gatewayAway, guarded } from './refusals.ts'
import { gatewayOfToken } from './gateway-of-token.ts'
import { Payload, type RegisteredClients } from './registered-clients.ts'

/** What belongs to one authorization, and ends with it. */
const OF_A_FLOW: readonly string[] = ['Interaction', 'Grant', 'AuthorizationCode']
const TOKENS: readonly string[] = ['AccessToken', 'RefreshToken']

const nothing = async (): Promise<undefined> => undefined
const NO_OPERATIONS: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
}

/** Interactions, grants and codes: all by the hashes of their ids, which are codes or cookies, gone after 15 min. */
function flowEntries(store: Store, kind: string): Adapter {
  const table = new Table(store, 'flows', Payload)
  const key = (id: string): string => hashedId(`${kind} ${id}`)
  return {
    ...NO_OPERATIONS,
    upsert: async (id, { jti: _jti, ...payload }) => {
      const { returnTo } = payload
      // The id, which is a cookie's value, is the end of that address too.
      const kept = returnTo?.endsWith(`/${id}`) ? { ...payload, returnTo: returnTo.slice(0, -id.length) } : payload
      await guarded(table.put(key(id), kept))
    },
    find: async (id) => {
      const payload = await guarded(table.get(key(id)))
      if (payload === null) return undefined
      const { returnTo } = payload
      const isCut = typeof returnTo === 'string' && returnTo.endsWith('/')
      return { ...payload, ...(isCut ? { returnTo: `${returnTo}${id}` } : {}), jti: id }
    },
    destroy: async (id) => void (await guarded(table.delete(key(id)))),
  }
}

/**
 * Tokens are the gateway's: the relay keeps none and finds none. One that has a token's form is taken for the calling
 * client's, so that the engine lets it be revoked; whether it is one, and whose, the gateway knows.
 */
function tokensOfGateways(homes: Homes, kind: string): Adapter {
  return {
    ...NO_OPERATIONS,
    upsert: () => Promise.reject(new Error('The relay mints no token.')),
    find: async (id) => {
      const client = Provider.ctx?.oidc.client
      if (gatewayOfToken(id)?.kind !== kind || client === undefined) return undefined
      return { jti: id, kind, clientId: client.clientId }
    },
    destroy: async (id) => {
      const named = gatewayOfToken(id)
      const client = Provider.ctx?.oidc.client
      if (named === null || client === undefined) return
      const revoked = await homes.revoke(named.gateway, { token: id, client: client.clientId })
      if (!revoked.ok) throw gatewayAway(revoked.error)
    },
  }
}

/** The adapter of each model of the engine, by the model's name. */
export function adaptersOver(store: Store, homes: Homes, clients: RegisteredClients): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client')
      return { ...NO_OPERATIONS, upsert: (id, client) => clients.upsert(id, client), find: (id) => clients.find(id) }
    if (OF_A_FLOW.includes(model)) return flowEntries(store, model)
    if (TOKENS.includes(model)) return tokensOfGateways(homes, model)
    // Sessions of the engine are never kept: who is signed in says the relay's own cookie (docs/decisions/sign-in.md).
    return NO_OPERATIONS
  }
}
