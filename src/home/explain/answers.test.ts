import { describe, expect, test } from 'vitest'
import {
  dusk,
  explanationOf,
  HALL,
  key,
  MINUTE,
  morning,
  motion,
  NOW,
  off,
  type Situation,
  through,
  powerChange,
  entryTexts,
} from '#support/homes/explained-home.ts'
import { GATEWAY_CAUSE } from '../model/events.ts'

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
    const { items } = explanationOf({ drafts: [powerChange(60, false, key), powerChange(2, true, cause)] })
    expect(items[0]).toMatchObject({ kind: 'activity', source: 'live', at: NOW - 2 * MINUTE, what: want, about: HALL })
  })

  test('the newest change comes first, and the change that turned it on second', () => {
    const { items } = explanationOf({
      state: { on: true, mode: 'auto' },
      drafts: [
        powerChange(30, true, through),
        {
          ago: 2,
          kind: 'state',
          what: 'mode set to auto',
          cause: key,
          data: { from: { mode: 'manual' }, to: { mode: 'auto' } },
        },
      ],
    })
    expect(entryTexts(items).slice(0, 2)).toEqual([
      'Hall light mode set to auto at 13:58: API: Dashboard.',
      'Hall light turned on at 13:30: scene Evening, run by automation Dusk, set off by motion at Hall sensor.',
    ])
  })

  test('it also finds a change long before the requested range', () => {
    const { items } = explanationOf({ drafts: [powerChange(3 * 1_440, true, key)] })
    expect(items[0]?.what).toBe('Hall light turned on at 14:00 on 2027-02-26: API: Dashboard.')
  })

  test('an unrecorded change is not attributed to the last recorded one', () => {
    const { items } = explanationOf({ drafts: [powerChange(60, true, key), powerChange(30, false, through)] })
    expect(entryTexts(items).slice(0, 2)).toEqual([
      'Hall light is no longer as its last recorded change left it: it changed while the gateway could not see it.',
      'Hall light turned off at 13:30: scene Evening, run by automation Dusk, set off by motion at Hall sensor.',
    ])
  })

  test('a time in the past is explained by what was known then, not by what is now', () => {
    const { items, note } = explanationOf({
      state: off,
      to: NOW - 10 * MINUTE,
      sources: { reachable: () => false },
      drafts: [
        powerChange(60, true, key),
        { ago: 30, kind: 'state', what: 'mode set to auto', cause: key, data: { to: { mode: 'auto' } } },
        powerChange(5, false, through),
      ],
    })
    expect(entryTexts(items).slice(0, 2)).toEqual([
      'Hall light mode set to auto at 13:30: API: Dashboard.',
      'Hall light turned on at 13:00: API: Dashboard.',
    ])
    expect(JSON.stringify([items, note])).not.toContain('not answer')
  })

  test('a later failed command comes first', () => {
    const { items } = explanationOf({
      drafts: [
        powerChange(60, true, key),
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

  test('a failed write of a setting comes after the newest change', () => {
    const failed = (kind: 'failed' | 'refused') => ({
      ago: 1,
      kind,
      what: 'off delay set to 90 s failed: the unit does not have this setting',
      cause: key,
      data: { intent: 'off_delay', failure: kind },
    })
    for (const on of [false, true]) {
      const state = { on, mode: 'manual' } as const
      const { items } = explanationOf({
        state,
        drafts: [powerChange(60, on, key), failed('refused'), failed('failed')],
      })
      expect(items[0]?.what).toBe(`Hall light turned ${on ? 'on' : 'off'} at 13:00: API: Dashboard.`)
      expect(JSON.stringify(items)).toContain('off delay set to 90 s failed')
    }
  })

  test('a hidden object is never named, and the chain ends there', () => {
    const { items } = explanationOf({ drafts: [powerChange(2, true, through)], view: { automation: () => null } })
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
  const tried = {
    ago: 10,
    kind: 'failed',
    what: 'turn on failed: the unit does not answer',
    cause: key,
    data: { failure: 'no_answer' },
  } as const
  const skipped = {
    ago: 3,
    kind: 'skipped',
    subject: { kind: 'automation', id: 'dusk' },
    what: 'did not run: a condition was not met',
    cause: { source: 'automation', name: 'Dusk', ref: 'dusk', by: motion },
    data: { trigger: dusk.when[0], condition: dusk.if[0], index: 0 },
  } as const

  test('the unit is unplugged', () => {
    const { items, note } = explanationOf({
      state: off,
      drafts: [powerChange(60, false, key), lost],
      sources: { reachable: () => false },
    })
    expect(items[0]).toMatchObject({
      what: 'Hall light has not answered since 13:40. Its values are the last ones that it confirmed.',
      at: NOW - 20 * MINUTE,
    })
    expect(note).toContain('The unit does not answer. Its state is the last one that it confirmed.')
  })

  test('the unit is unplugged and a command failed', () => {
    const { items } = explanationOf({
      state: off,
      drafts: [powerChange(60, false, key), lost, tried],
      sources: { reachable: () => false },
    })
    expect(items[0]?.what).toBe(
      'Hall light: turn on failed: the unit does not answer (at 13:50, asked by API: Dashboard).',
    )
    expect(items[1]?.what).toContain('has not answered since 13:40')
  })

  test('a failed command before the newest change does not answer', () => {
    const whatFirst = (situation: Situation): string | undefined =>
      explanationOf({ state: off, drafts: [powerChange(60, false, key), tried], ...situation }).items[0]?.what
    expect(whatFirst({ drafts: [powerChange(60, false, key), tried, skipped] })).toContain(
      'Automation Dusk did not run',
    )
    expect(
      whatFirst({
        drafts: [powerChange(60, false, key), tried, { ...lost, ago: 5 }],
        sources: { reachable: () => false },
      }),
    ).toContain('has not answered since 13:55')
    expect(whatFirst({ sources: { linkDown: () => 'port' } })).toContain('No unit can be reached')
    expect(whatFirst({})).toContain('turn on failed')
  })

  test('a condition failed', () => {
    const { items } = explanationOf({ state: off, drafts: [powerChange(60, false, key), skipped] })
    expect(items[0]).toMatchObject({
      kind: 'automation',
      about: { kind: 'automation', id: 'dusk' },
      what: 'Automation Dusk did not run: a condition was not met (Hall sensor: light is below 20 lux) (at 13:57, set off by motion at Hall sensor).',
    })
    expect(items[1]?.what).toBe('Hall light turned off at 13:00: API: Dashboard.')
  })

  test('a skipped run does not explain a light that is on', () => {
    expect(explanationOf({ drafts: [powerChange(60, true, key), skipped] }).items[0]?.what).toBe(
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
    const { items } = explanationOf({ state: off, sources })
    expect(entryTexts(items).slice(0, 2)).toEqual(['There is no recorded change of Hall light.', want])
  })

  test('the adapter is lost', () => {
    const { items } = explanationOf({
      state: off,
      drafts: [powerChange(60, false, key)],
      sources: { linkDown: () => 'port' },
    })
    expect(items[0]?.what).toBe(
      'No unit can be reached, including Hall light: the unit adapter was lost: its port cannot be opened.',
    )
  })
})
