import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BusReport } from '../../home/ports/unit-bus.ts'
import { SeededRandom } from '../../sim/model/seeded-random.ts'
import type { ManualClock } from '#support/clocks/manual-clock.ts'
import type { MockAdapter } from '#support/bus/mock-adapter.ts'
import { bri, dimmer, LAMP, obedient, startedMockBus } from '#support/bus/mock-bus.ts'
import type { HmhcBus } from './hmhc-bus.ts'

let clock: ManualClock
let adapter: MockAdapter
let bus: HmhcBus
let reports: BusReport[]
beforeEach(async () => {
  ;({ clock, adapter, bus, reports } = await startedMockBus())
})
afterEach(() => bus.stop())

describe('reports', () => {
  it('forwards reports that fit the units', async () => {
    reports.length = 0
    adapter.report({
      name: 'state_changed',
      address: 300,
      gang: 0,
      trigger: 'touch',
      class: 'switch_gang',
      state: { on: true, mode: 'manual' },
    })
    adapter.report({ name: 'detection', address: 70, detection: 'motion', value: true })
    adapter.report({ name: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60.5 })
    adapter.report({ name: 'trouble', trouble: 'jammed' })
    await clock.advanceAsync(1)
    expect(reports).toEqual([
      { kind: 'state', target: { address: 300, gang: 0 }, state: { on: true, mode: 'manual' }, trigger: 'touch' },
      { kind: 'detection', address: 70, detection: 'motion', value: true },
      { kind: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60.5 },
      { kind: 'trouble', trouble: 'jammed' },
    ])
  })

  it('drops and counts other reports, and reads the list of units again', async () => {
    reports.length = 0
    adapter.report({ name: 'state_changed', address: 999, gang: null, trigger: 'touch', ...dimmer(1) })
    adapter.report({ name: 'state_changed', address: 18, gang: null, trigger: 'touch', ...dimmer(1) })
    adapter.report({ name: 'energy', address: 18, gang: 3, energyWh: 5, powerW: 60.5 })
    await clock.advanceAsync(1)
    expect(reports).toEqual([])
    expect(bus.counters().implausibleReports).toBe(3)
    adapter.addUnit({ address: 999, class: 'light_dimmer', model: 'HMHH' }, { state: dimmer(1) })
    await clock.advanceAsync(10_100)
    expect(reports).toContainEqual({ kind: 'unit', change: 'joined', unit: expect.objectContaining({ address: 999 }) })
    expect(reports).toContainEqual({
      kind: 'state',
      target: { address: 999, gang: null },
      state: dimmer(1).state,
      trigger: 'sync',
    })
  })

  it('accepts reports before the units are listed, and reads those units', async () => {
    adapter.addUnit({ address: 999, class: 'light_dimmer', model: 'HMHH' }, { state: dimmer(1) })
    adapter.answer = (message) => {
      if (message.name === 'list_units')
        adapter.report({ name: 'state_changed', address: 999, gang: null, trigger: 'touch', ...dimmer(1) })
      return undefined
    }
    reports.length = 0
    adapter.restart()
    await clock.advanceAsync(1_000)
    expect(adapter.requests('list_units')).toHaveLength(2)
    expect(bus.counters().implausibleReports).toBe(0)
    expect(reports).toContainEqual({
      kind: 'state',
      target: { address: 999, gang: null },
      state: dimmer(1).state,
      trigger: 'sync',
    })
  })

  it('reports lost and returning units, and reads the state of the returning ones', async () => {
    reports.length = 0
    const unit = adapter.units.get(17)
    if (unit === undefined) throw new Error('no lamp')
    adapter.report({ name: 'unit', change: 'lost', unit: { ...unit, reachable: false } })
    expect(bus.units.get(17)?.reachable).toBe(false)
    adapter.report({ name: 'unit', change: 'back', unit })
    await clock.advanceAsync(10)
    expect(reports.map((report) => (report.kind === 'unit' ? report.change : report.kind))).toEqual([
      'lost',
      'back',
      'state',
    ])
  })
})

describe('noise', () => {
  it('changes nothing in any amount', async () => {
    reports.length = 0
    const noise = new SeededRandom('noise')
    for (let burst = 0; burst < 2_000; burst++) {
      adapter.noise(noise.bytes(1_000))
      if (burst % 20 === 0) await clock.advanceAsync(10)
    }
    await clock.advanceAsync(1_000)
    expect(reports).toEqual([])
    expect(bus.down).toBeNull()
    adapter.answer = obedient
    expect(await bus.control(LAMP, bri(50), 'person')).toMatchObject({ ok: true })
  })
})
