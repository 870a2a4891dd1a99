import type { AccessEvent } from '../auth/access-event.ts'
import { Authenticator } from '../auth/authenticator.ts'
import { Confirmations } from '../auth/confirmations.ts'
import { Credentials } from '../auth/credentials.ts'
import { FailureLog } from '../auth/failed-authentications.ts'
import { IdempotencyKeys } from '../auth/idempotency-keys.ts'
import { LastUsed } from '../auth/last-used.ts'
import { openingPolicy } from '../auth/opening-policy.ts'
import { Pairing } from '../auth/pairing.ts'
import { SteadyTime } from '../auth/steady-time.ts'
import type { AccessChange } from '../exposure/access-change.ts'
import { IntegrationAdmin } from '../exposure/integration-admin.ts'
import type { OpeningPolicy } from '../home/ports/opening-policy.ts'
import { Emitter } from '../lib/emitter.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'

export interface AccessParts extends Disposable {
  readonly authenticator: Authenticator
  readonly failures: FailureLog
  readonly integrations: IntegrationAdmin
  readonly credentials: Credentials
  readonly lastUsed: LastUsed
  readonly pairing: Pairing
  readonly confirmations: Confirmations
  readonly idempotencyKeys: IdempotencyKeys
  readonly opening: OpeningPolicy
  /** Agents' requests and confirmations as they come and end, for administrators. */
  readonly events: Emitter<AccessEvent>
  /**
   * Every change of an integration or credential. The parts that change one emit it; those that keep something by one
   * listen.
   */
  readonly changes: Emitter<AccessChange>
}

/** Integrations, credentials, and how agents get theirs. */
export function openAccess({ clock, random, log }: GatewayOptions, stores: Stores): AccessParts {
  const { core: work, serial: gateway, integrations: stored } = stores
  using opened = new DisposableStack()
  const events = new Emitter<AccessEvent>((error) =>
    log.error({ err: error }, 'A listener of the access events failed.'),
  )
  const changes = new Emitter<AccessChange>((error) =>
    log.error({ err: error }, 'A listener of changes of access failed.'),
  )
  const steady = new SteadyTime({ clock, store: stores.steady })
  const lastUsed = opened.adopt(new LastUsed({ clock, steady, work, writer: stores.credentials }), stop)
  lastUsed.keepTime()
  const credentials = new Credentials({ gateway, store: stores.credentials, work, steady, clock, random, changes })
  const asking = { credentials, work, steady, clock, random, events }
  const confirmations = opened.adopt(new Confirmations({ ...asking, store: stores.confirmations }), stop)
  const pairing = opened.adopt(
    new Pairing({ ...asking, requests: stores.agentRequests, lastUsed, integrations: stored, changes }),
    stop,
  )
  const failures = opened.adopt(new FailureLog({ clock, activity: stores.history.activity }), stop)
  opened.defer(keepRevocations(changes, stores))
  const running = opened.move()
  return {
    failures,
    lastUsed,
    credentials,
    pairing,
    confirmations,
    idempotencyKeys: new IdempotencyKeys({ store: stores.keyedWrites, work, steady }),
    events,
    changes,
    authenticator: new Authenticator({ gateway, integrations: stored, credentials: stores.credentials, lastUsed }),
    opening: openingPolicy({ integrations: stored, credentials: stores.credentials, lastUsed }),
    integrations: new IntegrationAdmin({ store: stored, work, clock, random, changes }),
    [Symbol.dispose]: () => running.dispose(),
  }
}

/** Remembers beside the configuration which credentials have ended, before whoever ended one is answered. */
function keepRevocations(changes: Emitter<AccessChange>, { credentials, revocations }: Stores): () => void {
  let known: readonly string[] = []
  const remember = (): void => {
    const all = credentials.list()
    const active = new Set(all.filter(({ revokedAt }) => revokedAt === null).map(({ link }) => link))
    const seen = new Set([...known, ...all.map(({ link }) => link)])
    revocations.add([...seen].filter((link) => !active.has(link)))
    known = [...active]
  }
  remember()
  return changes.on(remember)
}

function stop(part: { stop(): void }): void {
  part.stop()
}
