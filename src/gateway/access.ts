import type { AccessEvent } from '../auth/access-event.ts'
import { Authenticator } from '../auth/authenticator.ts'
import { Confirmations } from '../auth/confirmations.ts'
import { Credentials } from '../auth/credentials.ts'
import { LastUsed } from '../auth/last-used.ts'
import { Pairing } from '../auth/pairing.ts'
import { SteadyTime } from '../auth/steady-time.ts'
import type { Stores } from './stores.ts'
import { IntegrationAdmin } from '../exposure/integration-admin.ts'
import type { GatewayOptions } from './options.ts'
import { Emitter } from '../lib/emitter.ts'

export interface AccessParts {
  readonly authenticator: Authenticator
  readonly integrations: IntegrationAdmin
  readonly credentials: Credentials
  readonly lastUsed: LastUsed
  readonly steady: SteadyTime
  readonly pairing: Pairing
  readonly confirmations: Confirmations
  /** What administrators are told as it happens. */
  readonly accessNews: Emitter<AccessEvent>
  /** To be told of every change of an integration or credential that another part made. */
  readonly changed: (integration: string) => void
  readonly stop: () => void
}

/** Who may call, and how that comes about. `accessChanged` hears of every change of an integration or credential. */
export function composeAccess(
  { clock, random, log }: GatewayOptions,
  stores: Stores,
  accessChanged: (integration: string) => void,
): AccessParts {
  const { core: work, serial: gateway, integrations: stored } = stores
  const steady = new SteadyTime({ clock, store: stores.steady })
  const lastUsed = new LastUsed({ clock, steady, work, writer: stores.credentials })
  const changed = (integration: string): void => {
    accessChanged(integration)
    pairing.recheck()
  }
  const accessNews = new Emitter<AccessEvent>((error) =>
    log.error({ err: error }, 'A listener of the access news failed.'),
  )
  const credentials = new Credentials({ gateway, store: stores.credentials, work, steady, clock, random, changed })
  const pairing = new Pairing({
    requests: stores.agentRequests,
    credentials,
    lastUsed,
    integrations: stored,
    work,
    steady,
    clock,
    random,
    events: accessNews,
    changed,
  })
  const confirmations = new Confirmations({
    store: stores.confirmations,
    credentials,
    work,
    steady,
    clock,
    random,
    events: accessNews,
  })
  return {
    lastUsed,
    steady,
    credentials,
    pairing,
    confirmations,
    accessNews,
    changed,
    authenticator: new Authenticator({ gateway, integrations: stored, credentials: stores.credentials, lastUsed }),
    integrations: new IntegrationAdmin({ store: stored, work, clock, random, changed }),
    stop: () => {
      pairing.stop()
      confirmations.stop()
      lastUsed.stop()
    },
  }
}
