import { describe, expect, it } from 'vitest'
import { HOUR, MINUTE, SimHouse } from '#support/bus/sim-house.ts'

/** Ten seconds each way, without a start delay. */
const QUICK = { up_time_s: 10, down_time_s: 10, activating_time: 0, flip_time: 0 }
const shutter = (registers = {}, mode: 'auto' | 'eco' | 'manual' = 'manual', room = 'parlour'): SimHouse =>
  new SimHouse([{ model: 'HMTHX2', room, mode, registers: { ...QUICK, ...registers } }])
const close = { op: 'close' } as const
const open = { op: 'open' } as const

describe('a shutter', () => {
  it('moves for its travel time, reports its position meanwhile, and arrives', () => {
    const house = shutter()
    expect(house.command(close)).toEqual({
      result: 'done',
      state: { class: 'shutter', pos: 100, move: 'closing', mode: 'manual' },
    })
    house.pass(4_000)
    expect(house.state()).toMatchObject({ pos: 60, move: 'closing' })
    house.pass(6_000)
    expect(house.stateReports().map(({ state }) => 'pos' in state && [state.pos, state.move])).toEqual([
      [80, 'closing'],
      [60, 'closing'],
      [40, 'closing'],
      [20, 'closing'],
      [0, 'stopped'],
    ])
    house.pass(MINUTE)
    expect(house.stateReports()).toEqual([])
  })

  it('stops on command', () => {
    const house = shutter()
    house.command(close)
    house.pass(3_000)
    expect(house.command({ op: 'stop' })).toMatchObject({ state: { pos: 70, move: 'stopped' } })
    house.pass(MINUTE)
    expect(house.state()).toMatchObject({ pos: 70, move: 'stopped' })
  })

  it('has a start delay, and turns its slats when the direction changes', () => {
    const house = shutter({ activating_time: 10, flip_time: 20 })
    house.command(close)
    house.pass(1_000)
    expect(house.state()).toMatchObject({ pos: 100 })
    house.pass(5_000)
    expect(house.state()).toMatchObject({ pos: 50 })
    house.command(open)
    house.pass(3_000)
    expect(house.state()).toMatchObject({ pos: 50, move: 'opening' })
    house.pass(1_000)
    expect(house.state()).toMatchObject({ pos: 60 })
  })

  it.each([
    [3, 0],
    [4, 4],
    [97, 100],
    [96, 96],
  ])('with an alignment of 3 goes for %i percent to %i', (requested, reached) => {
    const house = shutter({ alignment: 3 })
    house.command({ op: 'set_position', pos: 50 })
    house.pass(MINUTE)
    house.command({ op: 'set_position', pos: requested })
    house.pass(MINUTE)
    expect(house.state()).toMatchObject({ pos: reached, move: 'stopped' })
  })
})

describe('the keys of a shutter', () => {
  it('move it for as long as they are touched', () => {
    const house = shutter()
    house.touch('down', { heldMs: 2_500 })
    house.pass(MINUTE)
    expect(house.state()).toMatchObject({ pos: 75, move: 'stopped' })
    expect(house.stateReports().map(({ trigger }) => trigger)).toEqual(['touch', 'touch', 'touch'])
  })

  it('move it all the way with single_touch, and stop it', () => {
    const house = shutter({ single_touch: 1 })
    house.touch('down')
    house.pass(4_000)
    house.touch('up')
    expect(house.state()).toMatchObject({ pos: 60, move: 'stopped' })
    house.touch('down')
    house.pass(MINUTE)
    expect(house.state()).toMatchObject({ pos: 0 })
  })

  it('do not react at the rim with ignore_edge', () => {
    const house = shutter({ single_touch: 1, ignore_edge: 1 })
    house.touch('down', { edge: true })
    expect(house.state()).toMatchObject({ move: 'stopped' })
  })

  it('start Sleep: after its time the shutter closes and goes to Manual', () => {
    const house = shutter({ sleep_h: 0, sleep_min: 10 }, 'auto')
    house.touch('mode', { heldMs: 3_000 })
    expect(house.stateReports()).toMatchObject([{ trigger: 'sleep', state: { mode: 'sleep' } }])
    house.pass(10 * MINUTE + 10_000)
    expect(house.stateReports().at(-1)).toMatchObject({ trigger: 'sleep', state: { pos: 0, mode: 'manual' } })
  })
})

describe('a passage', () => {
  const day = { days: [1, 2, 3, 4, 5, 6, 7], minute: 12 * 60 + 30, op: 'close' } as const
  it.each([
    [0, 'done', true, true],
    [1, 'refused', false, true],
    [2, 'refused', true, true],
  ])(
    'with passage_remote %i: close by command is %s, by schedule %s, by touch %s',
    (passage, command, bySchedule, byTouch) => {
      const closed = (act: (house: SimHouse) => void): boolean => {
        const house = new SimHouse([
          {
            model: 'HMTHX2',
            room: 'parlour',
            mode: 'auto',
            registers: { ...QUICK, passage_remote: passage },
            schedules: [day],
          },
        ])
        act(house)
        house.pass(20_000)
        const state = house.state()
        return 'pos' in state && state.pos === 0
      }
      expect(shutter({ passage_remote: passage }).command(close)).toMatchObject({ result: command })
      expect(closed((house) => house.pass(30 * MINUTE))).toBe(bySchedule)
      expect(closed((house) => house.touch('down', { heldMs: 15_000 }))).toBe(byTouch)
      expect(shutter({ passage_remote: passage }).command(open)).toMatchObject({ result: 'done' })
    },
  )
})

