import { describe, expect, it } from 'vitest'
import type { BusUnit } from '../../home/ports/unit-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { Report } from '../message/messages.ts'
import { registerMap } from '../registers/index.ts'
import { readReport } from './report-reader.ts'
import { UnitRegistry } from './unit-registry.ts'

const LAMP: BusUnit = {
  address: 17,
  class: 'light_dimmer',
  model: 'HMHH',
  firmware: '1.0.0',
  gangs: [],
  reachable: true,
}
const MODULE: BusUnit = {
  ...LAMP,
  address: 300,
  class: 'gang_module',
  model: 'HMHHX2',
  gangs: [{ gang: 0, class: 'switch_gang' }],
}
const registry = new UnitRegistry(new ManualClock())
registry.replace([LAMP, MODULE])
const read = (report: Report): ReturnType<typeof readReport> => readReport(report, registry)

describe('a report about a device', () => {
  const dimmed = { class: 'light_dimmer', state: { on: true, bri: 40, mode: 'manual' } } as const
  const switched = { class: 'switch_gang', state: { on: true, mode: 'auto' } } as const

  it.each<[string, Report & { readonly address: number }, object]>([
    [
      'its state',
      { name: 'state_changed', address: 17, gang: null, trigger: 'touch', ...dimmed },
      { kind: 'state', target: { address: 17, gang: null }, state: dimmed.state, trigger: 'touch' },
    ],
    [
      "a gang's state",
      { name: 'state_changed', address: 300, gang: 0, trigger: 'command', ...switched },
      { kind: 'state', target: { address: 300, gang: 0 }, state: switched.state, trigger: 'command' },
    ],
    [
      'readings',
      { name: 'readings', address: 17, readings: { temperature: 21 } },
      { kind: 'readings', address: 17, readings: { temperature: 21 } },
    ],
    [
      'a detection',
      { name: 'detection', address: 17, detection: 'motion', value: true },
      { kind: 'detection', address: 17, detection: 'motion', value: true },
    ],
    [
      'energy',
      { name: 'energy', address: 17, gang: null, energyWh: 5, powerW: 6 },
      { kind: 'energy', address: 17, gang: null, energyWh: 5, powerW: 6 },
    ],
    [
      'settings, by name; numbers unknown to its model are left out',
      {
        name: 'registers_changed',
        address: 17,
        gang: null,
        registers: [
          [registerMap.numberOf('HMHH', 'unit', 'led_mode') ?? 0, 2],
          [60_000, 1],
        ],
      },
      { kind: 'registers', target: { address: 17, gang: null }, values: { led_mode: 2 } },
    ],
  ])('proves that the unit is reachable, and carries %s', (_what, report, emitted) => {
    expect(read(report)).toEqual([
      { do: 'seen', address: report.address, measured: 'energyWh' in report || 'readings' in report },
      { do: 'emit', report: emitted },
    ])
  })

  it.each<[string, Report & { readonly address: number }]>([
    ['of an unknown unit', { name: 'readings', address: 99, readings: {} }],
    ['of another class', { name: 'state_changed', address: 17, gang: null, trigger: 'touch', ...switched }],
    ['of an unknown gang', { name: 'energy', address: 300, gang: 5, energyWh: 1, powerW: 1 }],
    ['of settings of an unknown gang', { name: 'registers_changed', address: 300, gang: 5, registers: [] }],
  ])('%s is implausible, and proves nothing about the unit', (_what, report) => {
    expect(read(report)).toEqual([{ do: 'implausible', report: report.name, address: report.address }])
  })
})

describe('a report about the network', () => {
  it('of a unit changes the list', () => {
    expect(read({ name: 'unit', change: 'lost', unit: LAMP })).toEqual([{ do: 'unit', change: 'lost', unit: LAMP }])
  })

  it('of trouble pauses the background, and is forwarded', () => {
    expect(read({ name: 'trouble', trouble: 'jammed' })).toEqual([
      { do: 'rest', trouble: 'jammed' },
      { do: 'emit', report: { kind: 'trouble', trouble: 'jammed' } },
    ])
  })

  it('of the radio tells if it can send', () => {
    expect(read({ name: 'radio', up: false })).toEqual([{ do: 'radio', up: false }])
  })
})
