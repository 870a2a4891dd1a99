import type { Credentials } from '../auth/credentials/credentials.ts'
import type { SqliteHouse } from '../db/core/house-store.ts'
import type { CoreDb } from '../db/core/core-db.ts'
import type { SqliteRules } from '../db/core/rule-store.ts'
import type { IntegrationAdmin } from '../exposure/integration-admin.ts'
import { GATEWAY_CAUSE } from '../home/model/events.ts'
import { type Random, randomId } from '../lib/random.ts'
import type { NewHome } from './options.ts'

/** A gateway's id: 12 lower-case letters and digits (Spec 4, pair: the 12-character id). */
export const SERIAL_LENGTH = 12

export interface FirstKey {
  readonly integration: string
  readonly token: string
}

/** Creates the home of a new data folder: its serial and, for the simulated house, its content. */
export function createHome(
  { core, house, rules }: { readonly core: CoreDb; readonly house: SqliteHouse; readonly rules: SqliteRules },
  random: Random,
  newHome: Pick<NewHome, 'house' | 'rules'>,
  at: number,
): string {
  const serial = randomId(random, SERIAL_LENGTH)
  const content = newHome.house()
  const { automations, schedules } = newHome.rules()
  core.change((record) => {
    house.found(serial, content.info)
    house.replace(content)
    for (const rule of automations) rules.insert('automation', { ...rule, author: null, paused: false, changedAt: at })
    for (const rule of schedules) rules.insert('schedule', { ...rule, author: null, changedAt: at })
    record({ at, kind: 'edited', subject: { kind: 'home' }, what: 'home founded', cause: GATEWAY_CAUSE })
  })
  return serial
}

/**
 * Creates the first integration and its key, so that a client can start at once. It may do everything except open locks
 * and gates; its token is only printed.
 */
export function firstKey(
  { integration: name }: NewHome,
  store: SqliteHouse,
  { integrations, credentials }: { readonly integrations: IntegrationAdmin; readonly credentials: Credentials },
): FirstKey | null {
  if (name === null || !store.welcome()) return null
  // If the first start had no terminal, an administrator may have created others since.
  if (integrations.list().length > 0) return null
  const made = integrations.create(
    {
      name,
      exposure: { expose: 'All' },
      knobs: { advanced_config: 'read_write', structural: 'on', automations: 'on', schedules: 'on' },
    },
    GATEWAY_CAUSE,
  )
  if (!made.ok) throw new Error(made.error)
  const integration = made.value
  const { token } = credentials.create(
    { integration: integration.id, kind: 'key', name: '', platform: '' },
    GATEWAY_CAUSE,
  )
  return { integration: integration.name, token }
}
