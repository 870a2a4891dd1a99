import { describe, expect, test } from 'vitest'
import type { GangClass, SwitchModel } from '../home/model/device.ts'
import { contextOf, explainingIntents, INTENT_DEFINITIONS, intentById, INTENTS, intentsFor } from './index.ts'

/**
 * Spec 2.7, copied by hand: id, access, models by letter, and `gang` if the table says "per gang". Modules have a
 * per-gang intent on their gangs, any other intent on themselves (docs/intents.md#why).
 */
const SPECIFIED = [
  ['single_touch', 'read_write', 'A B P T', ''],
  ['led_mode', 'read_write', 'A B C D E P S', 'gang'],
  ['turn_on_brightness', 'read_write', 'A', ''],
  ['off_delay', 'read_write', 'A B', ''],
  ['off_after_no_motion', 'read_write', 'A B C D E P S', 'gang'],
  ['quick_off', 'read_write', 'A B C D E', 'gang'],
  ['only_when_dark', 'read_write', 'A B C D E P', 'gang'],
  ['climate', 'read_write', 'P S', ''],
  ['shutter_eco_light', 'read_write', 'T', ''],
  ['key_sense', 'read_only', 'A B C D E P S T', 'gang'],
  ['key_immunity', 'read_only', 'A B C D E P S T', ''],
  ['fade_speed', 'read_only', 'A B C D E', ''],
  ['presence_sensing', 'read_only', 'P S', ''],
  ['shutter_travel', 'read_only', 'T', ''],
  ['shutter_automatic', 'read_only', 'T', ''],
  ['shutter_edges', 'read_only', 'T', ''],
  ['shutter_leds', 'read_only', 'T', ''],
  ['automatic_modes', 'read_only', 'A B C D E P S T', 'gang'],
  ['safety_off_in_manual', 'read_only', 'A B C D E P S', 'gang'],
  ['sleep_timer', 'read_only', 'A B P S T', ''],
  ['after_power_cut', 'read_only', 'A B C D E P S T', 'gang'],
  ['all_off_group', 'read_only', 'A B C D E P T', 'gang'],
  ['load_calibration', 'read_only', 'A B C D E P S', 'gang'],
  ['protection', 'read_only', 'A B C D E P S T', ''],
  ['ir_binding', 'read_only', 'P S', ''],
  ['side_buttons', 'read_only', 'C D E', ''],
  ['groups_and_sensors', 'read_only', 'A B C D E P S', ''],
  ['protocol', 'read_only', 'A B C D E P S T', ''],
] as const

const MODEL_OF: Readonly<Record<string, SwitchModel>> = {
  A: 'HMHH',
  B: 'HMHHX1',
  C: 'HMHHX2',
  D: 'HMHHX3',
  E: 'HMHHX4',
  P: 'HMPH',
  S: 'HMSH',
  T: 'HMTHX2',
}
const MODULES = 'C D E'

const idsOf = (model: SwitchModel, gangClass: GangClass | null): string[] =>
  intentsFor(contextOf(model, gangClass)!).map(({ id }) => id)

