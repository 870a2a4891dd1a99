import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ANNA, RulesHome, automation, on, schedule } from '#support/homes/rules-home.ts'
import { SqliteHouse } from '../db/core/house-store.ts'
import {
  checkedAgainstHome,
  type HomeFile,
  type HomeFileParts,
  importHome,
  parsedHomeFile,
  readHomeFile,
  writeHomeFile,
} from './home-file.ts'
import { House } from './house/house.ts'
import { ruleFileSchema } from './rules/rule-file.ts'

const text = readFileSync(join(import.meta.dirname, '../demo/demo-house.yaml'), 'utf8')

/** The house as the database stores it. */
const houseOf = ({ core, events, clock }: RulesHome): House =>
  new House({ store: new SqliteHouse(core), work: core, events, clock })

/** A home as in the demo's file, with one automation and one schedule. */
function openHome(home: RulesHome): HomeFileParts & { readonly store: SqliteHouse } {
  const store = new SqliteHouse(home.core)
  const read = readHomeFile(text, 'UTC')
  if (!read.ok) throw new Error(read.error)
  store.found('SERIAL', read.value.house.info)
  store.replace(read.value.house)
  const house = houseOf(home)
  home.automation({ name: 'Before', then: [on('hall-light')] })
  home.schedule({ name: 'Before', then: [on('hall-light')] })
  return { house, rules: home.rules, store }
}

function fileOf(parts: HomeFileParts, name: string): HomeFile {
  const readOnly = { revision: 3, origin: null }
  return {
    house: { ...parts.house.content(), rooms: parts.house.content().rooms.map((room) => ({ ...room, name })) },
    people: [],
    missing: new Set(),
    unattributed: new Set(),
    rules: ruleFileSchema.parse({
      automations: [{ ...automation({ name, then: [on('hall-light')] }), id: 'a', ...readOnly }],
      schedules: [{ ...schedule({ name, then: [on('hall-light')] }), id: 's', ...readOnly }],
    }),
  }
}

function parsed(file: string): HomeFile {
  const read = parsedHomeFile(file, 'UTC')
  if (!read.ok) throw new Error(read.error)
  return read.value
}

const outbox = (home: RulesHome): readonly string[] => home.core.peek(100).map(({ draft }) => draft.what)

test('an import replaces house and rules, with one activity entry for each, and emits its events at the end', async () => {
  const home = new RulesHome()
  const parts = openHome(home)
  const rowsBefore = outbox(home).length
  const seen: [kind: string, ...automations: string[]][] = []
  home.events.on(({ kind }) => seen.push([kind, ...home.rules.automations.list().map(({ name }) => name)]))
  await importHome(fileOf(parts, 'After'), parts, ANNA)
  expect(seen.filter(([kind]) => kind === 'structure')).toEqual([['structure', 'After']])
  expect(new Set(seen.map(([, ...automations]) => automations.join()))).toEqual(new Set(['After']))
  expect(outbox(home).slice(rowsBefore)).toEqual(['house imported', 'automations imported', 'schedules imported'])
  expect(await writeHomeFile(parts)).toContain('After')
  const again = { house: houseOf(home), rules: home.restarted().rules }
  expect(await writeHomeFile(again)).toBe(await writeHomeFile(parts))
})

test.each(['automation', 'schedule'])(
  'an import leaves house and rules unchanged if an %s cannot be stored',
  async (kind) => {
    const home = new RulesHome()
    const parts = openHome(home)
    const before = { file: await writeHomeFile(parts), stored: parts.store.load(), outbox: outbox(home) }
    const events: unknown[] = []
    home.events.on((event) => events.push(event))
    home.core.db.exec(
      `CREATE TEMP TRIGGER full BEFORE INSERT ON rules WHEN new.kind = '${kind}' BEGIN SELECT raise(ABORT, 'the disk is full'); END`,
    )
    await expect(importHome(fileOf(parts, 'After'), parts, ANNA)).rejects.toThrow('the disk is full')
    expect({ file: await writeHomeFile(parts), stored: parts.store.load(), outbox: outbox(home) }).toEqual(before)
    expect(events).toEqual([])
    const again = { house: houseOf(home), rules: home.restarted().rules }
    expect(await writeHomeFile(again)).toBe(before.file)
  },
)

