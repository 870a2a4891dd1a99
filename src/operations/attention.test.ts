import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../lib/durations.ts'
import { type AttentionFacts, attentionOf } from './attention.ts'

const NOW = Date.UTC(2026, 10, 23)
const inDays = (days: number): string => new Date(NOW + days * DAY_MS).toISOString()

const WELL: AttentionFacts = {
  gateway: 'g',
  home: 'Home',
  port: 8490,
  socketElsewhere: null,
  upSeconds: 1,
  addresses: [],
  certificateUntil: inDays(60),
  caUntil: inDays(7_000),
  clock: 'believed',
  units: {
    link: 'up',
    onTheBus: 20,
    reachable: 20,
    inTheHouse: 20,
    unreachable: [],
    withoutPlace: 0,
    otherClass: [],
    lowBatteries: [],
  },
  linkCounters: {},
  streams: null,
  relay: { state: 'off', trouble: null },
  integrations: 0,
  failedAuthentications: 19,
  history: { written: 0, shed: 0, failed: 0, leftOutLately: 0, bytes: 0, damaged: null },
  disk: { bytes: 1e9, bytesFree: 5e8, state: 'ok' },
  configuration: { bytes: 0 },
  incidents: [],
  backup: { folder: '/b', last: null, nextAt: NOW, error: null, working: false, phraseSince: null },
  memory: { residentMiB: 100 },
}

/** Items for facts that differ from a healthy gateway: level and kind. */
function kindsOf(facts: Partial<AttentionFacts>): readonly string[] {
  return attentionOf({ ...WELL, ...facts }, (unit) => `Lamp ${unit}`, NOW).map(({ level, kind }) => `${level} ${kind}`)
}

