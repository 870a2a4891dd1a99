import type { House } from '../home/house/house.ts'
import type { UnitSettings } from '../home/settings/unit-settings.ts'
import { contextOf, intentById, type IntentItem, listNote, readIntents, valueWords } from '../intents/index.ts'
import type { UnknownSettings } from '../intents/unknown-settings.ts'
import { ownScheduleWords } from '../home/words/units.ts'
import { NO_INTENTS } from '../api/handlers/intents.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminHandlersOf } from './dispatch.ts'

export interface IntentAdminParts {
  readonly house: House
  readonly settings: Pick<UnitSettings, 'get' | 'schedulesOf'>
  readonly unknown: UnknownSettings
}

/** A device's settings and own schedules as last confirmed, by its local id; sends no frame. */
export function intentAdminHandlers({
  house,
  settings,
  unknown,
}: IntentAdminParts): AdminHandlersOf<Pick<AdminContract, 'intents.show'>> {
  return {
    'intents.show': ({ params, refuse }) => {
      const device = house.devices.get(params.id)
      if (!device)
        return refuse('not_found', {
          message: `The house has no device ${params.id}; \`bin/hm house show\` lists them. A gang is UNIT:N.`,
        })
      const context = contextOf(device.unit.model, device.gang?.class ?? null)
      const readings = context ? readIntents(context, settings.get(device.key)) : []
      for (const reading of readings) unknown.note(device.key, reading.unknown)
      const own = settings.schedulesOf(device.key)
      return {
        device: device.key,
        name: device.name,
        model: device.unit.model,
        intents: readings.map(({ item }) => ({ ...item, words: wordsOf(item) })),
        schedules: (own?.schedules ?? []).map((each) => ({ ...each, words: ownScheduleWords(each) })),
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
