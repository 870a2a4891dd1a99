import type { ExposedDevice } from '../../exposure/exposed-house.ts'
import type { UnitSettings } from '../../home/settings/unit-settings.ts'
import {
  contextOf,
  encodeIntent,
  type Intent,
  INTENT_DEFINITIONS,
  type IntentContext,
  type IntentItem,
  intentOf,
  listNote,
  readIntent,
  readIntents,
  settingChangeWords,
} from '../../intents/index.ts'
import type { UnknownSettings } from '../../intents/unknown-settings.ts'
import { Gzipped } from '../../lib/gzipped.ts'
import type { Json } from '../../intents/coding/coding.ts'
import type { intents } from '../contract/intents.ts'
import { tagOf } from '../answers.ts'
import { type Refuse, refuseFailure } from '../errors.ts'
import type { HandlersOf, Prebuilt } from '../handler.ts'
import { CachedIntents } from '../cached-devices.ts'

export interface IntentParts {
  readonly settings: UnitSettings
  readonly unknown: UnknownSettings
}

const NO_SUCH_INTENT = {
  http: 'This device has no such intent; GET its intents for the list.',
  tool: 'This device has no such setting. The tool intents with device lists its settings.',
}

export const NO_INTENTS = 'No settings of this device are offered as intents.'

export function intentHandlers(parts: IntentParts): HandlersOf<typeof intents> {
  // A module exposed only for some gangs has its own settings, but not for this integration.
  const contextFor = (device: ExposedDevice): IntentContext | null => {
    if (device.onlyGangs) return null
    return contextOf(device.model, device.type === 'gang' ? device.class : null)
  }
  const cache = new CachedIntents()
  const definitions = new Definitions()
  return {
    'intents.definitions': ({ view }) => definitions.of(view.name),

    'intents.list': ({ subject, identity, view }) => {
      const context = contextFor(subject)
      const access =
        identity.integration.knobs.advanced_config === 'read_write' ? ('read_write' as const) : ('read' as const)
      const head = { device: subject.id, model: subject.model, access }
      if (!context) return { ...head, intents: [], note: NO_INTENTS }
      return cache.of(subject, parts.settings.revision(subject.key), () => {
        const readings = readIntents(context, parts.settings.get(subject.key))
        for (const reading of readings) parts.unknown.note(subject.key, reading.unknown)
        const list = { intents: readings.map(({ item }) => item), note: listNote(context) }
        return JSON.stringify({ house: view.name, ...head, ...list })
      })
    },

    'intents.write': async ({ subject, params, body, cause, refuse }) => {
      const context = contextFor(subject)
      const intent = context && intentOf(params.intent, context)
      if (!context || !intent) return refuse('not_found', { field: 'intent', message: NO_SUCH_INTENT })
      const change = { intent, context, value: body.value }
      return { device: subject.id, intent: await writeIntent(parts, subject, change, cause, refuse) }
    },

    'devices.schedules': ({ subject }) => {
      const cached = parts.settings.schedulesOf(subject.key)
      const visible = (cached?.schedules ?? []).filter((schedule) =>
        schedule.gang === null
          ? !subject.onlyGangs
          : subject.type === 'gang' || subject.gangs.some((gang) => gang.gang === schedule.gang),
      )
      return {
        device: subject.id,
        schedules: visible.map((schedule) => ({ ...schedule, days: [...schedule.days] })),
        source: 'cache' as const,
        asOf: cached?.asOf ?? null,
      }
    },
  }
}

/** All intent definitions as bytes. They are the same for every integration until the home's name changes. */
class Definitions {
  #cached: (Prebuilt & { readonly house: string }) | null = null

  of(house: string): Prebuilt {
    if (this.#cached?.house === house) return this.#cached
    const prebuilt = Buffer.from(JSON.stringify({ house, intents: INTENT_DEFINITIONS }))
    this.#cached = { house, prebuilt, etag: tagOf(prebuilt), gzipped: new Gzipped(prebuilt) }
    return this.#cached
  }
}

async function writeIntent(
  parts: IntentParts,
  device: ExposedDevice,
  { intent, context, value }: { readonly intent: Intent; readonly context: IntentContext; readonly value: unknown },
  cause: Parameters<UnitSettings['write']>[2],
  refuse: Refuse<'not_offered'> & Parameters<typeof refuseFailure>[2],
): Promise<IntentItem> {
  if (intent.access === 'read_only')
    refuse('not_offered', {
      message: `This setting is read-only here. ${intent.guidance}`,
      appAction: intent.appAction,
    })
  const encoded = encodeIntent(intent, context, value)
  if (!encoded.ok) return refuse('validation', { message: encoded.error })
  // An encodable value is JSON: every transport parsed it as such.
  const what = settingChangeWords(intent, value as Json)
  const written = await parts.settings.write(
    device.key,
    { values: encoded.value, what, data: { intent: intent.id, value } },
    cause,
  )
  if (!written.ok) return refuseFailure(written.error, 'this value', refuse)
  const reading = readIntent(intent, context, written.value)
  parts.unknown.note(device.key, reading.unknown)
  return reading.item
}
