import { describe, expect, it } from 'vitest'
import { HOUR, MINUTE, SimHouse } from '#support/bus/sim-house.ts'

const on = { op: 'set_power', on: true } as const

describe('a lock', () => {
  it('confirms when its bolt has moved, and refuses if an obstacle blocks it', () => {
    const house = new SimHouse([{ model: 'HMLK' }])
    let confirmed = 0
    house.unit().execute(null, { op: 'open' }, (outcome) => {
      if (outcome.result === 'done') confirmed++
    })
    expect(confirmed).toBe(0)
    house.pass(1_000)
    expect([confirmed, house.state()]).toEqual([1, { class: 'lock', locked: false }])
    house.house.jam(1, true)
    let detail = ''
    house.unit().execute(null, { op: 'close' }, (outcome) => {
      if (outcome.result === 'refused') detail = outcome.detail
    })
    house.pass(1_000)
    expect([detail, house.state()]).toEqual(['blocked', { class: 'lock', locked: false }])
  })

  it('can be turned by hand, and has its own battery', () => {
    const house = new SimHouse([{ model: 'HMLK' }])
    house.house.cutMains()
    house.touch('up')
    expect(house.stateReports()).toEqual([{ trigger: 'touch', state: { class: 'lock', locked: false } }])
  })
})

describe('an air conditioner', () => {
  it("moves its room's temperature to the set point, and draws power meanwhile", () => {
    const house = new SimHouse([{ model: 'HMAC', room: 'parlour' }], Date.UTC(2027, 6, 10, 13))
    const celsius = (): number => house.house.room('parlour')?.temperature(house.clock.now()) ?? NaN
    const before = celsius()
    house.command({ op: 'set_temp', temp: 18 })
    house.command(on)
    house.pass(3 * HOUR)
    expect(celsius()).toBeLessThan(before - 1.5)
    expect(house.reports.findLast((report) => report.kind === 'energy')).toMatchObject({ powerW: expect.any(Number) })
    expect(house.command({ op: 'set_fan', fan: 'high' })).toMatchObject({
      state: { on: true, temp: 18, mode: 'cool', fan: 'high' },
    })
  })
})

describe('an IR remote', () => {
  it('remembers the last key', () => {
    const house = new SimHouse([{ model: 'HMIR' }])
    expect(house.state()).toEqual({ class: 'ir_remote', key: null })
    expect(house.command({ op: 'key', key: 'mute' })).toEqual({
      result: 'done',
      state: { class: 'ir_remote', key: 'mute' },
    })
  })
})

describe('a sensor', () => {
  it('reports the start of motion, and its end after a minute without movement', () => {
    const house = new SimHouse([{ model: 'HMSE', measures: ['motion'] }])
    house.motion()
    house.pass(50_000)
    house.motion()
    house.pass(50_000)
    house.pass(10_000)
    const seen = house.reports.flatMap((report) => (report.kind === 'detection' ? [report.value] : []))
    expect(seen).toEqual([true, false])
  })

  it('follows the hour: light by day, none at night, and reports only sufficient changes', () => {
    const house = new SimHouse([{ model: 'HMSE', room: 'yard', measures: ['light', 'temperature', 'battery'] }])
    const byHour: number[] = []
    for (let hour = 0; hour < 24; hour++) {
      house.pass(HOUR)
      const state = house.state()
      byHour.push('light' in state ? (state.light ?? 0) : 0)
    }
    expect(Math.max(...byHour)).toBeGreaterThan(5_000)
    // Noon in Berlin and eleven hours later: it is dark from the eighth hour to the sixteenth.
    expect(byHour.slice(8, 16)).toEqual(Array.from({ length: 8 }, () => 0))
    const reported = house.reports.filter((report) => report.kind === 'readings').length
    expect(reported).toBeGreaterThan(30)
    expect(reported).toBeLessThan(24 * 60)
  })

  it('reports a door that opens and closes, once each', () => {
    const house = new SimHouse([{ model: 'HMSE', measures: ['door', 'battery'] }])
    house.house.door(1, true)
    house.house.door(1, true)
    house.house.door(1, false)
    expect(house.reports.filter((report) => report.kind === 'detection')).toHaveLength(2)
    expect(house.unit().sleeps).toBe(true)
  })
})

describe('the meter', () => {
  it('measures consumers without a unit, and its energy only grows', () => {
    const house = new SimHouse([
      { model: 'HMMT', room: null, energyWh: 500 },
      { model: 'HMPH', load: { kind: 'heater', watts: 3_000 } },
    ])
    const power = (): number => {
      const state = house.state()
      return 'power' in state ? (state.power ?? 0) : 0
    }
    const idle = power()
    house.command(on, null, 2)
    expect(idle).toBeGreaterThan(0)
    expect(power()).toBe(idle)
    house.pass(HOUR)
    const reported = house.reports.flatMap((report) =>
      report.kind === 'energy' && report.address === 1 ? [report.energyWh] : [],
    )
    expect(reported.toSorted((a, b) => a - b)).toEqual(reported)
    expect(reported.at(-1)).toBeGreaterThan(540)
    expect(reported.at(-1)).toBeLessThan(800)
  })
})

describe('own schedules', () => {
  const lamp = { kind: 'lamp', watts: 10 } as const
  const at = (minute: number, op: 'on' | 'off', days = [3]): { days: number[]; minute: number; op: 'on' | 'off' } => ({
    days,
    minute,
    op,
  })

  it('run on their day at their minute in Auto and Eco, and not in Manual', () => {
    const house = new SimHouse(
      (['auto', 'eco', 'manual'] as const).map((mode) => ({
        model: 'HMHHX1',
        load: lamp,
        mode,
        schedules: [at(12 * 60 + 5, 'on'), at(12 * 60 + 7, 'on', [4])],
      })),
    )
    house.pass(5 * MINUTE - 1)
    expect(house.stateReports()).toEqual([])
    house.pass(1)
    expect([1, 2, 3].map((address) => house.state(null, address))).toMatchObject([
      { on: true },
      { on: true },
      { on: false },
    ])
    expect(house.stateReports()).toMatchObject([{ trigger: 'own_schedule' }])
  })

  it('follow the clock set by the host', () => {
    const house = new SimHouse([{ model: 'HMHHX1', load: lamp, mode: 'auto', schedules: [at(7 * 60, 'on')] }])
    house.house.setClock(Math.floor(house.clock.now() / 1_000) - 3 * 3_600, -120)
    house.pass(HOUR)
    expect(house.stateReports().filter(({ trigger }) => trigger === 'own_schedule')).toMatchObject([
      { state: { on: true } },
    ])
  })

  it('turn off when mains return, if the setting says so', () => {
    const house = new SimHouse([
      {
        model: 'HMHHX1',
        load: lamp,
        mode: 'auto',
        registers: { mains_schedules: 0 },
        schedules: [at(12 * 60 + 30, 'on')],
      },
    ])
    house.house.cutMains()
    house.house.returnMains()
    house.pass(HOUR)
    expect(house.unit().schedules()).toMatchObject([{ enabled: false }])
    expect(house.stateReports().filter(({ trigger }) => trigger === 'own_schedule')).toEqual([])
  })
})
