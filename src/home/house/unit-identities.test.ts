import { describe, expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempHistory } from '#support/homes/history.ts'
import { homeInfo, unitOf } from '#support/homes/house-content.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
import type { HistoryDb } from '../../db/history/history-db.ts'
import { Emitter } from '../../lib/emitter.ts'
import { type HomeEvent, type ActivityDraft, type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import type { Unit } from '../model/house.ts'
import type { BusReport, BusUnit } from '../ports/unit-bus.ts'
import { UnitIdentities } from './unit-identities.ts'

const ANNA: Cause = { source: 'person', name: 'Anna' }
const lamp = unitOf('lamp', 1)
const wall = unitOf('wall', 3, {
  model: 'HMHHX2',
  class: 'gang_module',
  gangs: [
    { gang: 0, name: 'left', class: 'switch_gang', room: null },
    { gang: 1, name: 'right', class: 'switch_gang', room: null },
  ],
})

const listed = ({ address, model, class: unitClass, gangs }: Unit): BusUnit => ({
  address,
  model: model ?? 'HMHHX1',
  class: unitClass,
  firmware: '1',
  gangs: gangs.map(({ gang, class: gangClass }) => ({ gang, class: gangClass })),
  reachable: true,
})

/** A house with watched identities; `rebound` collects the ids that name another unit. */
function watchedHouse(units: readonly Unit[], history: HistoryDb = tempHistory(), onBus: readonly Unit[] = units) {
  const clock = new ManualClock(1_000)
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const rebound: string[] = []
  const drafts: ActivityDraft[] = []
  events.on((event) => {
    if (event.kind === 'rebound') rebound.push(event.unit)
  })
  const house = storedHouse({ units }, { events, clock })
  const busUnits = new Map(onBus.map((unit) => [unit.address, listed(unit)]))
  let report: (report: BusReport) => void = () => {}
  const identities = new UnitIdentities({
    house,
    bus: {
      units: busUnits,
      onReport: (listener) => {
        report = listener
        return () => {}
      },
    },
    events,
    store: history.unitIdentities,
    activity: { record: (draft) => drafts.push(draft) },
    clock,
  })
  identities.start()
  const replace = (now: readonly Unit[]): void =>
    house.replace({ info: homeInfo(), floors: [], rooms: [], units: now, scenes: [], groups: [] }, ANNA)
  const join = (unit: Unit): void => {
    busUnits.set(unit.address, listed(unit))
    report({ kind: 'unit', change: 'joined', unit: listed(unit) })
  }
  return { clock, rebound, drafts, house, identities, history, replace, join }
}

describe('an id names another unit', () => {
  const otherGangs: Unit = { ...wall, gangs: wall.gangs.slice(0, 1) }
  test.each<[string, Unit, Unit]>([
    ['another address', lamp, { ...lamp, address: 9 }],
    ['another model', { ...lamp, model: 'HMHHX1' }, { ...lamp, model: 'HMPH' }],
    ['another class', lamp, { ...lamp, class: 'power_switch' }],
    ['other gangs', wall, otherGangs],
  ])('with %s', (_, before, after) => {
    const home = watchedHouse([before])
    home.clock.advance(500)
    home.replace([after])
    expect(home.rebound).toEqual([before.id])
    expect(home.identities.since(before.id)).toBe(1_500)
    expect(home.drafts).toEqual([
      {
        at: 1_500,
        kind: 'edited',
        subject: { kind: 'device', id: before.id },
        what: 'replaced',
        cause: ANNA,
        data: { replaced: true },
      },
    ])
  })

  test('when two exchange their addresses', () => {
    const other = unitOf('other', 2)
    const home = watchedHouse([lamp, other])
    home.replace([
      { ...lamp, address: 2 },
      { ...other, address: 1 },
    ])
    expect(home.rebound).toEqual(['lamp', 'other'])
  })

  test('when the adapter lists another model at its address', () => {
    const home = watchedHouse([lamp])
    home.join({ ...lamp, model: 'HMPH' })
    expect(home.rebound).toEqual(['lamp'])
    expect(home.drafts[0]?.cause).toEqual(GATEWAY_CAUSE)
  })

  test('when it was removed and comes back with another address', () => {
    const home = watchedHouse([lamp])
    home.replace([])
    home.replace([{ ...lamp, address: 9 }])
    expect(home.rebound).toEqual(['lamp'])
  })
})

describe('an id names the same unit', () => {
  test('with another name, room or place, or after an absence from the house', () => {
    const home = watchedHouse([lamp])
    home.replace([{ ...lamp, name: 'Reading lamp', position: 4, light: true }])
    home.replace([])
    home.replace([lamp])
    expect(home.rebound).toEqual([])
  })

  test('when its model becomes known, or the adapter lists it for the first time', () => {
    const home = watchedHouse([{ ...lamp, model: null }], tempHistory(), [])
    home.replace([lamp])
    home.join(lamp)
    home.join(lamp)
    expect(home.rebound).toEqual([])
    expect(home.identities.since('lamp')).toBe(0)
  })
})

describe('over a restart', () => {
  test('a replacement during the downtime is found, once', () => {
    const history = tempHistory()
    watchedHouse([lamp], history)
    const second = watchedHouse([{ ...lamp, address: 9 }], history)
    expect(second.rebound).toEqual(['lamp'])
    const third = watchedHouse([{ ...lamp, address: 9 }], history)
    expect(third.rebound).toEqual([])
    expect(third.identities.since('lamp')).toBe(1_000)
  })
})