describe('Eco mode', () => {
  it('steps down while it is lighter than eco_lux, once per move frame, until the light fits', () => {
    const house = shutter({ eco_lux: 100, move_frame_min: 10, auto_movement_s: 2 }, 'eco')
    house.pass(MINUTE + 20_000)
    expect(house.state()).toMatchObject({ pos: 80 })
    expect(house.stateReports().at(-1)).toMatchObject({ trigger: 'own_timer' })
    house.pass(8 * MINUTE)
    expect(house.state()).toMatchObject({ pos: 80 })
    house.pass(2 * HOUR)
    const lux = house.house.room('parlour')?.light(house.clock.now()) ?? 0
    expect(lux).toBeLessThan(320)
  })

  it('makes no steps in Auto, nor in a passage', () => {
    const auto = shutter({ eco_lux: 10, move_frame_min: 1 }, 'auto')
    const passage = shutter({ eco_lux: 10, move_frame_min: 1, passage_remote: 2 }, 'eco')
    auto.pass(HOUR)
    passage.pass(HOUR)
    expect([auto.state(), passage.state()]).toMatchObject([{ pos: 100 }, { pos: 100 }])
  })

  it('steps up while it is darker', () => {
    const house = shutter({ eco_lux: 1_000, move_frame_min: 1, auto_movement_s: 2, alignment: 0 }, 'eco', 'cellar')
    house.command(close)
    house.pass(5 * MINUTE)
    expect(house.state()).toMatchObject({ mode: 'eco' })
    const state = house.state()
    expect('pos' in state ? state.pos : 0).toBeGreaterThan(20)
  })
})

describe('the LEDs of a shutter', () => {
  it.each([
    [12, 1, false],
    [12, 2, true],
    [23, 2, false],
    [23, 3, true],
  ])('with coding %i and value %i are lit: %s', (coding, value, lit) => {
    const house = shutter({ led_coding: coding, shutter_leds: value })
    expect(house.unit().device(null)?.led?.()).toBe(lit)
  })

  it('of a shutter gang in mode 2 are lit while it moves', () => {
    const house = new SimHouse([{ model: 'HMHHX3', gangs: [{ gang: 1, kind: 'shutter', room: 'parlour' }] }])
    const device = house.unit().device(1)
    expect(device?.led?.()).toBe(false)
    house.command(close, 1)
    expect(device?.led?.()).toBe(true)
    expect(house.unit().hasGang(2)).toBe(false)
  })
})

describe('mains of a shutter', () => {
  it.each([
    [{ mains_load: 0 }, 0],
    [{ mains_load: 1 }, 100],
    [{ mains_load: 2 }, 60],
    [{ mains_load: 0, passage_remote: 1 }, 60],
  ])('with %j move a shutter that stopped at 60 to %i', (registers, pos) => {
    const house = shutter()
    house.command(close)
    house.pass(4_000)
    house.house.cutMains()
    house.set(registers)
    house.pass(HOUR)
    expect(house.state()).toMatchObject({ pos: 60, move: 'stopped' })
    house.stateReports()
    house.house.returnMains()
    house.pass(MINUTE)
    expect(house.state()).toMatchObject({ pos, move: 'stopped' })
    expect(house.stateReports().every(({ trigger }) => trigger === 'mains_return')).toBe(true)
  })
})

describe('a gate and a curtain', () => {
  it('travel for their planned time; a gate has no modes and no positions', () => {
    const house = new SimHouse([
      { model: 'HMGT', room: 'yard', travelSeconds: 20 },
      { model: 'HMCU', room: 'parlour', travelSeconds: 10 },
    ])
    house.command(open)
    house.command({ op: 'set_position', pos: 50 }, null, 2)
    house.pass(10_200)
    expect(house.state()).toEqual({ class: 'gate', pos: 50, move: 'opening' })
    expect(house.state(null, 2)).toMatchObject({ pos: 50, move: 'stopped' })
    expect(house.command({ op: 'set_position', pos: 5 })).toMatchObject({ detail: 'not_offered' })
    expect(house.command({ op: 'set_mode', mode: 'auto' })).toMatchObject({ detail: 'not_offered' })
  })

  it('report a jam', () => {
    const house = new SimHouse([{ model: 'HMGT', room: 'yard' }])
    house.house.jam(1, true)
    expect(house.command(open)).toEqual({ result: 'refused', detail: 'blocked', info: 0 })
  })
})
