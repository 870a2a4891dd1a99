import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HmhcBus } from '../../src/hmhc/unit/hmhc-bus.ts'
import type { BusReport } from '../../src/home/ports/unit-bus.ts'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import { generateHouse } from '../../src/demo/generate-house.ts'
import { SimulatedHouse } from '../../src/sim/simulated-house.ts'
import { SimulatedLine } from '../../src/gateway/simulated-home.ts'
import { SimulatedBus } from '#support/bus/simulated-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

/** The gateway's end of the unit protocol and the independently written simulated house, over one line. */
const LAMP = { address: 21, gang: null }
const SHUTTER = { address: 53, gang: null }
const LOCK = { address: 13, gang: null }

let clock: ManualClock
let sim: SimulatedHouse
let bus: HmhcBus
let reports: BusReport[]

function connect(house: SimulatedHouse): void {
  sim = house
  ;({ bus, reports } = new SimulatedBus(() => new SimulatedLine(house), clock, 'host'))
  bus.start()
}

/** Lets time pass until a promise has settled. */
async function settled<T>(promise: Promise<T>, withinMs = 10_000): Promise<T> {
  let waiting = true
  void promise.finally(() => {
    waiting = false
  })
  const isWaiting = (): boolean => waiting
  for (let passed = 0; passed < withinMs && isWaiting(); passed += 5) await clock.advanceAsync(5)
  if (isWaiting()) throw new Error(`nothing within ${withinMs} ms`)
  return promise
}

beforeEach(() => {
  clock = new ManualClock(Date.UTC(2027, 2, 3, 11))
})
afterEach(() => {
  bus.stop()
  sim.stop()
})

describe('the demo house over the wire', () => {
  beforeEach(async () => {
    connect(new SimulatedHouse({ clock, seed: 1, plan: DEMO_PLAN, people: false }))
    await clock.advanceAsync(15_000)
  })

  test('every unit is listed and every state read, without a retransmission', () => {
    expect(bus.down).toBeNull()
    expect([...bus.units.values()].map(({ address, model, class: its }) => [address, model, its])).toEqual(
      sim.house.units.map((unit) => [unit.address, unit.info.model, unit.info.class]),
    )
    const known = new Set(
      reports.flatMap((report) => (report.kind === 'state' ? [`${report.target.address}:${report.target.gang}`] : [])),
    )
    const stateful = sim.house.units.flatMap((unit) =>
      unit
        .states()
        .filter(({ state }) => state.class !== 'sensor' && state.class !== 'meter')
        .map(({ gang }) => `${unit.address}:${gang}`),
    )
    expect([...known].toSorted()).toEqual(stateful.toSorted())
    expect(bus.counters()).toMatchObject({ statesOutstanding: 0, retries: 0, discardedBytes: 0 })
    expect(sim.counters).toMatchObject({ retransmissions: 0, badMessages: 0, duplicates: 0 })
  })

  test('a command runs once and is confirmed', async () => {
    expect(await settled(bus.control(LAMP, { op: 'set_brightness', args: { bri: 40 } }, 'person'))).toEqual({
      ok: true,
      value: { on: true, bri: 40, mode: 'manual' },
    })
    expect(sim.counters.commands).toBe(1)
    expect(sim.house.unit(21)?.states()).toMatchObject([{ state: { bri: 40 } }])
  })

  test('a shutter reports its movement, its position, and its arrival', async () => {
    expect(await settled(bus.control(SHUTTER, { op: 'set_position', args: { pos: 30 } }, 'person'))).toMatchObject({
      ok: true,
      value: { move: 'closing' },
    })
    await clock.advanceAsync(30_000)
    const states = reports.flatMap((report) =>
      report.kind === 'state' && report.target.address === 53 && report.trigger === 'command' ? [report.state] : [],
    )
    expect(states.length).toBeGreaterThan(3)
    expect(states.at(-1)).toEqual({ pos: 30, move: 'stopped', mode: 'manual' })
  })

  test('settings can be read, written and read back; a forbidden one changes nothing', async () => {
    const written = await settled(bus.writeRegisters(LAMP, { turn_on_brightness: 35 }, 'person'))
    expect(written).toMatchObject({ ok: true, value: { turn_on_brightness: 35 } })
    expect(await settled(bus.readRegisters(LAMP, 'person'))).toMatchObject({
      ok: true,
      value: { turn_on_brightness: 35, fade_speed: 60 },
    })
    expect(await settled(bus.writeRegisters(LAMP, { no_motion_h: 0, no_motion_min: 0 }, 'person'))).toMatchObject({
      ok: false,
      error: { kind: 'refused' },
    })
    expect(sim.house.unit(21)?.settings.value('no_motion_min')).toBe(15)
    expect(await settled(bus.readRegisters({ address: 31, gang: 2 }, 'person'))).toMatchObject({
      ok: true,
      value: { up_time_s: 22 },
    })
  })

  test('a unit lists its own schedules', async () => {
    expect(await settled(bus.readSchedules(23, 'person'))).toMatchObject({
      ok: true,
      value: [
        { slot: 0, days: [1, 2, 3, 4, 5], time: '07:15', op: 'open' },
        { slot: 1, days: [6, 7] },
      ],
    })
  })

  test('a group answers for each member', async () => {
    const results = await settled(
      bus.controlGroup(
        [
          { target: LAMP, command: { op: 'set_power', args: { on: true } } },
          { target: { address: 31, gang: 0 }, command: { op: 'set_power', args: { on: true } } },
          { target: { address: 13, gang: null }, command: { op: 'open' } },
        ],
        'automation',
      ),
    )
    expect(results).toMatchObject([
      { ok: true, value: { on: true, bri: 80 } },
      { ok: true, value: { on: true } },
      { ok: true, value: { locked: false } },
    ])
  })

  test('a touch at the wall is reported with its reason', async () => {
    sim.touch(21, null, 'up')
    await clock.advanceAsync(200)
    expect(reports.at(-1)).toMatchObject({ kind: 'touch', target: LAMP, key: 'up' })
    expect(reports.at(-2)).toEqual({
      kind: 'state',
      target: LAMP,
      state: { on: true, bri: 80, mode: 'manual' },
      trigger: 'touch',
    })
  })

  test('a silent unit does not answer, is lost after some tries, and comes back', async () => {
    sim.silence(21)
    for (let times = 0; times < 3; times++) {
      await settled(bus.control(LAMP, { op: 'set_power', args: { on: true } }, 'person'))
      await clock.advanceAsync(31_000)
    }
    expect(bus.units.get(21)?.reachable).toBe(false)
    sim.silence(21, false)
    await clock.advanceAsync(5_000)
    expect(bus.units.get(21)?.reachable).toBe(true)
    expect(reports.filter((report) => report.kind === 'unit').map((report) => report.change)).toEqual(['lost', 'back'])
  })

  test('an adapter unplugged in the middle of a frame makes the bus unavailable within a second, and recovers', async () => {
    sim.unplug(7)
    await clock.advanceAsync(1_000)
    expect(bus.down).toBe('port')
    sim.touch(21, null, 'up')
    sim.plug()
    await clock.advanceAsync(8_000)
    expect(bus.down).toBeNull()
    expect(reports.findLast((report) => report.kind === 'state' && report.target.address === 21)).toMatchObject({
      state: { on: true, bri: 80 },
    })
  })

  test('the radio fails and returns', async () => {
    sim.radio(false)
    await clock.advanceAsync(100)
    expect(bus.down).toBe('radio')
    sim.radio(true)
    await clock.advanceAsync(100)
    expect(bus.down).toBeNull()
  })

  test('a restarted adapter is found again', async () => {
    sim.resetAdapter()
    await clock.advanceAsync(3_000)
    expect(bus.down).toBeNull()
    expect(sim.counters.sessions).toBeGreaterThan(1)
  })

  test('a command that a unit finishes during a restart of the adapter is known soon after', async () => {
    const turned = bus.control(LOCK, { op: 'open' }, 'person')
    // The bolt is moving.
    await clock.advanceAsync(700)
    sim.resetAdapter()
    expect((await settled(turned)).ok).toBe(false)
    await clock.advanceAsync(10_000)
    expect(sim.house.unit(LOCK.address)?.states()).toMatchObject([{ state: { locked: false } }])
    expect(
      reports.findLast((report) => report.kind === 'state' && report.target.address === LOCK.address),
    ).toMatchObject({ state: { locked: false } })
  })

  test('a burst of reports arrives complete', async () => {
    const before = reports.length
    sim.burst(300)
    await clock.advanceAsync(5_000)
    const states = reports.slice(before).filter((report) => report.kind === 'state' || report.kind === 'readings')
    expect(states.length).toBeGreaterThanOrEqual(300)
    expect(sim.counters.reportsDropped).toBe(0)
  })
})

