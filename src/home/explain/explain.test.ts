import { describe, expect, test } from 'vitest'
import {
  DAY,
  explanationOf,
  key,
  MINUTE,
  NOW,
  off,
  type Situation,
  through,
  powerChange,
  entryTexts,
} from '#support/homes/explained-home.ts'
import { GATEWAY_CAUSE } from '../model/events.ts'

describe('further items of an explanation', () => {
  test('rules, mode, settings, schedules, sensors and integrations come with their source and age', () => {
    const { items, note } = explanationOf({
      state: { on: true, mode: 'auto' },
      drafts: [powerChange(50, true, key), powerChange(40, false, key), powerChange(30, true, { ...key, link: 'l2' })],
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

  test.each([
    ['cause', 'its cause had already set off too many runs'],
    ['cascade', 'too many automations set each other off'],
  ] as const)('an automation that the limit %s stopped names the limit', (bound, why) => {
    const { items } = explanationOf({
      state: off,
      sources: { limitedRun: () => ({ at: NOW - 5 * MINUTE, limit: bound }) },
    })
    expect(items[0]?.what).toBe(`Automation Dusk did not run at 13:55: ${why}.`)
  })

  test('disabled knobs hide their items', () => {
    const { items } = explanationOf({
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
    expect(entryTexts(items)).toEqual(['There is no recorded change of Hall light.'])
  })

  test('a module is explained with its visible gangs only', () => {
    const { items } = explanationOf({
      about: { kind: 'device', id: 'module' },
      drafts: [
        { ...powerChange(5, true, key), subject: { kind: 'device', id: 'module:0' } },
        { ...powerChange(4, true, key), subject: { kind: 'device', id: 'module:1' } },
      ],
    })
    expect(items[0]?.what).toBe('Mirror turned on at 13:55: API: Dashboard.')
    expect(JSON.stringify(items)).not.toMatch(/Secret|module:1/)
  })

  test('a gang is explained with the entries of its module', () => {
    const { items } = explanationOf({
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
    expect(items[0]?.what).toBe('Mirror has not answered since 13:51. Its values are the last ones that it confirmed.')
  })

  test('a scene: its last runs and the rules that run it', () => {
    const { items } = explanationOf({
      about: { kind: 'scene', id: 'evening' },
      drafts: [{ ago: 3, kind: 'run', subject: { kind: 'scene', id: 'evening' }, what: 'ran', cause: through }],
    })
    expect(entryTexts(items)).toEqual([
      'Scene Evening ran at 13:57: automation Dusk, set off by motion at Hall sensor.',
      'Automation Dusk is set to run it when Hall sensor detects motion, but only if Hall sensor: light is below 20 lux.',
    ])
  })

  test('equal histories give equal explanations', () => {
    const situation: Situation = {
      drafts: [powerChange(50, true, key), powerChange(50, false, through)],
      detections: [['sensor', 9]],
    }
    expect(explanationOf(situation)).toEqual(explanationOf(situation))
  })
})
