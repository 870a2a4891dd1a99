import type { IntegrationAdmin } from '../exposure/integration-admin.ts'
import { visibleIn } from '../exposure/visible.ts'
import type { House } from '../home/house/house.ts'
import { type RuleKind, referencesOf, type Referring } from '../home/model/rules.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Rules } from '../home/rules/rules.ts'
import type { Clock } from '../lib/clock.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminHandlersOf } from './dispatch.ts'

export interface DeviceAdminParts {
  readonly house: House
  readonly live: Pick<LiveHome, 'states'>
  readonly clock: Clock
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'nextOf'>
  readonly integrations: Pick<IntegrationAdmin, 'list'>
}

type Named = Referring & { readonly id: string; readonly name: string }

/** What uses a device, and who sees it. */
export function deviceAdminHandlers({
  house,
  live,
  clock,
  rules,
  integrations,
}: DeviceAdminParts): AdminHandlersOf<Pick<AdminContract, 'devices.show' | 'devices.states'>> {
  return {
    'devices.states': () => ({
      at: clock.now(),
      states: [...house.devices.keys()].flatMap((device) => {
        const state = live.states.get(device)
        return state === undefined ? [] : [{ device, since: state.since, exact: state.isBeginning }]
      }),
    }),
    'devices.show': ({ params, refuse }) => {
      const device = house.devices.get(params.id)
      if (!device)
        return refuse('not_found', {
          message: `The house has no device ${params.id}; \`bin/hm house show\` lists them. A gang is UNIT:N.`,
        })
      const users = <K extends RuleKind | 'scene'>(kind: K, all: Iterable<Named>) =>
        [...all]
          .filter((each) => referencesOf(each).devices.has(device.key))
          .map(({ id, name }) => ({ kind, id, name, next: kind === 'scene' ? null : rules.nextOf(kind, id) }))
      return {
        device: device.key,
        name: device.name,
        usedBy: [
          ...users('scene', house.scenes.values()),
          ...users('automation', rules.automations.list()),
          ...users('schedule', rules.schedules.list()),
        ],
        seenBy: integrations
          .list()
          .filter(({ exposure }) => visibleIn(house, exposure).devices.has(device.key))
          .map(({ id, name, enabled }) => ({ id, name, enabled })),
      }
    },
  }
}
