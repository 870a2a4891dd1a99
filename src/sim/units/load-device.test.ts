import { describe, expect, it } from 'vitest'
import { dimmerHouse, HOUR, MINUTE, OFF, ON, SimHouse, switchHouse } from '#support/bus/sim-house.ts'
import { LoadDevice } from './load-device.ts'

const level = (house: SimHouse): number => {
  const device = house.unit().device(null)
  return device instanceof LoadDevice ? device.level : NaN
}

describe('a dimmer', () => {
  it('turns on at its turn-on brightness by command, touch and motion', () => {
    const house = dimmerHouse({ turn_on_brightness: 35 }, 'auto')
    expect(house.command(ON)).toMatchObject({ state: { on: true, bri: 35 } })
    house.command(OFF)
    house.touch('up')
    expect(house.state()).toMatchObject({ bri: 35 })
    house.command(OFF)
    house.motion()
    expect(house.stateReports().at(-1)).toMatchObject({ trigger: 'motion', state: { on: true, bri: 35 } })
  })

  it('keeps the level of a command that has one', () => {
    const house = dimmerHouse({ turn_on_brightness: 35 })
    expect(house.command({ op: 'set_brightness', bri: 80 })).toMatchObject({ state: { bri: 80 } })
  })

  it('confirms the target level of a fade, is between levels meanwhile, and reports the end of a long fade', () => {
    const house = dimmerHouse({ fade_speed: 80 })
    expect(house.command({ op: 'set_brightness', bri: 50 })).toMatchObject({ state: { on: true, bri: 50 } })
    house.pass(1_000)
    expect(level(house)).toBeCloseTo(25)
    expect(house.stateReports()).toEqual([])
    house.pass(1_000)
    expect(level(house)).toBe(50)
    expect(house.stateReports()).toEqual([
      { trigger: 'command', state: { class: 'light_dimmer', on: true, bri: 50, mode: 'manual' } },
    ])
  })

  it('reverses in the middle of a fade', () => {
    const house = dimmerHouse({ fade_speed: 80 })
    house.command({ op: 'set_brightness', bri: 80 })
    house.pass(1_000)
    house.command(OFF)
    house.pass(500)
    expect(level(house)).toBeCloseTo(30)
    expect(house.state()).toMatchObject({ on: false, bri: 0 })
  })

  it.each([
    [{ min_dim_level: 20 }, 5, 20],
    [{ min_dim_level: 20 }, 0, 0],
    [{ dimmable: 0 }, 5, 100],
    [{ fade_speed: 0 }, 5, 5],
  ])('with %j turns %i percent into %i', (registers, requested, got) => {
    const house = dimmerHouse(registers)
    expect(house.command({ op: 'set_brightness', bri: requested })).toMatchObject({ state: { bri: got } })
  })
})

describe('the keys of a switch', () => {
  it('are separate keys: on, off, and the mode', () => {
    const house = switchHouse()
    house.touch('up')
    house.touch('up')
    expect(house.state()).toMatchObject({ on: true })
    house.touch('down')
    expect(house.state()).toMatchObject({ on: false })
    house.touch('mode')
    house.touch('mode')
    expect(house.stateReports().map(({ trigger, state }) => [trigger, 'mode' in state && state.mode])).toEqual([
      ['touch', 'manual'],
      ['touch', 'manual'],
      ['touch', 'auto'],
      ['touch', 'eco'],
    ])
  })

  it('are one key with single_touch', () => {
    const house = switchHouse({ single_touch: 1 })
    house.touch('down')
    expect(house.state()).toMatchObject({ on: true })
    house.touch('mode')
    expect(house.state()).toMatchObject({ on: false, mode: 'manual' })
  })

  it.each([
    ['locked', { key_immunity: 90 }, {}],
    ['locked at 60 Hz', { key_immunity: 190 }, {}],
    ['not sensitive enough for the finger', { key_sense_up: 60 }, {}],
    ['touched too lightly', {}, { strength: 20 }],
  ])('do nothing when %s, while commands do', (_, registers, how) => {
    const house = switchHouse(registers)
    house.touch('up', how)
    expect(house.state()).toMatchObject({ on: false })
    expect(house.command(ON)).toMatchObject({ state: { on: true } })
  })

  it('start Sleep when the mode area is held; after its time the load turns off and the unit goes to Manual', () => {
    const house = switchHouse({ sleep_h: 0, sleep_min: 30 })
    house.command(ON)
    house.touch('mode', { heldMs: 2_500 })
    expect(house.stateReports()).toEqual([
      { trigger: 'sleep', state: { class: 'light_switch', on: true, mode: 'sleep' } },
    ])
    house.pass(30 * MINUTE)
    expect(house.stateReports()).toEqual([
      { trigger: 'sleep', state: { class: 'light_switch', on: false, mode: 'manual' } },
    ])
  })
})

