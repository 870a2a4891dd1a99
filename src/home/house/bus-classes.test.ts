import { expect, test } from 'vitest'
import { recordingLog } from '#support/recording-log.ts'
import { Emitter } from '../../lib/emitter.ts'
import { type HomeEvent, GATEWAY_CAUSE } from '../model/events.ts'
import type { Unit } from '../model/house.ts'
import type { BusReport, BusUnit } from '../ports/unit-bus.ts'
import { classConflicts, watchClasses } from './placing.ts'

const common = { model: null, room: null, position: 0 }
const lamp: Unit = { ...common, id: 'lamp', name: 'Lamp', address: 1, class: 'light_switch', gangs: [] }
const panel: Unit = {
  ...common,
  id: 'panel',
  name: 'Panel',
  address: 2,
  class: 'gang_module',
  gangs: [
    { gang: 0, name: 'A', class: 'switch_gang', room: null },
    { gang: 1, name: 'B', class: 'switch_gang', room: null },
  ],
}
const onBus = (more: Pick<BusUnit, 'address' | 'class'> & Partial<BusUnit>): BusUnit => ({
  model: 'HMHH',
  firmware: '1',
  gangs: [],
  reachable: true,
  ...more,
})

test('a device has a conflict if the bus lists another class or no such gang, but not if the bus does not know it', () => {
  const units = new Map([
    [1, onBus({ address: 1, class: 'lock' })],
    [2, onBus({ address: 2, class: 'gang_module', gangs: [{ gang: 0, class: 'shutter_gang' }] })],
    [3, onBus({ address: 3, class: 'gate' })],
  ])
  expect(classConflicts([lamp, panel], units)).toEqual([
    { device: 'lamp', house: 'light_switch', bus: 'lock' },
    { device: 'panel:0', house: 'switch_gang', bus: 'shutter_gang' },
    { device: 'panel:1', house: 'switch_gang', bus: null },
  ])
  expect(classConflicts([lamp, panel], new Map())).toEqual([])
})

test('each conflict is logged once while it lasts', () => {
  const log = recordingLog()
  const throwing = (error: unknown): never => {
    throw error
  }
  const [events, reports] = [new Emitter<HomeEvent>(throwing), new Emitter<BusReport>(throwing)]
  const house = { units: new Map([['lamp', lamp]]) }
  const units = new Map<number, BusUnit>()
  const stop = watchClasses({
    house,
    bus: { units, onReport: (listener) => reports.on(listener) },
    events,
    log,
  })
  const up = { kind: 'link', down: null } as const
  const warnings = (): number => log.lines.filter(({ level }) => level === 'warn').length
  reports.emit(up)
  expect(warnings()).toBe(0)
  units.set(1, onBus({ address: 1, class: 'lock' }))
  reports.emit(up)
  reports.emit(up)
  expect(log.lines.map(({ fields }) => fields)).toEqual([{ device: 'lamp', house: 'light_switch', bus: 'lock' }])
  house.units.set('lamp', { ...lamp, class: 'lock' })
  events.emit({ kind: 'structure', cause: GATEWAY_CAUSE, at: 0 })
  house.units.set('lamp', lamp)
  events.emit({ kind: 'structure', cause: GATEWAY_CAUSE, at: 0 })
  expect(warnings()).toBe(2)
  stop()
  units.set(1, onBus({ address: 1, class: 'gate' }))
  reports.emit(up)
  expect(warnings()).toBe(2)
})
