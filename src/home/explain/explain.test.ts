import { describe, expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { smallHouse } from '#support/homes/small-house.ts'
import type { ActivityDraft } from '../model/activity.ts'
import type { Cause } from '../model/cause.ts'
import { GATEWAY_CAUSE } from '../model/cause.ts'
import type { Scene } from '../model/house.ts'
import type { DeviceState } from '../model/state.ts'
import type { Automation, Schedule } from '../rules/model.ts'
import { explain } from './explain.ts'
import type { About, ExplainItem, ExplainSources, ExplainView } from './explanation.ts'

/** A Monday in Berlin, 14:00. */
const NOW = Date.UTC(2027, 2, 1, 13)
const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const HALL: About = { kind: 'device', id: 'hall' }

const evening: Scene = {
  id: 'evening',
  name: 'Evening',
  icon: null,
  floor: null,
  room: null,
  steps: [{ device: 'hall', op: 'set_power', args: { on: true } }],
  revision: 1,
  edits: [{ devices: null, count: 1 }],
  origin: null,
  author: null,
  position: 0,
}
const rule = {
  enabled: true,
  revision: 1,
  edits: [{ devices: null, count: 1 }],
  origin: null,
  author: null,
  changedAt: 0,
}
const dusk: Automation = {
  ...rule,
  id: 'dusk',
  name: 'Dusk',
  paused: false,
  mode: 'single',
  when: [{ device: 'sensor', detection: 'motion' }],
  if: [{ device: 'sensor', reading: 'light', below: 20 }],
  then: [{ scene: 'evening' }],
}
const morning: Schedule = {
  ...rule,
  id: 'morning',
  name: 'Morning',
  at: { time: '07:00' },
  days: [1, 2, 3, 4, 5],
  then: [{ device: 'hall', op: 'set_power', args: { on: true } }],
}
const house = smallHouse(
  [
    { id: 'hall', name: 'Hall light', class: 'light_switch', room: 'hall' },
    { id: 'sensor', name: 'Hall sensor', class: 'sensor', room: 'hall' },
    {
      id: 'module',
      name: 'Module',
      class: 'gang_module',
      room: 'hall',
      gangs: [
        { gang: 0, name: 'Mirror', class: 'switch_gang', room: 'bath' },
        { gang: 1, name: 'Secret lamp', class: 'switch_gang', room: 'bath' },
      ],
    },
  ],
  [evening],
)
const NAMES: Readonly<Record<string, string>> = {
  hall: 'Hall light',
  sensor: 'Hall sensor',
  module: 'Module',
  'module:0': 'Mirror',
}

interface Situation {
  readonly drafts?: readonly (Omit<ActivityDraft, 'at' | 'subject'> & {
    readonly ago: number
    readonly subject?: ActivityDraft['subject']
  })[]
  readonly detections?: readonly (readonly [string, number])[]
  readonly state?: DeviceState
  readonly sources?: Partial<ExplainSources>
  readonly view?: Partial<ExplainView>
  readonly about?: About
  readonly to?: number
}

function explained(situation: Situation) {
  const history = tempHistory()
  for (const { ago, ...draft } of situation.drafts ?? [])
    history.activity.record({ subject: HALL, ...draft, at: NOW - ago * MINUTE })
  for (const [unit, ago] of situation.detections ?? [])
    history.detections.record(unit, { at: NOW - ago * MINUTE, kind: 'motion', value: true })
  const sources: ExplainSources = {
    house,
    state: () => ({ state: situation.state ?? { on: true, mode: 'manual' }, asOf: NOW - 5_000 }),
    reachable: () => true,
    linkDown: () => null,
    activity: history.activity,
    detections: history.detections,
    automations: () => [dusk],
    schedules: () => [morning],
    settings: () => [],
    unitSchedules: () => undefined,
    timeZone: () => 'Europe/Berlin',
    ...situation.sources,
  }
  const view: ExplainView = {
    integration: 'me',
    device: (key) => NAMES[key] ?? null,
    scene: (id) => (id === 'evening' ? 'Evening' : null),
    automation: (id) => (id === 'dusk' ? 'Dusk' : null),
    schedule: (id) => (id === 'morning' ? 'Morning' : null),
    unitsAround: () => ['sensor'],
    gangsOf: (key) => (key === 'module' ? ['module:0'] : []),
    showsSettings: true,
    onlyGangs: () => false,
    showsUnitSchedules: true,
    ...situation.view,
  }
  return explain({ about: situation.about ?? HALL, from: NOW - DAY, to: situation.to ?? NOW, now: NOW }, view, sources)
}

const whats = (items: readonly ExplainItem[]): readonly string[] => items.map((item) => item.what)
const off: DeviceState = { on: false, mode: 'manual' }
const motion: Cause = { source: 'unit', name: 'motion', ref: 'sensor' }
const through: Cause = {
  source: 'scene',
  name: 'Evening',
  ref: 'evening',
  by: { source: 'automation', name: 'Dusk', ref: 'dusk', by: motion },
}
const key: Cause = { source: 'integration', name: 'API: Dashboard', integration: 'me', link: 'l1' }

function turned(ago: number, on: boolean, cause: Cause): NonNullable<Situation['drafts']>[number] {
  return { ago, kind: 'state', what: on ? 'turned on' : 'turned off', cause, data: { from: { on: !on }, to: { on } } }
}

describe('why is the hall light on', () => {
  test.each([
    [
      'a touch at the wall',
      { source: 'unit', name: 'touched at the wall', ref: 'hall' },
      'Hall light turned on at 13:58: touched at the wall.',
    ],
    ['the control of a key', key, 'Hall light turned on at 13:58: API: Dashboard.'],
    [
      'an automation through a scene',
      through,
      'Hall light turned on at 13:58: scene Evening, run by automation Dusk, set off by motion at Hall sensor.',
    ],
    ['motion at the unit', { source: 'unit', name: 'motion', ref: 'hall' }, 'Hall light turned on at 13:58: motion.'],
    [
      "the unit's own schedule",
      { source: 'unit', name: 'own schedule', ref: 'hall' },
      'Hall light turned on at 13:58: own schedule.',
    ],
    [
      'mains return',
      { source: 'unit', name: 'mains return', ref: 'hall' },
      'Hall light turned on at 13:58: mains return.',
    ],
    ['a person', { source: 'person', name: 'Anna' }, 'Hall light turned on at 13:58: Anna.'],
    [
      'a schedule',
      { source: 'schedule', name: 'Morning', ref: 'morning' },
      'Hall light turned on at 13:58: schedule Morning.',
    ],
    [
      'an agent',
      { source: 'agent', name: 'Agent: Claude via claude.ai', integration: 'me', link: 'l2' },
      'Hall light turned on at 13:58: Agent: Claude via claude.ai.',
    ],
  ] as const)('%s', (_, cause, want) => {
    const { items } = explained({ drafts: [turned(60, false, key), turned(2, true, cause)] })
    expect(items[0]).toMatchObject({ kind: 'activity', source: 'live', at: NOW - 2 * MINUTE, what: want, about: HALL })
  })

  test('who turned it on, and not who dimmed it since', () => {
    const { items } = explained({
      drafts: [
        turned(30, true, through),
        {
          ago: 2,
          kind: 'state',
          what: 'mode set to auto',
          cause: key,
          data: { from: { mode: 'manual' }, to: { mode: 'auto' } },
        },
      ],
    })
    expect(whats(items).slice(0, 2)).toEqual([
      'Hall light turned on at 13:30: scene Evening, run by automation Dusk, set off by motion at Hall sensor.',
      'Hall light mode set to auto at 13:58: API: Dashboard.',
    ])
  })

  test('also when that was long before the time asked about', () => {
    const { items } = explained({ drafts: [turned(3 * 1_440, true, key)] })
    expect(items[0]?.what).toBe('Hall light turned on at 14:00 on 2027-02-26: API: Dashboard.')
  })

  test('a change that nobody saw is not blamed on the last one that was seen', () => {
    const { items } = explained({ drafts: [turned(60, true, key), turned(30, false, through)] })
    expect(whats(items).slice(0, 2)).toEqual([
      'Hall light was not seen to change since its last recorded change, yet it is otherwise now: it changed while nobody could see it.',
      'Hall light turned off at 13:30: scene Evening, run by automation Dusk, set off by motion at Hall sensor.',
    ])
  })

  test('a time in the past is explained by what was known then, not by what is now', () => {
    const { items, note } = explained({
      state: off,
      to: NOW - 10 * MINUTE,
      sources: { reachable: () => false },
      drafts: [
        turned(60, true, key),
        { ago: 30, kind: 'state', what: 'mode set to auto', cause: key, data: { to: { mode: 'auto' } } },
        turned(5, false, through),
      ],
    })
    expect(items[0]?.what).toBe('Hall light turned on at 13:00: API: Dashboard.')
    expect(JSON.stringify([items, note])).not.toContain('not answer')
  })

  test('an attempt that failed since comes first', () => {
    const { items } = explained({
      drafts: [
        turned(60, true, key),
        {
          ago: 1,
          kind: 'failed',
          what: 'turn off failed: the unit does not answer',
          cause: through,
          data: { failure: 'no_answer' },
        },
      ],
    })
    expect(items[0]?.what).toBe(
      'Hall light: turn off failed: the unit does not answer (at 13:59, asked by scene Evening, run by automation Dusk, set off by motion at Hall sensor).',
    )
  })

  test('what is hidden is never named, and the chain ends there', () => {
    const { items } = explained({ drafts: [turned(2, true, through)], view: { automation: () => null } })
    expect(items[0]).toMatchObject({
      what: 'Hall light turned on at 13:58: scene Evening, run by something outside this integration.',
      cause: {
        source: 'scene',
        name: 'Evening',
        ref: 'evening',
        by: { source: 'gateway', name: 'something outside this integration' },
      },
    })
    expect(JSON.stringify(items)).not.toContain('Dusk')
  })
})

describe('why did the hall light not come on', () => {
  const lost = { ago: 20, kind: 'unit', what: 'stopped answering', cause: GATEWAY_CAUSE } as const
  const skipped = {
    ago: 3,
    kind: 'skipped',
    subject: { kind: 'automation', id: 'dusk' },
    what: 'did not run: a condition did not hold',
    cause: { source: 'automation', name: 'Dusk', ref: 'dusk', by: motion },
    data: { trigger: dusk.when[0], condition: dusk.if[0], index: 0 },
  } as const

  test('the unit is unplugged', () => {
    const { items, note } = explained({
      state: off,
      drafts: [turned(60, false, key), lost],
      sources: { reachable: () => false },
    })
    expect(items[0]).toMatchObject({
      what: 'Hall light has not answered since 13:40: what is shown of it is the last it confirmed.',
      at: NOW - 20 * MINUTE,
    })
    expect(note).toContain('The unit does not answer: its state is the last it confirmed.')
  })

  test('the unit is unplugged and somebody tried', () => {
    const tried = {
      ago: 10,
      kind: 'failed',
      what: 'turn on failed: the unit does not answer',
      cause: key,
      data: { failure: 'no_answer' },
    } as const
    const { items } = explained({
      state: off,
      drafts: [turned(60, false, key), lost, tried],
      sources: { reachable: () => false },
    })
    expect(items[0]?.what).toBe(
      'Hall light: turn on failed: the unit does not answer (at 13:50, asked by API: Dashboard).',
    )
    expect(items[1]?.what).toContain('has not answered since 13:40')
  })

  test('somebody tried in vain before, but that is over: what came last answers', () => {
    const tried = {
      ago: 10,
      kind: 'failed',
      what: 'turn on failed: the unit does not answer',
      cause: key,
      data: { failure: 'no_answer' },
    } as const
    const whatFirst = (situation: Situation): string | undefined =>
      explained({ state: off, drafts: [turned(60, false, key), tried], ...situation }).items[0]?.what
    expect(whatFirst({ drafts: [turned(60, false, key), tried, skipped] })).toContain('Automation Dusk did not run')
    expect(
      whatFirst({ drafts: [turned(60, false, key), tried, { ...lost, ago: 5 }], sources: { reachable: () => false } }),
    ).toContain('has not answered since 13:55')
    expect(whatFirst({ sources: { linkDown: () => 'port' } })).toContain('No unit can be reached')
    expect(whatFirst({})).toContain('turn on failed')
  })

  test('a condition failed', () => {
    const { items } = explained({ state: off, drafts: [turned(60, false, key), skipped] })
    expect(items[0]).toMatchObject({
      kind: 'automation',
      about: { kind: 'automation', id: 'dusk' },
      what: 'Automation Dusk did not run: a condition did not hold (Hall sensor: light is below 20 lux) (at 13:57, set off by motion at Hall sensor).',
    })
    expect(items[1]?.what).toBe('Hall light turned off at 13:00: API: Dashboard.')
  })

  test('a skipped run does not explain a light that is on', () => {
    expect(explained({ drafts: [turned(60, true, key), skipped] }).items[0]?.what).toBe(
      'Hall light turned on at 13:00: API: Dashboard.',
    )
  })

  test.each([
    [
      'the automation is off',
      { automations: () => [{ ...dusk, enabled: false }] },
      'Automation Dusk is off: it would turn on when Hall sensor detects motion, but only if Hall sensor: light is below 20 lux.',
    ],
    [
      'the automation is paused',
      { automations: () => [{ ...dusk, paused: true, if: [] }] },
      'Automation Dusk is paused, because it kept setting itself off: it would turn on when Hall sensor detects motion.',
    ],
    [
      'the schedule is off',
      { schedules: () => [{ ...morning, enabled: false }] },
      'Schedule Morning is off: it would turn on at 07:00 on Mon-Fri.',
    ],
  ] as const)('%s', (_, sources, want) => {
    const { items } = explained({ state: off, sources })
    expect(whats(items).slice(0, 2)).toEqual(['Nothing is recorded that changed Hall light.', want])
  })

  test('the adapter is lost', () => {
    const { items } = explained({ state: off, drafts: [turned(60, false, key)], sources: { linkDown: () => 'port' } })
    expect(items[0]?.what).toBe(
      'No unit can be reached, Hall light neither: the unit adapter was lost: its port cannot be opened.',
    )
  })
})

describe('what else belongs to the answer', () => {
  test("rules, the unit's mode, settings and schedules, sensors and integrations, each with its source and age", () => {
    const { items, note } = explained({
      state: { on: true, mode: 'auto' },
      drafts: [turned(50, true, key), turned(40, false, key), turned(30, true, { ...key, link: 'l2' })],
      detections: [
        ['sensor', 9],
        ['sensor', 4],
        ['elsewhere', 2],
      ],
      sources: {
        settings: () => [{ what: 'goes off after 10 min without motion', asOf: NOW - DAY }],
        unitSchedules: () => ({
          schedules: [
            { slot: 0, enabled: false, gang: null, days: [6, 7], time: '08:30', op: 'set_power', args: { on: true } },
          ],
          asOf: NOW - 2 * DAY,
        }),
      },
    })
    expect(items.slice(3)).toMatchObject([
      {
        kind: 'automation',
        source: 'live',
        what: 'Automation Dusk is set to turn on when Hall sensor detects motion, but only if Hall sensor: light is below 20 lux.',
      },
      { kind: 'schedule', source: 'live', what: 'Schedule Morning is set to turn on at 07:00 on Mon-Fri.' },
      {
        kind: 'unit_setting',
        source: 'cache',
        asOf: NOW - 5_000,
        what: 'Hall light is in Auto mode, as last confirmed: its own sensors and timers may move it.',
      },
      {
        kind: 'unit_setting',
        source: 'cache',
        asOf: NOW - DAY,
        what: 'Hall light: goes off after 10 min without motion, as last read.',
      },
      {
        kind: 'schedule',
        source: 'cache',
        asOf: NOW - 2 * DAY,
        what: 'Hall light has a schedule of its own, as last read: turn on at 08:30 on Sat, Sun, but it is off.',
      },
      {
        kind: 'sensor',
        source: 'live',
        at: NOW - 4 * MINUTE,
        what: 'Hall sensor: motion detected at 13:56, 2 times in all.',
      },
      {
        kind: 'integration',
        source: 'live',
        what: 'API: Dashboard commanded it once, last at 13:30.',
        cause: { link: 'l2' },
      },
      {
        kind: 'integration',
        source: 'live',
        what: 'API: Dashboard commanded it 2 times, last at 13:20.',
        cause: { link: 'l1' },
      },
    ])
    expect(note).toBe(
      'Items with source cache are based on the last available data from the unit; each says in asOf how old it is.',
    )
  })

  test('what the knobs keep shut is not there', () => {
    const { items } = explained({
      state: off,
      view: { showsSettings: false, showsUnitSchedules: false, automation: () => null, schedule: () => null },
      sources: {
        settings: () => [{ what: 'x', asOf: 0 }],
        unitSchedules: () => ({
          schedules: [{ slot: 0, enabled: true, gang: null, days: [1], time: '08:30', op: 'open' }],
          asOf: 0,
        }),
      },
    })
    expect(whats(items)).toEqual(['Nothing is recorded that changed Hall light.'])
  })

  test('a module is explained with the gangs that are shown, and no other', () => {
    const { items } = explained({
      about: { kind: 'device', id: 'module' },
      drafts: [
        { ...turned(5, true, key), subject: { kind: 'device', id: 'module:0' } },
        { ...turned(4, true, key), subject: { kind: 'device', id: 'module:1' } },
      ],
    })
    expect(items[0]?.what).toBe('Mirror turned on at 13:55: API: Dashboard.')
    expect(JSON.stringify(items)).not.toMatch(/Secret|module:1/)
  })

  test('a gang is explained with what befell its module', () => {
    const { items } = explained({
      about: { kind: 'device', id: 'module:0' },
      state: off,
      drafts: [
        {
          ago: 9,
          kind: 'unit',
          subject: { kind: 'device', id: 'module' },
          what: 'stopped answering',
          cause: GATEWAY_CAUSE,
        },
      ],
      sources: { reachable: (unit) => unit !== 'module' },
    })
    expect(items[0]?.what).toBe('Mirror has not answered since 13:51: what is shown of it is the last it confirmed.')
  })

  test('a scene: who ran it and what runs it', () => {
    const { items } = explained({
      about: { kind: 'scene', id: 'evening' },
      drafts: [{ ago: 3, kind: 'run', subject: { kind: 'scene', id: 'evening' }, what: 'ran', cause: through }],
    })
    expect(whats(items)).toEqual([
      'Scene Evening ran at 13:57: automation Dusk, set off by motion at Hall sensor.',
      'Automation Dusk is set to run it when Hall sensor detects motion, but only if Hall sensor: light is below 20 lux.',
    ])
  })

  test('the same history gives the same explanation', () => {
    const situation: Situation = {
      drafts: [turned(50, true, key), turned(50, false, through)],
      detections: [['sensor', 9]],
    }
    expect(explained(situation)).toEqual(explained(situation))
  })
})
