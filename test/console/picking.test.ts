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
let home: Pickable
beforeAll(async () => {
  running = await TestGateway.open({ settled: false })
  const house = await running.admin.call<HouseShowAnswer>('GET', '/house')
  home = pickableOf(house, { withoutRoom: 'In no room', scenes: 'Scenes' })
})
afterAll(() => running[Symbol.asyncDispose]())

/** Of the tree, what can be shown to somebody; the gateway says whether it is. */
function shownWords(picks: Picks): ReadonlySet<string> {
  const { house } = running.gateway.home
  const exposure = parseExposure([...picks], house, { expose: 'All' })
  if (!exposure.ok) throw new Error(exposure.error)
  const { floors, rooms, devices, onlyGangs, scenes } = visibleIn(house, exposure.value)
  const wordOf = (key: string): string => (house.devices.get(key)?.gang ? `gang:${key}` : `unit:${key}`)
  return new Set([
    ...[...floors].map((id) => `floor:${id}`),
    ...[...rooms].map((id) => `room:${id}`),
    ...[...devices].filter((key) => !onlyGangs.has(key)).map(wordOf),
    ...[...scenes].map((id) => `scene:${id}`),
  ])
}

const nodes = (): PickNode[] => [...allOf(home.tree)]
const named = (name: string): PickNode => nodes().find((node) => node.name === name)!
const somePicks = (): fc.Arbitrary<Picks> =>
  fc.subarray([...home.coveredBy.keys()], { maxLength: 8 }).map((words) => new Set(words))
const without = (all: ReadonlySet<string>, gone: (key: string) => boolean): string[] =>
  [...all].filter((key) => !gone(key)).toSorted()

describe('the tree of picks', () => {
  test('marks as shown what the gateway shows, whatever is picked', () => {
    fc.assert(
      fc.property(somePicks(), (picks) => {
        const shown = shownWords(picks)
        for (const node of nodes().filter(({ kind }) => kind !== 'heading' && kind !== 'module'))
          expect([node.key, markOf(node, picks, home) === 'on']).toEqual([node.key, shown.has(node.key)])
      }),
      { numRuns: 50 },
    )
  })

  test('shows a thing that is ticked, and hides one that is unticked and nothing beside it', () => {
    const devices = (key: string): boolean => /^(?:unit|gang|scene):/.test(key)
    fc.assert(
      fc.property(somePicks(), fc.constantFrom(...nodes()), (picks, node) => {
        const isOn = markOf(node, picks, home) === 'on'
        const [before, after] = [shownWords(picks), shownWords(togglePick(node, picks, home))]
        expect(markOf(node, togglePick(node, picks, home), home)).not.toBe(isOn ? 'on' : 'off')
        if (!isOn || !devices(node.key) || node.kind === 'module') return
        const gone = (key: string): boolean => key === node.key || !devices(key) || isModule(key)
        expect(without(after, gone)).toEqual(without(before, gone))
        expect(after).not.toContain(node.key)
      }),
      { numRuns: 100 },
    )
  })

  test('takes a picked floor apart where one lamp of it goes, and its other rooms stay whole', () => {
    const picks = togglePick(named('Floor lamp'), new Set(['floor:ground-floor']), home)
    expect([...picks]).toContain('room:hall')
    expect([...picks]).not.toContain('room:living-room')
    expect(markOf(named('Ground floor'), picks, home)).toBe('mixed')
    expect([...togglePick(named('Ground floor'), picks, home)]).toEqual(['floor:ground-floor'])
  })

  test('says of a gang in another room which pick brings it', () => {
    const { units } = running.gateway.home.house
    const apart = [...units.values()]
      .flatMap((unit) => unit.gangs.map((gang) => ({ unit, gang })))
      .find(({ unit, gang }) => gang.room !== null && gang.room !== unit.room)!
    const node = nodes().find(({ key }) => key === `gang:${apart.unit.id}:${apart.gang.gang}`)!
    const room = running.gateway.home.house.rooms.get(apart.gang.room ?? '')!
    expect(includedBy(node, [`room:${room.id}`], new Set([`unit:${apart.unit.id}`]), home)).toBe(apart.unit.name)
    expect(includedBy(node, [`room:${room.id}`], new Set([`room:${room.id}`]), home)).toBeNull()
  })

  test('keeps picks of what is gone apart', () => {
    expect(missingPicks(new Set(['unit:sold', 'room:hall']), home)).toEqual(['unit:sold'])
  })
})

/**
 * A module of which gangs lie in other rooms cannot be picked without them: where its room is taken apart, its gangs
 * there stay, and its own sensor and settings go.
 */
const isModule = (key: string): boolean => nodes().some((node) => node.key === key && node.kind === 'module')
