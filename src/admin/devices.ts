import type { IntegrationAdmin } from '../exposure/integration-admin.ts'
import { visibleIn } from '../exposure/visible.ts'
import type { Device, House } from '../home/house/house.ts'
import { type RuleKind } from '../home/model/rules.ts'
import { referencesOf, type Referring } from '../home/model/rule-parts.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Rules } from '../home/rules/rules.ts'
import type { Clock } from '../lib/clock.ts'
import type { Refuse } from '../api/errors.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminHandlersOf } from './dispatch.ts'
import type { UnitSettings } from '../home/settings/unit-settings.ts'
import { contextOf, intentById, type IntentItem, listNote, readIntents, valueWords } from '../intents/index.ts'
import type { UnknownSettings } from '../intents/unknown-settings.ts'
import { ownScheduleWords } from '../home/words/units.ts'
import { NO_INTENTS } from '../api/handlers/intents.ts'

export interface DeviceAdminParts {
  readonly house: House
  readonly live: Pick<LiveHome, 'states'>
  readonly clock: Clock
  readonly rules: Pick<Rules, 'automations' | 'schedules' | 'timed' | 'switches'>
  readonly integrations: Pick<IntegrationAdmin, 'list'>
}

type Named = Referring & { readonly id: string; readonly name: string; readonly enabled?: boolean }

/** Handlers for the uses and viewers of a device. */
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
      const device = deviceBy(params.id, house, refuse)
      const users = <K extends RuleKind | 'scene'>(kind: K, all: Iterable<Named>) =>
        [...all]
          .filter((rule) => referencesOf(rule).devices.has(device.key))
          .map(({ id, name, enabled = true }) => ({
            ...{ kind, id, name, enabled },
            ...(kind === 'scene'
              ? { next: null, until: null }
              : { next: rules.timed.nextOf(kind, id), until: rules.switches.untilOf({ kind, id }) }),
          }))
      return {
        device: device.key,
        name: device.name,
        usedBy: [
          ...users('scene', house.scenes.values()),
          ...users('automation', rules.automations.list()),
          ...users('schedule', rules.schedules.list()),
          ...[...house.groups.values()]
            .filter(({ members }) => members.includes(device.key))
            .map(({ id, name }) => ({ kind: 'group' as const, id, name, next: null, enabled: true, until: null })),
        ],
        seenBy: integrations
          .list()
          .filter(({ exposure }) => visibleIn(house, exposure).devices.has(device.key))
          .map(({ id, name, enabled }) => ({ id, name, enabled })),
      }
    },
  }
}

function deviceBy(id: string, { devices }: Pick<House, 'devices'>, refuse: Refuse<'not_found'>): Device {
  const message = `The house has no device ${id}; \`bin/hm house show\` lists them. A gang has the id UNIT:N.`
  return devices.get(id) ?? refuse('not_found', { message })
}

export interface IntentAdminParts {
  readonly house: House
  readonly settings: Pick<UnitSettings, 'get' | 'schedulesOf'>
  readonly unknown: UnknownSettings
}

/** Handler for a device's last confirmed settings and own schedules, by its local id; sends no frame. */
export function intentAdminHandlers({
  house,
  settings,
  unknown,
}: IntentAdminParts): AdminHandlersOf<Pick<AdminContract, 'intents.show'>> {
  return {
    'intents.show': ({ params, refuse }) => {
      const device = deviceBy(params.id, house, refuse)
      const context = contextOf(device.unit.model, device.gang?.class ?? null)
      const readings = context ? readIntents(context, settings.get(device.key)) : []
      for (const reading of readings) unknown.note(device.key, reading.unknown)
      const own = settings.schedulesOf(device.key)
      return {
        device: device.key,
        name: device.name,
        model: device.unit.model,
        intents: readings.map(({ item }) => ({ ...item, words: wordsOf(item) })),
        schedules: (own?.schedules ?? []).map((schedule) => ({ ...schedule, words: ownScheduleWords(schedule) })),
        schedulesAsOf: own?.asOf ?? null,
        note: context ? listNote(context) : NO_INTENTS,
      }
    },
  }
}

function wordsOf({ intent: id, value, asOf }: IntentItem): string | null {
  const intent = intentById(id)
  return intent === null || asOf === null ? null : valueWords(intent, value)
}
