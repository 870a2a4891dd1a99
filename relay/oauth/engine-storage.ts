import { type Adapter, Provider } from 'oidc-provider'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { gatewayUnavailable, guarded } from './refusals.ts'
import { gatewayOfToken } from './gateway-of-token.ts'
import { Payload, type RegisteredClients } from './registered-clients.ts'

/** Models that belong to one authorization. */
const FLOW_MODELS: readonly string[] = ['Interaction', 'Grant', 'AuthorizationCode']
const TOKEN_MODELS: readonly string[] = ['AccessToken', 'RefreshToken']

const noop = async (): Promise<undefined> => undefined
const NO_OPERATIONS: Adapter = {
  upsert: noop,
  find: noop,
  findByUid: noop,
  findByUserCode: noop,
  consume: noop,
  destroy: noop,
  revokeByGrantId: noop,
}

/** Storage of interactions, grants and codes for 15 minutes. Keys are hashes, because the ids are codes or cookies. */
function flowEntries(store: Store, kind: string): Adapter {
  const table = new Table(store, 'flows', Payload)
  const key = (id: string): string => hashedId(`${kind} ${id}`)
  return {
    ...NO_OPERATIONS,
    upsert: async (id, { jti: _jti, ...payload }) => {
      const { returnTo } = payload
      // The address ends with the id, which is a cookie's value and must not be stored.
      const stored = returnTo?.endsWith(`/${id}`) ? { ...payload, returnTo: returnTo.slice(0, -id.length) } : payload
      await guarded(table.put(key(id), stored))
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
 * Stands for the tokens, which only gateways know. Any text in the form of a token counts as the calling client's, so
 * that the engine lets the client revoke it. The gateway checks whether the token is valid and whose it is.
 */
function gatewayTokens(homes: Homes, kind: string): Adapter {
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
      if (!revoked.ok) throw gatewayUnavailable(revoked.error)
    },
  }
}

/** Returns the adapter of each model of the engine. */
export function adaptersOver(store: Store, homes: Homes, clients: RegisteredClients): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client')
      return { ...NO_OPERATIONS, upsert: (id, client) => clients.upsert(id, client), find: (id) => clients.find(id) }
    if (FLOW_MODELS.includes(model)) return flowEntries(store, model)
    if (TOKEN_MODELS.includes(model)) return gatewayTokens(homes, model)
    // The engine's sessions are not stored, because the relay has its own session cookie (docs/decisions/sign-in.md).
    return NO_OPERATIONS
  }
}
