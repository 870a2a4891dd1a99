import { describe, expect, it } from 'vitest'
import { dimmerHouse, HOUR, MINUTE, OFF, ON, SimHouse, switchHouse } from '#support/bus/sim-house.ts'

describe('mains', () => {
  it.each([
    [{ mains_load: 0 }, true, { on: false, mode: 'manual' }],
    [{ mains_load: 1, turn_on_brightness: 40 }, false, { on: true, bri: 40, mode: 'manual' }],
    [{ mains_load: 2 }, true, { on: true, bri: 70, mode: 'manual' }],
    [{ mains_load: 2, mains_mode: 2 }, false, { on: false, mode: 'eco' }],
  ])('after a return with %j, %s before, become %j', (registers, before, after) => {
    const house = dimmerHouse(registers)
    if (before) house.command({ op: 'set_brightness', bri: 70 })
    house.pass(MINUTE)
    house.house.cutMains()
    expect(house.unit().answers).toBe(false)
    house.pass(HOUR)
    house.stateReports()
    house.house.returnMains()
    house.pass(5_000)
    expect(house.stateReports()).toMatchObject([{ trigger: 'mains_return', state: after }])
  })

  it('that fail turn off light, power and running timers', () => {
    const house = switchHouse({ no_motion_min: 5 }, 'auto')
    house.command(ON)
    expect(house.house.room('cellar')?.light(house.clock.now())).toBe(200)
    house.house.cutMains()
    expect(house.house.room('cellar')?.light(house.clock.now())).toBe(0)
    house.touch('down')
    house.pass(HOUR)
    expect(house.stateReports()).toEqual([])
  })
})

describe('protection', () => {
  it('turns the load off when the unit is too hot, and keeps it off until it has cooled', () => {
    const house = switchHouse({ max_temp: 70 })
    house.command(ON)
    house.house.heatInside(1, 71)
    expect(house.stateReports()).toMatchObject([{ trigger: 'protection', state: { on: false } }])
    expect(house.command(ON)).toMatchObject({ result: 'refused', detail: 'protection' })
    house.touch('up')
    expect(house.state()).toMatchObject({ on: false })
    house.house.heatInside(1, 40)
    expect(house.command(ON)).toMatchObject({ state: { on: true } })
  })

  it('reports a load outside its bounds when the check is on', () => {
    const house = switchHouse({ max_load: 30 })
    house.command(ON)
    expect(house.stateReports().map(({ trigger }) => trigger)).toEqual(['protection'])
    house.command(OFF)
    house.set({ load_check: 0 })
    house.command(ON)
    expect(house.stateReports()).toEqual([])
  })
})

describe('energy', () => {
  it('counts drawn energy, reported ten seconds after a change and every quarter of an hour', () => {
    const house = new SimHouse([{ model: 'HMHH', load: { kind: 'lamp', watts: 60 }, energyWh: 1_000 }])
    house.command({ op: 'set_brightness', bri: 50 })
    house.pass(10_000)
    expect(house.reports).toContainEqual({ kind: 'energy', address: 1, gang: null, energyWh: 1_000, powerW: 30 })
    house.reports.length = 0
    house.pass(2 * HOUR)
    const reported = house.reports.filter((report) => report.kind === 'energy')
    expect(reported.length).toBeGreaterThanOrEqual(8)
    expect(reported.at(-1)?.energyWh).toBeGreaterThanOrEqual(1_055)
    expect(reported.at(-1)?.energyWh).toBeLessThanOrEqual(1_060)
  })

  it('of a washing machine heats, tumbles, rests for less than three minutes, spins, and ends at standby', () => {
    const house = new SimHouse([
      { model: 'HMPH', load: { kind: 'appliance', watts: 2_000, idleWatts: 1.5, programme: 'laundry' }, energyWh: 0 },
    ])
    house.house.startAppliance(1)
    house.pass(2 * HOUR)
    const reports = house.reports.flatMap((report) => (report.kind === 'energy' ? [report] : []))
    const watts = reports.map(({ powerW }) => powerW)
    expect(Math.max(...watts)).toBeGreaterThan(1_900)
    expect(watts.filter((power) => power > 300 && power < 600)).not.toEqual([])
    expect(watts.at(-1)).toBe(1.5)
    expect(reports.at(-1)?.energyWh).toBeGreaterThan(400)
    expect(reports.at(-1)?.energyWh).toBeLessThan(1_000)
    expect(house.state()).toMatchObject({ on: true })
  })

  it('wraps at 32 bit', () => {
    const house = new SimHouse([{ model: 'HMPH', load: { kind: 'socket', watts: 2_000 }, energyWh: 0xffff_ffff }])
    house.command(ON)
    house.pass(HOUR)
    house.command(OFF)
    house.pass(10_000)
    expect(house.reports.findLast((report) => report.kind === 'energy')).toMatchObject({ energyWh: 1_999, powerW: 0 })
  })
})
