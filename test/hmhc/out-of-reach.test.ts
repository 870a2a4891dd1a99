import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import { SimulatedLine } from '../../src/gateway/simulated-home.ts'
import { DOUBTED_READ_MS, RETRY_MS } from '../../src/hmhc/unit/unit-sync.ts'
import { SimulatedHouse } from '../../src/sim/simulated-house.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { startedMockBus } from '#support/bus/mock-bus.ts'
import { SimulatedBus } from '#support/bus/simulated-bus.ts'

const MINUTE = 60_000
const LAMP = { address: 21, gang: null }
const MODULE = 31
const power = (on: boolean) => ({ op: 'set_power', args: { on } }) as const
const SOON_MS = DOUBTED_READ_MS + 2_000

describe('a unit touched while out of reach, too briefly to be lost', () => {
  let clock: ManualClock
  let house: SimulatedHouse
  let sim: SimulatedBus

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 10, 21, 18))
    house = new SimulatedHouse({ clock, seed: 7, plan: DEMO_PLAN, people: false })
    sim = new SimulatedBus(() => new SimulatedLine(house), clock)
    sim.bus.start()
    await clock.advanceAsync(10_000)
  })
  afterEach(() => {
    sim.bus.stop()
    house.stop()
  })

  async function touchedOutOfReach(address: number, gang: number | null, ms: number): Promise<void> {
    house.house.unit(address)?.silence(true)
    await clock.advanceAsync(ms / 2)
    house.touch(address, gang, 'up')
    await clock.advanceAsync(ms / 2)
    house.house.unit(address)?.silence(false)
    expect(sim.wrong(house)).not.toEqual([])
  }

  it('is read again soon after its next report', async () => {
    await touchedOutOfReach(MODULE, 0, 5 * MINUTE)
    house.touch(MODULE, 1, 'up')
    await clock.advanceAsync(SOON_MS)
    expect(sim.wrong(house)).toEqual([])
  })

  it('is read again soon after its next answer', async () => {
    await touchedOutOfReach(LAMP.address, null, 5 * MINUTE)
    const pinged = sim.bus.ping(LAMP.address, 'person')
    await clock.advanceAsync(SOON_MS)
    expect(await pinged).toMatchObject({ ok: true })
    expect(sim.wrong(house)).toEqual([])
  })

  it('is read again soon after its next answer if a request in between had none', async () => {
    house.house.unit(MODULE)?.silence(true)
    const inVain = sim.bus.control({ address: MODULE, gang: 1 }, power(true), 'person')
    await clock.advanceAsync(2_000)
    expect(await inVain).toMatchObject({ ok: false, error: { kind: 'no_answer' } })
    await touchedOutOfReach(MODULE, 0, 10_000)
    const pinged = sim.bus.ping(MODULE, 'person')
    await clock.advanceAsync(SOON_MS)
    expect(await pinged).toMatchObject({ ok: true })
    expect(sim.wrong(house)).toEqual([])
  })
})

describe('many units that return at once', () => {
  it("are read one after the other, so that the air is free for people's requests", async () => {
    const { adapter, bus, clock } = await startedMockBus()
    const addresses = Array.from({ length: 40 }, (_, index) => 1_000 + index)
    const state = { class: 'light_switch', state: { on: true, mode: 'auto' } } as const
    for (const address of addresses) adapter.addUnit({ address, class: 'light_switch', model: 'HMHHX1' }, { state })
    adapter.restart()
    await clock.advanceAsync(3 * MINUTE)
    const reads = (): number => adapter.requests('read_state').length
    const before = reads()
    for (const address of addresses) adapter.report({ name: 'energy', address, gang: null, energyWh: 5, powerW: 60 })
    await clock.advanceAsync(10 * DOUBTED_READ_MS)
    expect(reads() - before).toBe(10)
    await clock.advanceAsync(40 * DOUBTED_READ_MS)
    expect(reads() - before).toBe(addresses.length)
    bus.stop()
  })

  test(
    'are read at most every ten minutes for measurements, and each time for actions',
    { tags: ['long'] },
    async () => {
      const { adapter, bus, clock } = await startedMockBus()
      await clock.advanceAsync(3 * MINUTE)
      const readsOf = async (report: () => void, minutes: number): Promise<number> => {
        const before = adapter.requests('read_state').length
        for (let minute = 0; minute < minutes; minute += 2) {
          report()
          await clock.advanceAsync(2 * MINUTE)
        }
        return adapter.requests('read_state').length - before
      }
      const measures = (): void => adapter.report({ name: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60 })
      const isTouched = (): void => adapter.report({ name: 'detection', address: 18, detection: 'motion', value: true })
      expect(await readsOf(measures, 30)).toBe(3)
      expect(await readsOf(isTouched, 10)).toBe(5)
      bus.stop()
    },
  )

  it('are read when due, or after any action, if they were quiet and then only measured', async () => {
    const { adapter, bus, clock } = await startedMockBus()
    await clock.advanceAsync(3 * MINUTE)
    const reads = (): number => adapter.requests('read_state').length
    const measures = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 10_000) {
        adapter.report({ name: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60 })
        await clock.advanceAsync(10_000)
      }
    }
    await measures(10_000)
    const before = reads()
    await clock.advanceAsync(2 * MINUTE)
    await measures(7 * MINUTE)
    expect(reads() - before).toBe(0)
    await measures(MINUTE)
    expect(reads() - before).toBe(1)
    await clock.advanceAsync(2 * MINUTE)
    await measures(MINUTE)
    expect(reads() - before).toBe(1)
    adapter.report({ name: 'detection', address: 18, detection: 'motion', value: true })
    await clock.advanceAsync(SOON_MS)
    expect(reads() - before).toBe(2)
    await measures(9 * MINUTE)
    expect(reads() - before).toBe(2)
    bus.stop()
  })

  it('are not read twice because they answered', async () => {
    const { adapter, bus, clock } = await startedMockBus()
    await clock.advanceAsync(3 * MINUTE)
    const reads = adapter.requests('read_state').length
    adapter.report({ name: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60 })
    await clock.advanceAsync(MINUTE)
    expect(adapter.requests('read_state')).toHaveLength(reads + 1)
    bus.stop()
  })

  it('get one request, however long their answer takes', async () => {
    const { adapter, bus, clock } = await startedMockBus()
    await clock.advanceAsync(3 * MINUTE)
    const reads = adapter.requests('read_state').length
    adapter.answer = ({ name }) => (name === 'read_state' ? null : undefined)
    // The read begins 2 s before unconfirmed units are read again, and waits for longer.
    await clock.advanceAsync(RETRY_MS - DOUBTED_READ_MS - 2_000)
    adapter.report({ name: 'energy', address: 18, gang: null, energyWh: 5, powerW: 60 })
    await clock.advanceAsync(DOUBTED_READ_MS + 3_000)
    expect(adapter.requests('read_state')).toHaveLength(reads + 1)
    // Without any answer it is read again with the others.
    await clock.advanceAsync(RETRY_MS)
    expect(adapter.requests('read_state')).toHaveLength(reads + 2)
    bus.stop()
  })
})
