import { describe, expect, it } from 'vitest'
import { type AutomationDraft } from './rules.ts'
import {
  commandsOf,
  firstMissingMode,
  firstUnmapped,
  mapReferences,
  type ReferenceMaps,
  type Referring,
  referencesOf,
} from './rule-parts.ts'

const rule: AutomationDraft = {
  name: 'All of it',
  enabled: true,
  when: [
    { device: 'a', state: 'on', is: true },
    { device: 'b', detection: 'motion' },
    { scene: 's' },
    { mode: 'away' },
    { time: '07:00' },
  ],
  if: [
    { device: 'c:1', reading: 'light', below: 5 },
    { days: [1] },
    { not: { mode: ['home', 'guest'] } },
    { not: { calendar: 'k' } },
    { person: 'anna', is: 'home' },
  ],
  then: [
    { device: 'd:0', op: 'open' },
    { delay: 5 },
    { scene: 't' },
    { mode: 'night' },
    { rule: 'schedule:r', enabled: true },
  ],
  mode: 'single',
}

const MODES = new Set(['away', 'home', 'guest', 'night'])

const same = (name: string): string => name
const ALL: ReferenceMaps = { device: same, scene: same, rule: same, group: same, room: same, floor: same }

describe('references', () => {
  it('include every device, scene, mode and rule in every part', () => {
    expect(referencesOf(rule)).toMatchObject({
      devices: new Set(['a', 'b', 'c:1', 'd:0']),
      scenes: new Set(['s', 't']),
      modes: MODES,
      rules: new Set(['schedule:r']),
      calendars: new Set(['k']),
      people: new Set(['anna']),
    })
    expect(referencesOf({ steps: [{ device: 'x', op: 'stop' }] }).devices).toEqual(new Set(['x']))
  })

  it('tell the first mode that is not there', () => {
    const missing = (...there: string[]): unknown => firstMissingMode(rule, (mode) => there.includes(mode))
    expect(missing('home', 'guest', 'night')).toEqual(['when', 3, 'mode'])
    expect(missing('away', 'home', 'night')).toEqual(['if', 2, 'not', 'mode'])
    expect(missing(...MODES)).toBeNull()
  })

  it('map there and back to an equal rule', () => {
    const rules = (id: string): string => `g:i:${id}`
    const out = mapReferences(rule, { ...ALL, device: rules, scene: (id) => `g:i:scene:${id}`, rule: rules })!
    expect(referencesOf(out)).toMatchObject({
      devices: new Set(['g:i:a', 'g:i:b', 'g:i:c:1', 'g:i:d:0']),
      scenes: new Set(['g:i:scene:s', 'g:i:scene:t']),
      modes: MODES,
      rules: new Set(['g:i:schedule:r']),
      calendars: new Set(['k']),
      people: new Set(['anna']),
    })
    const back = (id: string): string => id.slice(4)
    expect(mapReferences(out, { ...ALL, device: back, scene: (id) => id.slice(10), rule: back })).toEqual(rule)
  })

  it('include named groups, rooms and floors, and map them by their kind', () => {
    const grouped: Referring = {
      when: [{ group: 'any', room: 'hall', reachable: false }],
      if: [{ not: { group: 'set', floor: 'top', state: 'on', is: true, of: 'any' } }],
      then: [{ group: 'light', op: 'toggle' }],
    }
    expect(referencesOf(grouped)).toMatchObject({
      ...{ groups: new Set(['set']), rooms: new Set(['hall']), floors: new Set(['top']) },
      targets: [{ group: 'any' }, { group: 'set' }, { group: 'light' }],
    })
    const kinds = (kind: string) => (id: string) => `${kind}:${id}`
    const out = mapReferences(grouped, { ...ALL, group: kinds('group'), room: kinds('room'), floor: kinds('floor') })!
    expect(referencesOf(out)).toMatchObject({
      ...{ groups: new Set(['group:set']), rooms: new Set(['room:hall']), floors: new Set(['floor:top']) },
    })
    expect(mapReferences(grouped, { ...ALL, floor: () => null })).toBeNull()
    expect(firstUnmapped(grouped, { ...ALL, group: () => null })).toEqual(['if', 0, 'not', 'group'])
    expect(firstUnmapped(grouped, { ...ALL, room: () => null })).toEqual(['when', 0, 'room'])
  })

  it('map nothing if one reference is not allowed', () => {
    const except = (hidden: string) => (name: string) => (name === hidden ? null : name)
    for (const hidden of ['a', 'b', 'c:1', 'd:0'])
      expect(mapReferences(rule, { ...ALL, device: except(hidden) })).toBeNull()
    for (const hidden of ['s', 't']) expect(mapReferences(rule, { ...ALL, scene: except(hidden) })).toBeNull()
    expect(mapReferences(rule, { ...ALL, rule: except('schedule:r') })).toBeNull()
    expect(firstUnmapped(rule, { ...ALL, rule: except('schedule:r') })).toEqual(['then', 4, 'rule'])
  })

  it('map only the fields of a partial edit', () => {
    const named = (name: string) => (): string => name
    const maps = { ...ALL, device: named('D'), scene: named('S'), rule: named('R') }
    expect(mapReferences({ then: [{ scene: 's' }] }, maps)).toEqual({ then: [{ scene: 'S' }] })
  })

  it('include the commands of the scenes that are run', () => {
    const commands = commandsOf(rule.then, (scene) =>
      scene === 't' ? [{ device: 'lock', op: 'open' }, { delay: 1 }] : [],
    )
    expect(commands).toEqual([
      { device: 'd:0', command: { op: 'open' } },
      { device: 'lock', command: { op: 'open' } },
    ])
  })
})