describe('the list of attention', () => {
  test('is empty if all is well', () => expect(kindsOf({})).toEqual([]))

  test('has no item for a row left out days ago', () =>
    expect(kindsOf({ history: { ...WELL.history, shed: 5, failed: 5 } })).toEqual([]))

  test.each<[string, Partial<AttentionFacts>, string]>([
    ['an incident', { incidents: [{ id: 1, at: 1, what: 'Restored.' }] }, 'attention incident'],
    ['a disk with little room', { disk: { ...WELL.disk, state: 'low' } }, 'attention disk'],
    ['a full disk', { disk: { ...WELL.disk, state: 'full' } }, 'broken disk'],
    ['a disk that accepts no writes', { disk: { ...WELL.disk, state: 'failing' } }, 'broken disk'],
    ['a socket file elsewhere', { socketElsewhere: '/run/x' }, 'attention socket'],
    ['a line that is down', { units: { ...WELL.units, link: 'down (lost)', unreachable: ['a'] } }, 'broken line'],
    ['a certificate that was not renewed', { certificateUntil: inDays(13) }, 'attention certificate'],
    ['a certificate that has ended', { certificateUntil: inDays(-1) }, 'broken certificate'],
    ['a CA that ends soon', { caUntil: inDays(89) }, 'attention ca'],
    [
      'a backup that could not be made',
      { backup: { ...WELL.backup, error: { at: 1, what: 'No.' } } },
      'attention backup',
    ],
    [
      'a backup that is old',
      { backup: { ...WELL.backup, last: { name: 'home.hmb', at: 1, bytes: 1, ageSeconds: 4 * 86_400 } } },
      'attention backup',
    ],
    ['a home that never had a backup', { upSeconds: 4 * 86_400 }, 'attention backup'],
    ['a clock that is not believed', { clock: 'ahead' }, 'attention clock'],
    ['a relay that is not reached', { relay: { state: 'connecting', trouble: 'No.' } }, 'attention relay'],
    ['a tunnel that was full', { relay: { state: 'linked', trouble: null, fullAt: 1 } }, 'attention relay'],
    ['many who were turned away', { failedAuthentications: 20 }, 'attention turned_away'],
    [
      'a network without the announcement',
      { announcement: { silent: [{ interface: 'eth0', address: '192.168.1.20' }], conflicts: [] } },
      'attention announcement',
    ],
    [
      'another machine with the name of the gateway',
      { announcement: { silent: [], conflicts: [{ address: '192.168.1.66', name: 'hm-a.local', at: 1 }] } },
      'attention announcement',
    ],
    ['a history that was damaged', { history: { ...WELL.history, damaged: '/x' } }, 'attention history'],
    ['rows that were left out', { history: { ...WELL.history, shed: 1, leftOutLately: 1 } }, 'attention history'],
    [
      'a jump of a counter',
      { energyJumps: [{ id: 1, device: 'a', name: null, from: 0, to: 9, energy: 9_000 }] },
      'attention energy_jump',
    ],
    ['a silent unit', { units: { ...WELL.units, unreachable: ['a'] } }, 'attention unit_silent'],
    ['a unit without a place', { units: { ...WELL.units, withoutPlace: 1 } }, 'attention unit_without_place'],
    [
      'a unit of another class',
      { units: { ...WELL.units, otherClass: [{ device: 'a', house: 'shutter', bus: 'gate' }] } },
      'attention unit_class',
    ],
    [
      'a rule that names removed things',
      { rulesWithGaps: [{ kind: 'automation', id: 'a', name: 'Dusk', missing: ['the mode film'] }] },
      'attention rule',
    ],
    [
      'a rule without the author of its groups',
      { rulesWithGaps: [{ kind: 'automation', id: 'a', name: 'Dusk', missing: [], withoutAuthor: true }] },
      'attention rule',
    ],
    ['a low battery', { units: { ...WELL.units, lowBatteries: [{ unit: 'a', percent: 8 }] } }, 'attention battery'],
  ])('has %s, and no other item with it', (_, facts, one) => expect(kindsOf(facts)).toEqual([one]))

  test.each([
    [['the mode film'], 'names the mode film, which was removed.'],
    [['the mode film', 'a person'], 'names the mode film and a person, which were removed.'],
    [
      ['the mode film', 'a person', 'the scene tv'],
      'names the mode film, a person and the scene tv, which were removed.',
    ],
    [[], 'have no devices, because the program that saved it was removed.'],
  ])('names removed things %j of a rule in a sentence', (missing, words) => {
    const rulesWithGaps = [{ kind: 'automation', id: 'a', name: 'Dusk', missing }] as const
    expect(attentionOf({ ...WELL, rulesWithGaps: [...rulesWithGaps] }, String, NOW)[0]?.what).toContain(words)
  })

  test('has the most serious item first, with names for people', () => {
    const units = { ...WELL.units, unreachable: ['a'] }
    const disk = { ...WELL.disk, state: 'full' } as const
    const all = attentionOf({ ...WELL, units, disk, clock: 'behind' }, (unit) => `Lamp ${unit}`, NOW)
    expect(all.map(({ kind }) => kind)).toEqual(['disk', 'clock', 'unit_silent'])
    expect(all[2]).toMatchObject({ device: 'a', what: expect.stringMatching(/^Lamp a does not answer\./) })
  })

  test('is short if many units are silent at once', () => {
    const unreachable = Array.from({ length: 20 }, (_, at) => `u${at}`)
    const all = attentionOf({ ...WELL, units: { ...WELL.units, unreachable } }, (unit) => unit, NOW)
    expect(all).toHaveLength(9)
    expect(all.at(-1)).toMatchObject({
      kind: 'unit_silent',
      what: '12 more units do not answer.',
      device: null,
      count: 12,
    })
  })

  test('has an item for each of the first jumps, and one for the rest', () => {
    const energyJumps = Array.from({ length: 11 }, (_, id) => ({
      id,
      device: 'a',
      name: 'Socket',
      from: 0,
      to: 5 * DAY_MS,
      energy: 9_000,
    }))
    const views = attentionOf({ ...WELL, energyJumps }, (unit) => unit, NOW)
    expect(views.map(({ jump, count }) => [jump, count])).toEqual([
      ...Array.from({ length: 8 }, (_, id) => [String(id), 1]),
      [undefined, 3],
    ])
    expect(views[0]?.what).toMatch(/^The counter of Socket jumped by 9 kWh after 5 days without a value\./)
  })
})
