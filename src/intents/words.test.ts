import { describe, expect, test } from 'vitest'
import {
  contextOf,
  intentById,
  INTENTS,
  shapeOf,
  registerChangeWords,
  settingChangeWords,
  settingWords,
  valueWords,
} from './index.ts'
import { contextsOf, type Intent } from './catalogue/intent.ts'
import type { Json, Shape } from './coding/coding.ts'

interface Keywords {
  readonly const?: Json
  readonly enum?: readonly Json[]
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
}

/** Values of a shape: each alternative and word; of numbers the lowest, one between, and the highest. */
function valuesOf(shape: Shape): readonly Json[] {
  const { const: only, enum: list, anyOf, properties, type, minimum = 0, maximum = 0 } = shape as Keywords
  if (only !== undefined) return [only]
  if (list) return list
  if (anyOf) return anyOf.flatMap(valuesOf)
  if (type === 'boolean') return [true, false]
  if (type === 'integer' || type === 'number') return [minimum, Math.max(1, minimum), maximum]
  const fields = Object.entries(properties ?? {}).map(([name, shape]) => [name, valuesOf(shape)] as const)
  const longest = Math.max(0, ...fields.map(([, values]) => values.length))
  return Array.from({ length: longest }, (_, index) =>
    Object.fromEntries(fields.map(([name, values]) => [name, values[index % values.length] ?? null])),
  )
}

/** Numbers without a unit of measure, after their names: places on a scale, codes, raw numbers. */
const NAMED =
  /\b(?:power factor|immunity|up|mode|down|group code|emitter|channel on|channel off|max load|min load|held|switches) \d/
const SCALED = /^[\d.]+ (?:s|min|ms|µs|mA|W|Hz|%|lx|°C|detections)(?=$|,| |\))/