describe('the catalogue matches the specification', () => {
  test('28 intents, in its order, nine of them writable', () => {
    expect(INTENTS.map(({ id, access }) => [id, access])).toEqual(SPECIFIED.map(([id, access]) => [id, access]))
    expect(INTENTS.filter(({ access }) => access === 'read_write')).toHaveLength(9)
    expect(INTENTS).toHaveLength(28)
  })

  test.each(['A', 'B', 'P', 'S', 'T'])('unit %s has the intents of its column', (letter) => {
    const expected = SPECIFIED.filter(([, , models]) => models.split(' ').includes(letter)).map(([id]) => id)
    expect(idsOf(MODEL_OF[letter]!, null)).toEqual(expected)
    expect(contextOf(MODEL_OF[letter]!, 'switch_gang')).toBeNull()
  })

  test.each(['C', 'D', 'E'])(
    'module %s has its own intents itself and the per-gang ones on its switch gangs',
    (letter) => {
      const rows = SPECIFIED.filter(([, , models]) => models.split(' ').includes(letter))
      expect(idsOf(MODEL_OF[letter]!, null)).toEqual(rows.filter(([, , , scope]) => scope === '').map(([id]) => id))
      expect(idsOf(MODEL_OF[letter]!, 'switch_gang')).toEqual(
        rows.filter(([, , , scope]) => scope === 'gang').map(([id]) => id),
      )
    },
  )

  test.each(MODULES.split(' '))('a shutter gang of module %s has the intents for a shutter', (letter) => {
    expect(idsOf(MODEL_OF[letter]!, 'shutter_gang')).toEqual([
      'led_mode',
      'key_sense',
      'automatic_modes',
      'after_power_cut',
      'all_off_group',
    ])
  })

  test('units beyond the switches, and units of unknown model, have none', () => {
    for (const model of ['HMAC', 'HMIR', 'HMLK', 'HMGT', 'HMCU', 'HMSE', 'HMMT', null] as const)
      expect(contextOf(model, null)).toBeNull()
  })

  test('known ids are found, unknown ones are not', () => {
    for (const [id] of SPECIFIED) expect(intentById(id)?.id).toBe(id)
    expect(intentById('sleep')).toBeNull()
    expect(intentById('constructor')).toBeNull()
  })
})

describe('definitions', () => {
  test.each(INTENT_DEFINITIONS.map((definition) => [definition.id, definition] as const))(
    '%s says everything',
    (id, definition) => {
      for (const field of ['title', 'meaning', 'when', 'notWhen', 'sideEffects'] as const)
        expect(definition[field], field).toMatch(/^[A-Z].{3,}/)
      for (const field of ['meaning', 'when', 'notWhen', 'sideEffects'] as const)
        expect(definition[field], field).toMatch(/\.$/)
      expect(definition.prerequisites.length).toBeGreaterThan(0)
      expect(definition.examples.length).toBeGreaterThan(0)
      const [, access, , scope] = SPECIFIED.find(([specified]) => specified === id)!
      expect(definition.perGang).toBe(scope === 'gang')
      if (access === 'read_only') {
        expect(definition.appAction).toBe('unit.menus')
        expect(definition.guidance).toMatch(/ app/)
        expect(definition.errors).toContain('not_offered')
      } else {
        expect(definition).toMatchObject({ appAction: null, guidance: null })
        expect(definition.errors).toEqual([
          'config_not_allowed',
          'not_found',
          'validation',
          'unit_unreachable',
          'hmhc_unavailable',
        ])
      }
    },
  )

  test('no text occurs twice', () => {
    for (const field of ['id', 'title', 'meaning', 'when', 'notWhen'] as const) {
      expect(new Set(INTENT_DEFINITIONS.map((definition) => definition[field])).size, field).toBe(28)
    }
  })

  test('every example is a call with the described effect', () => {
    for (const intent of INTENTS) {
      for (const { call } of intent.examples) {
        if (intent.access === 'read_only') expect(call).toBe('GET /v1/devices/{id}/intents')
        else {
          const [, id, body] = /^PUT \/v1\/devices\/\{id\}\/intents\/(\w+) (.*)$/.exec(call)!
          expect(id).toBe(intent.id)
          const { value } = JSON.parse(body!) as { value: unknown }
          const context = contextOf(intent.models[0]!, null)!
          expect(intent.coding(context).encode(value)).toMatchObject({ ok: true })
        }
      }
    }
  })
})

test('the intents that explain a unit have distinct ranks', () => {
  const ranks = INTENTS.flatMap(({ explainRank }) => (explainRank === null ? [] : [explainRank]))
  expect(new Set(ranks).size).toBe(ranks.length)
  expect(explainingIntents(contextOf('HMHHX1', null)!).map(({ id }) => id)).toEqual([
    'single_touch',
    'off_delay',
    'off_after_no_motion',
    'quick_off',
    'only_when_dark',
    'automatic_modes',
    'key_sense',
    'safety_off_in_manual',
    'sleep_timer',
    'after_power_cut',
  ])
})
