// @module-tag repeated
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { homeInfo, sceneOf, unitOf } from '#support/homes/house-content.ts'
import { newGroup } from '../../home/model/groups.ts'
import type { HouseContent } from '../../home/ports/house-store.ts'
import type { Floor, Room, Unit } from '../../home/model/house.ts'
import { CoreDb } from './core-db.ts'
import { SqliteHouse } from './house-store.ts'
import { times } from '#support/long.ts'

const IDS = ['a', 'b', 'c', 'd']
const some = fc.subarray(IDS)
const order = fc.shuffledSubarray(IDS, { minLength: IDS.length })
const name = fc.constantFrom('One', 'Two')
const within = (ids: readonly string[]): fc.Arbitrary<string | null> => fc.constantFrom(null, ...ids)

/** A house with few ids and addresses, so that the next one keeps some, moves some and reassigns some addresses. */
const house: fc.Arbitrary<HouseContent> = fc
  .tuple(some, some, some, some, order)
  .chain(([floors, rooms, units, scenes, addresses]) =>
    fc.record({
      info: name.map((word) => homeInfo({ name: word })),
      floors: fc.tuple(...floors.map((id, position) => name.map((word): Floor => ({ id, name: word, position })))),
      rooms: fc.tuple(
        ...rooms.map((id, position) =>
          fc.record<Room>({ id: fc.constant(id), name, floor: within(floors), position: fc.constant(position) }),
        ),
      ),
      units: fc.tuple(
        ...units.map((id, position) =>
          fc.tuple(name, within(rooms), fc.boolean()).map(([its, room, isModule]): Unit =>
            unitOf(id, addresses.indexOf(id) + 1, {
              name: its,
              room,
              position,
              ...(isModule
                ? { class: 'gang_module', gangs: [{ gang: 0, name: its, class: 'switch_gang', room, light: true }] }
                : {}),
            }),
          ),
        ),
      ),
      groups: fc.tuple(
        ...scenes.map((id, position) =>
          fc.record({ name, members: some }).map((its) => newGroup({ ...its, id, position, origin: null })),
        ),
      ),
      scenes: fc.tuple(...scenes.map((id, position) => within(rooms).map((room) => sceneOf(id, { room, position })))),
    }),
  )

/** A house store over a new database. */
function openStore(): { readonly core: CoreDb; readonly store: SqliteHouse } {
  const core = new CoreDb(':memory:')
  const store = new SqliteHouse(core)
  core.change(() => store.found('m323e52c3x5x', homeInfo()))
  return { core, store }
}

it('contains exactly the house that replaced the previous one, even if units changed addresses', () => {
  fc.assert(
    fc.property(fc.array(house, { minLength: 2, maxLength: 4 }), (houses) => {
      const { core, store } = openStore()
      for (const content of houses) {
        core.change(() => store.replace(content))
        expect(store.load()).toEqual(content)
      }
      core.close()
    }),
    { numRuns: times(20, 200) },
  )
})

it('gives units other addresses', () => {
  const { core, store } = openStore()
  const moved = [unitOf('fan', 1, { name: 'Moved too' }), unitOf('lamp', 3, { name: 'Moved' })]
  core.change(() => {
    for (const unit of [unitOf('lamp', 1), unitOf('fan', 2), ...moved.toReversed()]) store.saveUnits([unit])
  })
  expect(store.load().units).toEqual(moved)
  core.close()
})
