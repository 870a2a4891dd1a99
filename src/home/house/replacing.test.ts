import { describe, expect, test, vi } from 'vitest'
import { sceneOf, unitOf } from '#support/homes/house-content.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqliteHouse } from '../../db/core/house-store.ts'
import { lastNumberOf } from '../../db/core/numbers.ts'
import { GATEWAY_CAUSE } from '../model/events.ts'
import type { Unit } from '../model/house.ts'
import type { BusUnit } from '../ports/unit-bus.ts'
import { replacedUnits, successorOf } from './placing.ts'

const gangsOf = (count: number) =>
  Array.from({ length: count }, (_, gang) => ({
    gang,
    name: `Gang ${gang}`,
    class: 'switch_gang' as const,
    room: null,
  }))
const UNITS: readonly Unit[] = [
  unitOf('lamp', 1, { name: 'Lamp' }),
  unitOf('plug', 2, { model: 'HMHHX1', class: 'light_switch', light: true }),
  unitOf('panel', 3, { model: 'HMHHX3', class: 'gang_module', gangs: gangsOf(3) }),
  unitOf('door', 4, { model: 'HMLK', class: 'lock' }),
  unitOf('garage', 5, { model: 'HMGT', class: 'gate' }),
  unitOf('blind', 6, { model: 'HMTHX2', class: 'shutter' }),
]

/** A unit as the adapter lists it. */
const onBus = (address: number, its: BusUnit['class'], gangs = 0): [number, BusUnit] => [
  address,
  {
    address,
    model: 'HMHHX1',
    class: its,
    firmware: '1',
    gangs: gangsOf(gangs).map(({ gang }) => ({ gang, class: 'switch_gang' })),
    reachable: true,
  },
]

const replace = (unit: string, ...found: Parameters<typeof onBus>) =>
  replacedUnits(storedHouse({ units: UNITS }), new Map([onBus(...found)]), { unit, address: found[0] })

describe('units behind ids of the house', () => {
  test.each([
    ['lamp', 'sensor', 'living with no operation in common'],
    ['lamp', 'lock', 'an entrance'],
    ['blind', 'gate', 'an entrance'],
    ['door', 'gate', 'another entrance'],
    ['door', 'light_switch', 'no longer an entrance'],
    ['panel', 'sensor', 'no gangs'],
  ] as const)('%s is not replaced by a %s: %s', (...[unit, its]) => {
    const answer = replace(unit, 81, its)
    expect(answer).toMatchObject({ ok: false, error: { kind: 'impossible' } })
    expect(answer.ok ? '' : answer.error.message).toContain('needs an id of its own')
  })

  test.each([
    ['lamp', 'light_switch', 0],
    ['plug', 'power_switch', 0],
    ['lamp', 'gang_module', 2],
    ['panel', 'light_switch', 0],
    ['panel', 'gang_module', 1],
    ['blind', 'curtain', 0],
    ['door', 'lock', 0],
  ] as const)('%s is replaced by a %s', (unit, its, gangs) => {
    expect(replace(unit, 81, its, gangs)).toMatchObject({
      ok: true,
      value: [{ after: { id: unit, address: 81, class: its } }],
    })
  })

  test('names, rooms and loads belong to the id; model, class and gangs to the unit', () => {
    const plug = replace('plug', 81, 'power_switch')
    expect(plug.ok && plug.value[0]?.after).toMatchObject({ name: 'plug', light: true, model: 'HMHHX1' })
    const blind = replace('plug', 81, 'light_dimmer')
    expect(blind.ok && blind.value[0]?.after).not.toHaveProperty('light')
    const panel = replace('panel', 81, 'gang_module', 4)
    expect(panel.ok && panel.value[0]?.after.gangs.map(({ name }) => name)).toEqual([
      'Gang 0',
      'Gang 1',
      'Gang 2',
      'panel 4',
    ])
  })

  test('the first gang takes over from a switch that became a module, and vice versa', () => {
    const lamp = replace('lamp', 81, 'gang_module', 2)
    expect(lamp.ok && lamp.value.map((unit) => successorOf(unit, 'lamp'))).toEqual(['lamp:0'])
    const panel = replace('panel', 81, 'light_switch')
    expect(
      panel.ok && panel.value.flatMap((unit) => ['panel:0', 'panel:1'].map((key) => successorOf(unit, key))),
    ).toEqual(['panel', null])
  })

  test('two units exchange their addresses in one transaction, or nothing changes', () => {
    const core = new CoreDb(':memory:')
    const house = storedHouse({ units: UNITS, scenes: [sceneOf('evening')] }, { core })
    const [lamp, plug] = UNITS
    if (lamp === undefined || plug === undefined) throw new Error('no units')
    const changed = [
      { ...lamp, address: 2 },
      { ...plug, address: 1 },
    ]
    const addresses = () => new SqliteHouse(core).load().units.map(({ id, address }) => [id, address])
    const before = addresses()
    const fails = {
      store: (): never => {
        throw new Error('The last part cannot be stored.')
      },
      apply: () => {},
    }
    const evening = sceneOf('evening', { revision: 2 })
    expect(() => house.replaceUnits({ units: changed, scenes: [evening], groups: [] }, GATEWAY_CAUSE, [fails])).toThrow(
      'cannot be stored',
    )
    expect(addresses()).toEqual(before)
    expect([house.units.get('lamp')?.address, house.scenes.get('evening')?.revision]).toEqual([1, 1])
    house.replaceUnits({ units: changed, scenes: [evening], groups: [] }, GATEWAY_CAUSE, [])
    expect(addresses().slice(0, 2)).toEqual([
      ['lamp', 2],
      ['plug', 1],
    ])
    expect([house.unitAt(2)?.id, house.unitAt(1)?.id, house.scenes.get('evening')?.revision]).toEqual([
      'lamp',
      'plug',
      2,
    ])
  })
})

test('a replacement counts as a change for safety copies, now and at a start, although it has no outbox row', () => {
  const core = new CoreDb(':memory:')
  const store = new SqliteHouse(core)
  const before = lastNumberOf(core.db, 'activity_outbox')
  const changed = vi.fn<() => void>()
  core.onChanged = changed
  core.change(() => store.saveUnits([unitOf('lamp', 1, { name: 'Lamp' })]))
  expect([lastNumberOf(core.db, 'activity_outbox') - before, changed.mock.calls.length]).toEqual([1, 1])
})
