import { afterEach, describe, expect, it } from 'vitest'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import { SimulatedLine } from '../../src/gateway/simulated-home.ts'
import type { HmhcBus } from '../../src/hmhc/unit/hmhc-bus.ts'
import type { BusReport } from '../../src/home/ports/unit-bus.ts'
import type { UnitPlan } from '../../src/sim/model/house-plan.ts'
import { SimulatedHouse, type SimulatedHouseOptions } from '../../src/sim/simulated-house.ts'
import { BareHost } from '#support/bus/bare-host.ts'
import { SimulatedBus } from '#support/bus/simulated-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

const SWITCH = { address: 11, gang: null }
const DIMMER = { address: 21, gang: null }
const LOCK = { address: 13, gang: null }

interface Line {
  readonly clock: ManualClock
  readonly sim: SimulatedHouse
  readonly bus: HmhcBus
  readonly reports: BusReport[]
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function connected(options: Partial<SimulatedHouseOptions> = {}): Promise<Line> {
  const line = connecting(options)
  await line.clock.advanceAsync(15_000)
  return line
}

function connecting(options: Partial<SimulatedHouseOptions> = {}): Line {
  const clock = new ManualClock(Date.UTC(2027, 2, 3, 11))
  const sim = new SimulatedHouse({ clock, seed: 1, plan: DEMO_PLAN, people: false, ...options })
  const { bus, reports } = new SimulatedBus(() => new SimulatedLine(sim), clock, 'host')
  bus.start()
  stops.push(
    () => bus.stop(),
    () => sim.stop(),
  )
  return { clock, sim, bus, reports }
}

async function within<T>({ clock }: Line, promise: Promise<T>): Promise<T> {
  await clock.advanceAsync(3_000)
  return promise
}

const touches = ({ reports }: Line): BusReport[] => reports.filter(({ kind }) => kind === 'touch')

describe('HMHC 1.1', () => {
  it('lists capabilities: switches blink and report touches, a lock does neither', async () => {
    const { bus } = await connected()
    expect(bus.units.get(SWITCH.address)?.capabilities).toEqual(['identify', 'buttons'])
    expect(bus.units.get(LOCK.address)?.capabilities).toBeUndefined()
  })

  it('has usable units before their capabilities are listed', async () => {
    const { clock, bus } = connecting()
    while (bus.units.size === 0) await clock.advanceAsync(1)
    expect([bus.down, bus.units.get(SWITCH.address)?.capabilities]).toEqual([null, undefined])
    await clock.advanceAsync(15_000)
    expect(bus.units.get(SWITCH.address)?.capabilities).toEqual(['identify', 'buttons'])
  })

  it('lets a unit blink and moves no load', async () => {
    const line = await connected()
    expect(await within(line, line.bus.identify(DIMMER, 10))).toEqual({ ok: true, value: null })
    expect(line.sim.blinks(DIMMER.address)).toBe(true)
    expect(line.sim.house.unit(DIMMER.address)?.states()).toMatchObject([{ state: { on: false } }])
    await line.clock.advanceAsync(10_000)
    expect(line.sim.blinks(DIMMER.address)).toBe(false)
    expect(await within(line, line.bus.identify(LOCK, 10))).toMatchObject({ ok: false, error: { kind: 'refused' } })
  })

  it('reports a touch that changes nothing, after the state of one that does', async () => {
    const line = await connected()
    line.sim.touch(SWITCH.address, null, 'down')
    await line.clock.advanceAsync(1_000)
    expect(touches(line)).toEqual([{ kind: 'touch', target: SWITCH, key: 'down', press: 'short' }])
    line.reports.length = 0
    line.sim.touch(SWITCH.address, null, 'up', { heldMs: 2_000 })
    await line.clock.advanceAsync(1_000)
    expect(line.reports.map(({ kind }) => kind)).toEqual(['state', 'touch'])
    expect(touches(line)).toMatchObject([{ key: 'up', press: 'long' }])
  })

  it('keeps the capabilities of a unit that joins later and of one that returns', async () => {
    const line = await connected()
    line.sim.install({ address: 201, model: 'HMHHX1', room: 'hall' })
    await line.clock.advanceAsync(5_000)
    expect(line.bus.units.get(201)?.capabilities).toEqual(['identify', 'buttons'])
    line.sim.resetAdapter()
    await line.clock.advanceAsync(15_000)
    expect(line.bus.units.get(201)?.capabilities).toEqual(['identify', 'buttons'])
  })

  it('knows a dimmer that only switches', async () => {
    const plain: UnitPlan = { address: 7, model: 'HMHH', room: 'hall', lacks: ['modes', 'level'] }
    const { bus } = await connected({ plan: { ...DEMO_PLAN, units: [plain] } })
    expect(bus.units.get(7)?.capabilities).toEqual(['identify', 'buttons', 'no_modes', 'no_level'])
  })

  it('lists the capabilities of 200 units in pages', async () => {
    const units = Array.from({ length: 200 }, (_, index): UnitPlan => {
      return { address: index + 1, model: 'HMHHX1', room: 'hall' }
    })
    const { bus } = await connected({ plan: { ...DEMO_PLAN, units } })
    expect([...bus.units.values()].filter(({ capabilities }) => capabilities?.length === 2)).toHaveLength(200)
  })
})

describe('HMHC 1.0', () => {
  it('of an adapter works as before: no capability, no touch, no request that it does not know', async () => {
    const line = await connected({ version: 1 })
    expect(line.bus.down).toBeNull()
    expect(line.bus.units.size).toBe(line.sim.house.units.length)
    expect(line.sim.counters.badMessages).toBe(0)
    const on = { op: 'set_power', args: { on: true } } as const
    expect(await within(line, line.bus.control(SWITCH, on, 'person'))).toMatchObject({ ok: true, value: { on: true } })
    expect(await within(line, line.bus.identify(SWITCH, 10))).toMatchObject({ ok: false, error: { kind: 'refused' } })
    line.sim.touch(SWITCH.address, null, 'down')
    await line.clock.advanceAsync(1_000)
    expect(touches(line)).toEqual([])
    expect(line.bus.counters()).toMatchObject({ unsoundMessages: 0, implausibleReports: 0 })
  })

  it('of a host gets no message of 1.1, and its requests of 1.1 are unknown', () => {
    const host = new BareHost()
    host.reset()
    expect(host.received.splice(0).map(({ payload }) => payload[4])).toEqual([1])
    host.data([0x06, 0x01, 0x30, 0, 0])
    host.data([0x16, 0x01, 0x31, 0, 11, 0xff, 10])
    host.pass(50)
    expect(host.payloads()).toEqual(['86013006', '96013106'])
    host.sim.touch(11, null, 'down')
    host.pass(1_000)
    expect(host.payloads()).toEqual([])
    host.sim.stop()
  })
})
