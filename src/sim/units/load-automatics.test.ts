import { describe, expect, it } from 'vitest'
import { HOUR, LAMP, MINUTE, ON, SimHouse, switchHouse } from '#support/bus/sim-house.ts'
import type { UnitPlan } from '../model/house-plan.ts'

const light = (registers = {}, mode: 'auto' | 'eco' | 'manual' = 'auto', room = 'cellar'): SimHouse =>
  switchHouse(registers, mode, room)

describe('no_motion', () => {
  it.each(['auto', 'eco'] as const)('in %s turns the load off this long after the last motion', (mode) => {
    const house = light({ no_motion_min: 5 }, mode)
    house.command(ON)
    house.pass(4 * MINUTE)
    house.motion()
    house.pass(5 * MINUTE - 1)
    expect(house.state()).toMatchObject({ on: true })
    house.stateReports()
    house.pass(1)
    expect(house.stateReports()).toEqual([{ trigger: 'own_timer', state: { class: 'light_switch', on: false, mode } }])
  })

  it('counts from turning on without motion', () => {
    const house = light({ no_motion_min: 5 })
    house.command(ON)
    house.pass(5 * MINUTE)
    expect(house.state()).toMatchObject({ on: false })
  })

  it('is off in Manual, and starts when Manual ends', () => {
    const house = light({ no_motion_min: 5 }, 'manual')
    house.command(ON)
    house.pass(HOUR)
    expect(house.state()).toMatchObject({ on: true })
    house.command({ op: 'set_mode', mode: 'eco' })
    house.pass(5 * MINUTE)
    expect(house.state()).toMatchObject({ on: false })
  })

  it("means never at 0:00 in a gang, and stops if a gang's timer is turned off", () => {
    const gang: Partial<UnitPlan> & Pick<UnitPlan, 'model'> = {
      model: 'HMHHX2',
      gangs: [{ gang: 0, kind: 'switch', room: 'cellar', load: LAMP, mode: 'auto' }],
    }
    const house = new SimHouse([
      { ...gang, registers: { 'no_motion_min@0': 0 } },
      { ...gang, registers: { 'no_motion_min@0': 10 } },
    ])
    house.command(ON, 0, 1)
    house.command(ON, 0, 2)
    house.pass(5 * MINUTE)
    house.set({ no_motion_min: 0 }, 0, 2)
    house.pass(12 * HOUR)
    expect([house.state(0, 1), house.state(0, 2)]).toMatchObject([{ on: true }, { on: true }])
  })

  it('keeps the end of a running timer when its setting changes', () => {
    const house = light({ no_motion_min: 5 })
    house.command(ON)
    house.set({ no_motion_min: 50 })
    house.pass(5 * MINUTE)
    expect(house.state()).toMatchObject({ on: false })
  })
})

describe('motion', () => {
  it('turns a light on in Auto, and never in Eco or Manual', () => {
    const modes = (['auto', 'eco', 'manual'] as const).map((mode) => light({}, mode))
    for (const house of modes) house.motion()
    expect(modes.map((house) => house.state())).toMatchObject([{ on: true }, { on: false }, { on: false }])
    expect(modes[0]?.stateReports()).toMatchObject([{ trigger: 'motion' }])
  })

  it.each([
    [0, 'cellar', false],
    [20, 'cellar', true],
    [20, 'parlour', false],
    [254, 'parlour', true],
  ])('with dark_lux %i in the %s at noon turns it on: %s', (darkLux, room, lit) => {
    const house = light({ dark_lux: darkLux }, 'auto', room)
    house.motion(room)
    expect(house.state()).toMatchObject({ on: lit })
  })

  it("includes other lamps' light", () => {
    const house = new SimHouse([
      { model: 'HMHHX1', load: LAMP, mode: 'auto', registers: { dark_lux: 60 } },
      { model: 'HMHHX1', load: LAMP },
    ])
    house.command(ON, null, 2)
    house.motion()
    expect(house.state()).toMatchObject({ on: false })
  })

  it("reaches a module through its sensor: built in, paired in the gang's room, or none", () => {
    const detects = (sensor: number): boolean[] =>
      ['cellar', 'parlour'].map((room) => {
        const house = new SimHouse([
          {
            model: 'HMHHX2',
            room: 'cellar',
            registers: { module_sensor: sensor },
            gangs: [{ gang: 0, kind: 'switch', room: 'parlour', load: LAMP, mode: 'auto' }],
          },
        ])
        house.motion(room)
        const state = house.state(0)
        return 'on' in state && state.on
      })
    expect([detects(0), detects(1), detects(2)]).toEqual([
      [false, false],
      [true, false],
      [false, true],
    ])
  })
})