describe('off_delay', () => {
  it("keeps the load on after a touch, and then turns it off by the unit's own timer", () => {
    const house = switchHouse({ off_delay_min: 1, off_delay_s: 30 })
    house.command(ON)
    house.touch('down')
    house.pass(89_000)
    expect(house.state()).toMatchObject({ on: true })
    expect(house.stateReports()).toEqual([])
    house.pass(1_000)
    expect(house.stateReports()).toMatchObject([{ trigger: 'own_timer', state: { on: false } }])
  })

  it('ends at once with a second touch, and with a command without switching off', () => {
    const house = switchHouse({ off_delay_s: 30 })
    house.command(ON)
    house.touch('down')
    house.touch('down')
    expect(house.stateReports()).toMatchObject([{ trigger: 'touch', state: { on: false } }])
    house.command(ON)
    house.touch('down')
    house.command(ON)
    house.pass(MINUTE)
    expect(house.state()).toMatchObject({ on: true })
  })

  it('does not delay commands', () => {
    const house = switchHouse({ off_delay_s: 30 })
    house.command(ON)
    expect(house.command(OFF)).toMatchObject({ state: { on: false } })
  })
})

describe('status LEDs', () => {
  it.each([
    [0, false, false],
    [1, true, true],
    [2, false, true],
  ])('in mode %i are %s while the load is off and %s while it is on', (mode, whileOff, whileOn) => {
    const house = switchHouse({ led_mode: mode })
    expect(house.unit().device(null)?.led?.()).toBe(whileOff)
    house.command(ON)
    expect(house.unit().device(null)?.led?.()).toBe(whileOn)
  })
})

describe('modes that a unit does not allow', () => {
  it('are refused, and become Manual when the setting changes', () => {
    const house = switchHouse({ automatic_modes: 101 }, 'auto')
    house.set({ automatic_modes: 104 })
    expect(house.stateReports()).toMatchObject([{ state: { mode: 'manual' } }])
    expect(house.command({ op: 'set_mode', mode: 'eco' })).toEqual({ result: 'refused', detail: 'mode', info: 0 })
    house.touch('mode')
    expect(house.state()).toMatchObject({ mode: 'manual' })
  })
})

describe('the safety timer', () => {
  it.each([
    [{ safety_timer: 2, safety_mode: 1 }, 2 * HOUR, { on: false, mode: 'auto' }],
    [{ safety_timer: 2, safety_mode: 112 }, 2 * MINUTE, { on: true, mode: 'eco' }],
    [{ safety_timer: 5, safety_mode: 103 }, 5 * MINUTE, { on: false, mode: 'manual' }],
    [{ safety_timer: 2, safety_mode: 1, automatic_modes: 104 }, 2 * HOUR, { on: false, mode: 'manual' }],
  ])('with %j ends Manual after %i ms', (registers, afterMs, state) => {
    const house = switchHouse(registers)
    house.touch('up')
    house.stateReports()
    house.pass(afterMs - 1)
    expect(house.stateReports()).toEqual([])
    house.pass(1)
    expect(house.state()).toMatchObject(state)
    expect(house.stateReports().map(({ trigger }) => trigger)).toEqual(['own_timer'])
  })

  it('restarts with every touch and command, and stops when it is turned off', () => {
    const house = switchHouse({ safety_timer: 10, safety_mode: 101 })
    house.touch('up')
    house.pass(9 * MINUTE)
    house.command({ op: 'set_power', on: true })
    house.pass(9 * MINUTE)
    expect(house.state()).toMatchObject({ on: true, mode: 'manual' })
    house.set({ safety_timer: 0 })
    house.pass(HOUR)
    expect(house.state()).toMatchObject({ on: true, mode: 'manual' })
  })
})

describe('a sense switch', () => {
  it('is on while the sensed power is at least its on level', () => {
    const house = new SimHouse([
      { model: 'HMSH', load: { kind: 'appliance', watts: 2_000, idleWatts: 5 }, registers: { on_level: 10 } },
    ])
    expect(house.command(ON)).toMatchObject({ state: { on: false } })
    const device = house.unit().device(null)
    if (device instanceof LoadDevice) device.source.run([{ minutes: 30, watts: 1_500 }])
    expect(house.stateReports()).toMatchObject([{ state: { on: true } }])
    house.pass(30 * MINUTE)
    expect(house.stateReports()).toMatchObject([{ state: { on: false } }])
  })

  it('drives its IR emitter with its state', () => {
    const house = new SimHouse([
      {
        model: 'HMSH',
        load: { kind: 'socket', watts: 100 },
        registers: { ir_emitter: 3, ir_channel_on: 7, ir_channel_off: 8 },
      },
    ])
    house.command(ON)
    house.command(OFF)
    expect(house.house.irSent).toEqual([
      { emitter: 3, channel: 7 },
      { emitter: 3, channel: 8 },
    ])
  })
})