describe('a bad line', () => {
  test(
    'with every fault at once executes each command at most once, and ends in the same state on both sides',
    { tags: ['long'] },
    async () => {
      connect(
        new SimulatedHouse({
          clock,
          seed: 2,
          plan: DEMO_PLAN,
          people: false,
          faults: { drop: 0.08, corrupt: 0.08, duplicate: 0.08, reorder: 0.05, delay: 0.1, noise: 200 },
        }),
      )
      await clock.advanceAsync(30_000)
      let sent = 0
      for (let round = 0; round < 40; round++) {
        await settled(bus.control(LAMP, { op: 'set_brightness', args: { bri: 10 + round } }, 'person'), 20_000)
        sent++
        await clock.advanceAsync(1_000)
        expect(sim.counters.commands).toBeLessThanOrEqual(sent)
      }
      sim.clearFaults()
      await clock.advanceAsync(30_000)
      expect(bus.down).toBeNull()
      expect(sim.counters.commands).toBeGreaterThan(20)
      const last = reports.findLast((report) => report.kind === 'state' && report.target.address === 21)
      const { class: _class, ...held } = sim.house.unit(21)?.states()[0]?.state ?? { class: 'lock', locked: false }
      expect(last).toMatchObject({ state: held })
    },
  )

  test('of pure noise for 30 seconds changes nothing', { tags: ['long'] }, async () => {
    connect(new SimulatedHouse({ clock, seed: 3, plan: DEMO_PLAN, people: false }))
    await clock.advanceAsync(15_000)
    const states = JSON.stringify(
      sim.house.units.map((unit) =>
        unit.states().filter(({ state }) => state.class !== 'sensor' && state.class !== 'meter'),
      ),
    )
    for (let times = 0; times < 30; times++) {
      sim.noise(1_000, 'in')
      sim.noise(1_000, 'out')
      await clock.advanceAsync(1_000)
    }
    expect(
      JSON.stringify(
        sim.house.units.map((unit) =>
          unit.states().filter(({ state }) => state.class !== 'sensor' && state.class !== 'meter'),
        ),
      ),
    ).toBe(states)
    expect(sim.counters.commands).toBe(0)
    await clock.advanceAsync(3_000)
    expect(bus.down).toBeNull()
  })
})

test('300 units with their people are known within a minute', { tags: ['long'] }, async () => {
  connect(new SimulatedHouse({ clock, seed: 7, plan: generateHouse(300, 7).plan }))
  await clock.advanceAsync(75_000)
  expect(bus.units.size).toBe(300)
  expect(bus.counters().statesOutstanding).toBe(0)
})
