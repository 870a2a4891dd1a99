import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ManualClock } from '#support/clocks/manual-clock.ts'
import type { MockAdapter } from '#support/bus/mock-adapter.ts'
import { LAMP, startedMockBus } from '#support/bus/mock-bus.ts'
import { BACKGROUND_A_MINUTE, BACKGROUND_AT_ONCE } from '../exchange/exchange.ts'
import { registerMap } from '../registers/index.ts'
import type { HmhcBus } from './hmhc-bus.ts'
import { PAUSE_AFTER_TROUBLE_MS } from './unit-connection.ts'

let clock: ManualClock
let adapter: MockAdapter
let bus: HmhcBus
beforeEach(async () => {
  ;({ clock, adapter, bus } = await startedMockBus())
})
afterEach(() => bus.stop())

describe('settings and schedules', () => {
  it('reads settings by name, and writes them by name', async () => {
    adapter.answer = (message) => {
      if (message.name === 'read_registers') {
        return {
          name: message.name,
          result: 'done',
          registers: message.registers.map((number) => [number, number + 1] as const),
        }
      }
      return message.name === 'write_registers'
        ? { name: message.name, result: 'done', registers: message.registers }
        : undefined
    }
    const read = await bus.readRegisters(LAMP, 'person')
    const names = registerMap.list('HMHH', 'unit')
    expect(read).toEqual({
      ok: true,
      value: Object.fromEntries(names.map((name) => [name, (registerMap.numberOf('HMHH', 'unit', name) ?? 0) + 1])),
    })
    const [name = ''] = names
    expect(await bus.writeRegisters(LAMP, { [name]: 7 }, 'person')).toEqual({ ok: true, value: { [name]: 7 } })
    expect(await bus.writeRegisters(LAMP, { nonsense: 7 }, 'person')).toMatchObject({ error: { kind: 'refused' } })
  })

  it("reads all pages of a unit's own schedules", async () => {
    adapter.answer = (message) => {
      if (message.name !== 'read_schedules') return undefined
      const slot = message.from === 0 ? 3 : 9
      const schedule = {
        slot,
        enabled: true,
        gang: null,
        days: [1, 7],
        time: '06:30',
        command: { op: 'set_power', args: { on: true } },
      } as const
      return { name: 'read_schedules', result: 'done', next: slot === 3 ? 4 : 255, schedules: [schedule] }
    }
    const base = { enabled: true, gang: null, days: [1, 7], time: '06:30', op: 'set_power', args: { on: true } }
    expect(await bus.readSchedules(17, 'person')).toEqual({
      ok: true,
      value: [
        { slot: 3, ...base },
        { slot: 9, ...base },
      ],
    })
  })
})

describe('the air time of background requests', () => {
  const MINUTE = 60_000
  let times: number[]

  /**
   * Reads one unit after the other in the background, as often as the bus allows, and records the time of each frame.
   */
  async function readOn(): Promise<void> {
    while (bus.down === null) await bus.readSchedules(18, 'background')
  }

  beforeEach(() => {
    times = []
    adapter.answer = (message) => {
      if (message.name !== 'read_schedules') return undefined
      times.push(clock.monotonic())
      return { name: 'read_schedules', result: 'done', schedules: [], next: 0xff }
    }
  })

  it('keeps its budget for any number of reads', async () => {
    const start = clock.monotonic()
    void readOn()
    await clock.advanceAsync(10 * MINUTE)
    expect(times.length).toBe(BACKGROUND_AT_ONCE + 10 * BACKGROUND_A_MINUTE)
    for (let from = start; from < start + 10 * MINUTE; from += MINUTE / 2) {
      expect(times.filter((at) => at >= from && at < from + MINUTE).length).toBeLessThanOrEqual(
        BACKGROUND_AT_ONCE + BACKGROUND_A_MINUTE,
      )
    }
  })

  it('is zero for a while after the radio was in trouble', async () => {
    adapter.report({ name: 'trouble', trouble: 'duty_limit' })
    void readOn()
    await clock.advanceAsync(PAUSE_AFTER_TROUBLE_MS - 1_000)
    expect(times).toEqual([])
    await clock.advanceAsync(5_000)
    expect(times.length).toBeGreaterThan(0)
  })

  it('does not limit people', async () => {
    adapter.report({ name: 'trouble', trouble: 'jammed' })
    expect(await bus.readSchedules(18, 'person')).toEqual({ ok: true, value: [] })
  })
})