test('a file equal to the home changes nothing, and a file with one changed room leaves rules and scenes alone', async () => {
  const home = new RulesHome()
  const parts = openHome(home)
  const origin = { integration: 'i', link: 'l' }
  const scene = {
    ...[...parts.house.scenes.values()][0]!,
    id: 'made',
    position: 99,
    origin,
    author: { integration: 'j', link: 'm' },
  }
  parts.house.saveScene(scene, 'created', ANNA)
  home.rules.automations.create(automation({ then: [on('hall-light')] }), origin, ANNA)
  const rows = outbox(home).length
  const events: string[] = []
  home.events.on(({ kind }) => events.push(kind))
  const before = { stored: parts.store.load(), rules: home.rules.automations.list() }
  const whole = await writeHomeFile(parts)
  for (const exported of [
    whole,
    whole.replace(/ {4}origin:\n {6}integration: i\n {6}link: l\n {4}author:\n {6}integration: j\n {6}link: m\n/, ''),
  ]) {
    await importHome(parsed(exported), parts, ANNA)
    expect({ stored: parts.store.load(), rules: home.rules.automations.list() }).toEqual(before)
    expect([outbox(home).length, events]).toEqual([rows, []])
  }
  await importHome(parsed(whole.replace('name: Study', 'name: Den')), parts, ANNA)
  expect(parts.house.scenes.get('made')).toMatchObject({ ...scene, position: parts.house.scenes.size - 1 })
  expect(home.rules.automations.list()).toEqual(before.rules)
  expect([outbox(home).slice(rows), events]).toEqual([['house imported'], ['structure']])
})

test.each([
  ['class: lock,', 'class: lock, light: true,', 'Unit front-door is no switch, so light cannot be set.'],
  [
    'class: shutter_gang,',
    'class: shutter_gang, light: false,',
    'Gang kitchen-panel:2 is no switch, so light cannot be set.',
  ],
])('a file with light on a device that is no switch is refused: %s', (before, after, error) => {
  expect(readHomeFile(text.replace(before, after), 'UTC')).toEqual({ ok: false, error })
  expect(readHomeFile(text.replace(before, after.replace(/true|false/, 'null')), 'UTC')).toEqual(
    readHomeFile(text, 'UTC'),
  )
})

test.each([
  [
    'a detection that the device does not have',
    /automations:[\s\S]*/,
    'automations: [{ id: never, name: Never, enabled: true, when: [{ device: front-door, detection: smoke }], if: [], then: [{ device: hall-light, op: set_power, args: { on: true } }], mode: single }]',
    'The automation never: when[0].detection smoke is not available: front-door (lock) detects door, tamper.',
  ],
  [
    'a test that no value passes',
    /automations:[\s\S]*/,
    'automations: [{ id: never, name: Never, enabled: true, when: [{ device: hall-light, state: mode, is: banana }], if: [], then: [{ device: hall-light, op: set_power, args: { on: true } }], mode: single }]',
    'The automation never: when[0].is must be one of auto, eco, manual, sleep: mode of hall-light (light_switch) has no other value.',
  ],
  [
    'a scene whose room is not on its floor',
    /floor: ground-floor\n {4}room: dining-room/,
    'floor: ground-floor\n    room: bedroom',
    'Scene dinner names room bedroom, which is not on floor ground-floor.',
  ],
])('a file with %s is refused with a sentence', async (_what, part, other, sentence) => {
  const home = new RulesHome()
  const file = await writeHomeFile(openHome(home))
  expect(part.test(file)).toBe(true)
  expect(readHomeFile(file.replace(part, other), 'UTC')).toEqual({ ok: false, error: sentence })
})

test('a stored test that no value passes is accepted only while the class of its device stays the same', async () => {
  const home = new RulesHome()
  const parts = openHome(home)
  home.automation({
    name: 'Old',
    when: [{ device: 'hall-light', state: 'mode', is: 'banana' }],
    then: [on('study-light')],
  })
  const file = await writeHomeFile(parts)
  const held = (text: string) => checkedAgainstHome(parsed(text), parts)
  expect(readHomeFile(file, 'UTC')).toMatchObject({ ok: false })
  expect(held(file)).toMatchObject({ ok: true })
  const other = file.replace(/(id: hall-light\n[\s\S]*?class: )light_switch/, '$1light_dimmer')
  expect(other).not.toBe(file)
  expect(held(other)).toMatchObject({ ok: false })
})

test.each([
  ['a scene', /scenes:[\s\S]*/, 'scenes: [{ id: s, name: S, steps: [{ device: DEVICE, op: OP }] }]', 'Scene s: '],
  [
    'a schedule',
    /scenes:[\s\S]*/,
    'schedules: [{ id: s, name: S, enabled: true, at: { time: "07:00" }, days: [1], then: [{ device: DEVICE, op: OP }] }]',
    'schedules[0].then[0].op: ',
  ],
])(
  'the refusal of a wrong operation in %s of a file lists the operations of the device',
  (_what, part, other, place) => {
    const refusal = (device: string, op: string): unknown => {
      const read = readHomeFile(text.replace(part, other.replace('DEVICE', device).replace('OP', op)), 'UTC')
      return read.ok ? null : read.error
    }
    for (const [device, op, list] of [
      ['living-lamp', 'blink', 'it takes set_power, set_brightness, set_mode, toggle.'],
      ['front-door', 'blink', 'it takes open, close.'],
      ['front-door', 'set_power', 'it takes open, close.'],
    ] as const) {
      expect(refusal(device, op)).toContain(place)
      expect(refusal(device, op)).toContain(list)
    }
  },
)