/** Numbers of a sentence without their unit of measure. */
function bare(sentence: string): string[] {
  return [...sentence.matchAll(/(?<![\d./])\d+(?:\.\d+)?/g)]
    .filter(({ index }) => !SCALED.test(sentence.slice(index)))
    .filter(
      ({ index, 0: number }) =>
        !NAMED.test(
          sentence
            .slice(0, index + number.length)
            .split(', ')
            .at(-1)!,
        ),
    )
    .filter(({ index }) => !/\(acts as $|^[\d]\/|coding $/.test(sentence.slice(0, index)))
    .map(({ index }) => sentence.slice(Math.max(0, index - 20)))
}

const cases = INTENTS.flatMap((intent) =>
  contextsOf(intent).flatMap((context) =>
    valuesOf(shapeOf(intent, context)).map((value): [string, Intent, Json] => [intent.id, intent, value]),
  ),
)

describe('the sentences of all settings', () => {
  test('are about every intent', () => {
    expect(new Set(cases.map(([id]) => id)).size).toBe(INTENTS.length)
  })

  test('name the unit of measure of every number', () => {
    const wrong = cases.flatMap(([, intent, value]) => {
      const sentences = [settingWords(intent, value)]
      if (intent.access === 'read_write') sentences.push(settingChangeWords(intent, value))
      return sentences.filter((sentence) => bare(sentence).length > 0)
    })
    expect([...new Set(wrong)]).toEqual([])
  })

  test('explain every number with a special meaning', () => {
    const meant = /\b(\d+)(?:: | acts as )(?!up|mode|down)/g
    const numbers = INTENTS.flatMap((intent) =>
      contextsOf(intent).flatMap((context) => {
        const shape = shapeOf(intent, context) as Keywords
        const fields = Object.entries(shape.properties ?? { value: shape as Shape })
        return fields.flatMap(([name, shape]) => {
          const { type, description = '' } = shape as Keywords
          if (type !== 'integer') return []
          return [...description.matchAll(meant)].map((found) => [intent, name, Number(found[1])] as const)
        })
      }),
    )
    const silent = numbers.filter(([intent, name, number]) => {
      const sentence = settingWords(intent, name === 'value' ? number : { [name]: number })
      return !new RegExp(` ${number}(?: [^ ()]+)? \\(.+\\)$`).test(sentence)
    })
    expect(silent.map(([{ id }, name, number]) => [id, name, number])).toEqual([])
    expect(numbers.length).toBeGreaterThan(8)
  })

  test('name never, at once and none', () => {
    const say = (id: string, value: Json): string => settingWords(intentById(id)!, value)
    expect(say('safety_off_in_manual', { afterMinutes: 0, thenMode: 'auto', loadStaysOn: false })).toBe(
      'safety off in Manual is after 0 min (never), then mode auto, load stays on: no',
    )
    expect(say('sleep_timer', 0)).toBe('sleep timer is 0 min (at once)')
    expect(say('only_when_dark', 254)).toBe('only when dark is 254 lx (at any light)')
    expect(say('protection', { maxTemp: 75 })).toBe('protection is max temperature 75 °C')
  })
})

describe('a value alone', () => {
  test.each([
    ['only_when_dark', 254, 'at any light'],
    ['only_when_dark', 0, 'never by motion'],
    ['only_when_dark', 20, '20 lx'],
    ['off_after_no_motion', 0, 'never'],
    ['climate', { heat: { on: 20.5, off: 22 } }, 'heat on at 20.5 °C, off at 22 °C'],
    [
      'climate',
      { cool: { on: 26, off: 24 }, heat: { on: 19, off: 21 } },
      'cool on at 26 °C, off at 24 °C; heat on at 19 °C, off at 21 °C',
    ],
    ['climate', { none: true }, 'none'],
    ['presence_sensing', { sensitivity: 0, detectionTimerMinutes: 5 }, 'sensitivity 1, detection timer 5 min'],
    [
      'safety_off_in_manual',
      { afterMinutes: 0, thenMode: 'auto', loadStaysOn: false },
      'never, then mode auto, load stays on: no',
    ],
  ] as const)('%s: %j replaces a number by its meaning', (id, value, words) => {
    expect(valueWords(intentById(id)!, value)).toBe(words)
  })
})

describe('wording for explanations', () => {
  test.each([
    ['off_delay', 90, 'off delay is 90 s'],
    ['automatic_modes', { allowed: true, powerFactor: 1 }, 'automatic modes is allowed, power factor 1'],
    [
      'after_power_cut',
      { load: 'as_before', mode: 'auto', schedulesStayOn: false },
      'after a power cut is load as before, mode auto, schedules stay on: no',
    ],
    [
      'climate',
      { cool: { on: 26, off: 24 }, heat: { on: 19, off: 21 } },
      'climate is cool on 26 °C off 24 °C, heat on 19 °C off 21 °C',
    ],
    ['sleep_timer', 60, 'sleep timer is 60 min'],
    [
      'safety_off_in_manual',
      { afterMinutes: 360, timerUnit: 'hours', thenMode: 'auto', loadStaysOn: false },
      'safety off in Manual is after 360 min, then mode auto, load stays on: no',
    ],
    [
      'presence_sensing',
      { sensitivity: 3, detectionTimerMinutes: 5 },
      'presence sensing is sensitivity 3 detections, detection timer 5 min',
    ],
    [
      'shutter_automatic',
      { moveFrameMinutes: 30, stepSeconds: 2, alignmentPercent: 5 },
      'automatic movement is move frame 30 min, step 2 s, alignment 5 %',
    ],
    ['shutter_automatic', { unknown: { alignment: 99 } }, 'automatic movement is unknown alignment 99'],
  ] as const)('%s: %j', (id, value, sentence) => {
    expect(settingWords(intentById(id)!, value)).toBe(sentence)
  })
})

describe('wording for the activity log', () => {
  const wish = (id: string, value: Parameters<typeof settingChangeWords>[1]): string => {
    const intent = intentById(id)!
    if (intent.access !== 'read_write') throw new Error(id)
    return settingChangeWords(intent, value)
  }

  test('a requested change', () => {
    expect(wish('off_delay', 90)).toBe('off delay set to 90 s')
    expect(wish('single_touch', true)).toBe('single touch set to on')
    expect(wish('led_mode', 'while_on')).toBe('status LEDs set to while on')
    expect(wish('climate', { cool: { on: 26, off: 24 } })).toBe('climate set to cool on 26 °C off 24 °C')
    expect(wish('climate', { none: true })).toBe('climate set to none')
  })

  test('a change at the unit', () => {
    const dimmer = contextOf('HMHH', null)
    expect(registerChangeWords(dimmer, ['off_delay_s'])).toBe('off delay changed at the unit')
    expect(registerChangeWords(dimmer, ['off_delay_s', 'quick_off_min', 'led_mode'])).toBe(
      'status LEDs, off delay and quick off changed at the unit',
    )
    expect(registerChangeWords(contextOf('HMPH', null), ['ir_emitter'])).toBe('IR emitter changed at the unit')
    expect(registerChangeWords(dimmer, ['eco_lux'])).toBe('settings changed at the unit')
    expect(registerChangeWords(null, ['off_delay_s'])).toBe('settings changed at the unit')
  })
})