describe('quick_off', () => {
  it('turns off after one motion, unless a second one follows', () => {
    const house = light({ no_motion_min: 20, quick_off_min: 2 })
    house.motion()
    house.pass(2 * MINUTE)
    expect(house.state()).toMatchObject({ on: false })
    house.motion()
    house.pass(MINUTE)
    house.motion()
    house.pass(19 * MINUTE)
    expect(house.state()).toMatchObject({ on: true })
    house.pass(MINUTE)
    expect(house.state()).toMatchObject({ on: false })
  })

  it('does not run after a touch', () => {
    const house = light({ no_motion_min: 20, quick_off_min: 2 })
    house.touch('up')
    house.pass(10 * MINUTE)
    expect(house.state()).toMatchObject({ on: true })
  })
})

describe('presence', () => {
  it('requires the number of detections within the detection timer that the sensitivity sets', () => {
    const house = new SimHouse([
      {
        model: 'HMPH',
        load: { kind: 'socket', watts: 100 },
        mode: 'auto',
        registers: { presence_sensitivity: 3, detection_timer_min: 5 },
      },
    ])
    house.motion()
    house.pass(4 * MINUTE)
    house.motion()
    house.pass(2 * MINUTE)
    house.motion()
    expect(house.state()).toMatchObject({ on: false })
    house.pass(MINUTE)
    house.motion()
    expect(house.state()).toMatchObject({ on: true })
  })
})

describe('climate', () => {
  const heated = (registers: Readonly<Record<string, number>>, mode: 'auto' | 'manual' = 'auto'): SimHouse =>
    new SimHouse([{ model: 'HMPH', load: { kind: 'heater', watts: 2_000 }, mode, registers }])
  const room = (house: SimHouse): number => house.house.room('cellar')?.temperature(house.clock.now()) ?? NaN

  it('heats below heat_on until above heat_off, again and again', () => {
    const house = heated({ climate_load: 2, heat_on: 40, heat_off: 44 })
    const switched: { on: boolean; celsius: number }[] = []
    for (let minutes = 0; minutes < 24 * 60; minutes += 2) {
      house.pass(2 * MINUTE)
      for (const { state } of house.stateReports())
        if ('on' in state) switched.push({ on: state.on, celsius: room(house) })
    }
    expect(switched.length).toBeGreaterThan(3)
    for (const { on: its, celsius } of switched) expect(its ? celsius < 20.3 : celsius > 21.7).toBe(true)
  })

  it('does nothing in Manual and nothing with climate_load 0; motion does nothing with it', () => {
    const manual = heated({ climate_load: 2, heat_on: 60, heat_off: 64 }, 'manual')
    const none = heated({ climate_load: 0, heat_on: 60, heat_off: 64 })
    manual.pass(HOUR)
    none.pass(HOUR)
    expect([manual.state(), none.state()]).toMatchObject([{ on: false }, { on: false }])
    const cooling = heated({ climate_load: 1, cool_on: 70, cool_off: 68 })
    cooling.motion()
    expect(cooling.state()).toMatchObject({ on: false, temp: 34 })
  })

  it('cools above cool_on, and is off below cool_off', () => {
    const house = heated({ climate_load: 1, cool_on: 30, cool_off: 28 })
    house.pass(2 * MINUTE)
    expect(house.state()).toMatchObject({ on: true, temp: 14 })
    house.set({ cool_on: 52, cool_off: 48 })
    expect(house.state()).toMatchObject({ on: false })
  })

  it('shifts its temperatures with set_temp, by half degrees, and reports its registers', () => {
    const house = heated({ climate_load: 2, heat_on: 38, heat_off: 42 })
    expect(house.command({ op: 'set_temp', temp: 22.6 })).toMatchObject({ state: { temp: 22.5 } })
    expect(house.unit().settings.value('heat_on')).toBe(41)
    expect(house.reports).toContainEqual({
      kind: 'registers_changed',
      address: 1,
      gang: null,
      registers: [
        [43, 41],
        [44, 45],
      ],
    })
    expect(house.command({ op: 'set_temp', temp: 5 })).toMatchObject({ result: 'refused', detail: 'out_of_range' })
    house.command({ op: 'set_temp', temp: 12 })
    house.stateReports()
    house.command({ op: 'set_temp', temp: 30 })
    // The command is the cause of what the new temperature switches.
    expect(house.stateReports()).toMatchObject([{ trigger: 'command', state: { on: true } }])
    house.set({ climate_load: 0 })
    expect(house.command({ op: 'set_temp', temp: 20 })).toMatchObject({ result: 'refused', detail: 'not_offered' })
  })
})
