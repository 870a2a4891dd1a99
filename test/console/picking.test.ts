import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HouseShowAnswer } from '../../console/src/lib/admin-contract.ts'
import {
  allOf,
  includedBy,
  missingPicks,
  markOf,
  type Pickable,
  pickableOf,
  type PickNode,
  type Picks,
  togglePick,
} from '../../console/src/pages/access/picking.ts'
import { visibleIn } from '../../src/exposure/visible.ts'
import { parseExposure } from '../../src/exposure/pick-text.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

let running: TestGateway
const OTHERS = { calendars: 'Calendars', mode: 'Mode' }
let home: Pickable
beforeAll(async () => {
  running = await TestGateway.open({ settled: false })
  const house = await running.admin.call<HouseShowAnswer>('GET', '/house')
  home = pickableOf(house, { withoutRoom: 'In no room', scenes: 'Scenes', groups: 'Groups', ...OTHERS })
})
afterAll(() => running[Symbol.asyncDispose]())

/** Keys that the gateway makes visible for these picks. */
function visibleKeys(picks: Picks): ReadonlySet<string> {
  const { house } = running.gateway.home
  const exposure = parseExposure([...picks], house, { expose: 'All' })
  if (!exposure.ok) throw new Error(exposure.error)
  const { floors, rooms, devices, onlyGangs, scenes, calendars, mode } = visibleIn(house, exposure.value)
  const wordOf = (key: string): string => (house.devices.get(key)?.gang ? `gang:${key}` : `unit:${key}`)
  return new Set([
    ...[...floors].map((id) => `floor:${id}`),
    ...[...rooms].map((id) => `room:${id}`),
    ...[...devices].filter((key) => !onlyGangs.has(key)).map(wordOf),
    ...[...scenes].map((id) => `scene:${id}`),
    ...[...calendars].map((id) => `calendar:${id}`),
    ...(mode ? ['mode'] : []),
  ])
}

const nodes = (): PickNode[] => [...allOf(home.tree)]
const named = (name: string): PickNode => nodes().find((node) => node.name === name)!
const somePicks = (): fc.Arbitrary<Picks> =>
  fc.subarray([...home.coveredBy.keys()], { maxLength: 8 }).map((words) => new Set(words))
const without = (all: ReadonlySet<string>, isIgnored: (key: string) => boolean): string[] =>
  [...all].filter((key) => !isIgnored(key)).toSorted()

describe('the tree of picks', () => {
  test('marks exactly the things that the gateway shows', () => {
    fc.assert(
      fc.property(somePicks(), (picks) => {
        const visible = visibleKeys(picks)
        for (const node of nodes().filter(({ kind }) => kind !== 'heading' && kind !== 'module'))
          expect([node.key, markOf(node, picks, home) === 'on']).toEqual([node.key, visible.has(node.key)])
      }),
      { numRuns: 50 },
    )
  })

  test('shows a ticked thing, and hides an unticked thing but no other', () => {
    const devices = (key: string): boolean => /^(?:unit|gang|scene):/.test(key)
    fc.assert(
      fc.property(somePicks(), fc.constantFrom(...nodes()), (picks, node) => {
        const isOn = markOf(node, picks, home) === 'on'
        const [before, after] = [visibleKeys(picks), visibleKeys(togglePick(node, picks, home))]
        expect(markOf(node, togglePick(node, picks, home), home)).not.toBe(isOn ? 'on' : 'off')
        if (!isOn || !devices(node.key) || node.kind === 'module') return
        const isIgnored = (key: string): boolean => key === node.key || !devices(key) || isModule(key)
        expect(without(after, isIgnored)).toEqual(without(before, isIgnored))
        expect(after).not.toContain(node.key)
      }),
      { numRuns: 100 },
    )
  })

  test('splits a picked floor when one lamp is unticked, and keeps its other rooms whole', () => {
    const picks = togglePick(named('Floor lamp'), new Set(['floor:ground-floor']), home)
    expect([...picks]).toContain('room:hall')
    expect([...picks]).not.toContain('room:living-room')
    expect(markOf(named('Ground floor'), picks, home)).toBe('mixed')
    expect([...togglePick(named('Ground floor'), picks, home)]).toEqual(['floor:ground-floor'])
  })

  test('names the pick that includes a gang in another room', () => {
    const { units } = running.gateway.home.house
    const apart = [...units.values()]
      .flatMap((unit) => unit.gangs.map((gang) => ({ unit, gang })))
      .find(({ unit, gang }) => gang.room !== null && gang.room !== unit.room)!
    const node = nodes().find(({ key }) => key === `gang:${apart.unit.id}:${apart.gang.gang}`)!
    const room = running.gateway.home.house.rooms.get(apart.gang.room ?? '')!
    expect(includedBy(node, [`room:${room.id}`], new Set([`unit:${apart.unit.id}`]), home)).toBe(apart.unit.name)
    expect(includedBy(node, [`room:${room.id}`], new Set([`room:${room.id}`]), home)).toBeNull()
  })

  test('lists picks of missing things separately', () => {
    expect(missingPicks(new Set(['unit:sold', 'room:hall']), home)).toEqual(['unit:sold'])
  })
})

/**
 * A pick of a module includes its gangs in other rooms. When its room is split, only the gangs in the room stay, without
 * the module's sensor and settings.
 */
const isModule = (key: string): boolean => nodes().some((node) => node.key === key && node.kind === 'module')
