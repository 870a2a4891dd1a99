import { expect, test } from 'vitest'
import type { CounterReport, PhysicalUnit } from '../world/physical-units.ts'
import type { Tenure } from '../world/expected-state.ts'
import { ledgerOf } from './billed.ts'

const MINUTE = 60_000

/** A unit with counter reports at the given minutes. */
function physicalUnit(reports: readonly (readonly [minute: number, wh: number, certain?: boolean])[]): PhysicalUnit {
  const counters = reports.map(([minute, wh, certain = true]): CounterReport => {
    const at = minute * MINUTE
    return { gang: null, wh, at, wall: at, certain }
  })
  const device = { state: () => ({ class: 'light_switch' }) }
  return { counters, isNew: reports[0]?.[1] === 0, unit: { device: () => device } } as unknown as PhysicalUnit
}

function tenure(
  physical: PhysicalUnit | null,
  [from, until]: readonly [number, number],
  begunBy: Tenure['begunBy'] = null,
): Tenure {
  const fact = { id: 'u11', address: 11, class: 'light_switch', gangs: new Map<number, string>() }
  const [start, end] = [from * MINUTE, until * MINUTE]
  return { id: 'u11', fact, physical, from: start, fromWall: start, until: end, identity: '', begunBy, order: 1 }
}

test('the ledger of an id sums the energy of each unit during its tenure', () => {
  const one = physicalUnit([
    [1, 100],
    [10, 107],
    [30, 150],
  ])
  const other = physicalUnit([
    [5, 900],
    [21, 905],
    [40, 912],
  ])
  const ledger = ledgerOf([tenure(other, [20, Infinity], 'edit'), tenure(one, [0, 20])])
  expect(ledger).toEqual({ least: 14, most: 14 })
})

test('a counter continues while a unit is out of the network, and may while it is out of the house', () => {
  const unit = physicalUnit([
    [1, 100],
    [10, 107],
    [30, 110],
  ])
  const outOfNetwork = [tenure(unit, [25, Infinity]), tenure(null, [20, 25]), tenure(unit, [0, 20])]
  expect(ledgerOf(outOfNetwork)).toEqual({ least: 10, most: 10 })
  const outOfHouse = [tenure(unit, [25, Infinity]), tenure(unit, [0, 20])]
  expect(ledgerOf(outOfHouse)).toEqual({ least: 7, most: 10 })
})

test('the bounds differ only by reports that may be lost', () => {
  expect(
    ledgerOf([
      tenure(
        physicalUnit([
          [1, 100],
          [10, 107],
          [30, 110, false],
        ]),
        [0, Infinity],
      ),
    ]),
  ).toEqual({
    least: 7,
    most: 10,
  })
})

test('an indistinguishable unit counts from 0 if it is new, and from its counter if it is used', () => {
  const old = physicalUnit([
    [1, 100],
    [10, 107],
  ])
  const isNew = physicalUnit([
    [25, 0],
    [30, 2],
  ])
  const used = physicalUnit([
    [25, 9_000_000],
    [30, 9_000_002],
  ])
  expect(ledgerOf([tenure(isNew, [20, Infinity]), tenure(old, [0, 20])])).toEqual({ least: 9, most: 9 })
  expect(ledgerOf([tenure(used, [20, Infinity]), tenure(old, [0, 20])])).toEqual({ least: 9, most: 9 })
})
