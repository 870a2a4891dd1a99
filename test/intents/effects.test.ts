import { expect } from 'vitest'
import type { TouchKey } from '../../src/sim/model/bus-types.ts'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { INTENT_PLAN, intentHouse, passTime, MINUTE, placeOf, SECOND } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock, sim: { plan: INTENT_PLAN }, firstHouse: intentHouse() }), { over: 'http' })

/** Actions and observations of a test: settings and commands through the service, touches and states at the units. */
function at(home: TestHome, local: string) {
  const [address, gang] = placeOf(local)
  const { sim } = home.running
  const ask = async (method: string, path: string, body: object): Promise<void> => {
    const answer = await clock.hasten(home.call({ method, path: home.at(local, path), body }))
    expect(answer.status, `${local} ${path} ${JSON.stringify(body)}: ${answer.text}`).toBe(200)
  }
  return {
    set: (intent: string, value: unknown) => ask('PUT', `/intents/${intent}`, { value }),
    order: (op: string, args?: object) => ask('POST', '/control', { op, ...(args ? { args } : {}) }),
    touch: (key: TouchKey, heldMs = 300) => sim.touch(address, gang, key, { heldMs }),
    led: () => sim.led(address, gang),
    state: () => sim.house.unit(address)?.device(gang)?.state() as unknown as Readonly<Record<string, unknown>>,
  }
}
const on = { on: true }
const off = { on: false }

verifies(
  '2.7.single_touch',
  'single_touch: any touch toggles the load; without it up and down are separate keys',
  async (home) => {
    for (const local of ['dimmer', 'single', 'power']) {
      const unit = at(home, local)
      await unit.order('set_mode', { mode: 'manual' })
      await unit.order('set_power', off)
      await unit.set('single_touch', true)
      for (const [key, lit] of [
        ['mode', true],
        ['up', false],
        ['down', true],
        ['down', false],
      ] as const) {
        unit.touch(key)
        expect(unit.state()['on'], `${local} ${key}`).toBe(lit)
      }
      await unit.set('single_touch', false)
      for (const [key, lit] of [
        ['mode', false],
        ['up', true],
        ['up', true],
        ['mode', true],
        ['down', false],
      ] as const) {
        unit.touch(key)
        expect(unit.state()['on'], `${local} ${key}`).toBe(lit)
      }
    }
  },
)

verifies(
  '2.7.single_touch',
  'single_touch: a short touch moves a shutter all the way; without it only while it lasts',
  { tags: ['long'] },
  async (home) => {
    const shutter = at(home, 'shutter')
    await shutter.order('set_mode', { mode: 'manual' })
    await shutter.order('close')
    await passTime(home, clock, MINUTE)
    await shutter.set('single_touch', true)
    shutter.touch('up')
    await passTime(home, clock, MINUTE)
    expect(shutter.state()).toMatchObject({ pos: 100, move: 'stopped' })
    shutter.touch('down')
    await passTime(home, clock, MINUTE)
    expect(shutter.state()).toMatchObject({ pos: 0, move: 'stopped' })
    await shutter.set('single_touch', false)
    shutter.touch('up', 10 * SECOND)
    await passTime(home, clock, MINUTE)
    expect(shutter.state()).toMatchObject({ move: 'stopped' })
    expect(shutter.state()['pos']).toBeGreaterThan(10)
    expect(shutter.state()['pos']).toBeLessThan(50)
  },
)

verifies('2.7.led_mode', 'led_mode: always, while the load is on, never', { tags: ['long'] }, async (home) => {
  for (const local of ['dimmer', 'single', 'module:0', 'power', 'sense']) {
    const unit = at(home, local)
    const seen = async (): Promise<boolean[]> => {
      const lit: boolean[] = []
      for (const power of [on, off]) {
        await unit.order('set_power', power)
        lit.push(unit.led())
      }
      return lit
    }
    await unit.order('set_mode', { mode: 'manual' })
    await unit.set('led_mode', 'on')
    expect(await seen(), local).toEqual([true, true])
    await unit.set('led_mode', 'while_on')
    expect(await seen(), local).toEqual([true, false])
    await unit.set('led_mode', 'off')
    expect(await seen(), local).toEqual([false, false])
  }
})

verifies(
  '2.7.turn_on_brightness',
  'turn_on_brightness: at the wall and by an on command without a level, but not with one',
  async (home) => {
    const dimmer = at(home, 'dimmer')
    await dimmer.order('set_mode', { mode: 'manual' })
    await dimmer.set('single_touch', false)
    await dimmer.set('turn_on_brightness', 35)
    await dimmer.order('set_power', off)
    dimmer.touch('up')
    expect(dimmer.state()).toMatchObject({ on: true, bri: 35 })
    await dimmer.order('set_power', off)
    await dimmer.set('turn_on_brightness', 62)
    const answer = await clock.hasten(
      home.call({ method: 'POST', path: home.at('dimmer', '/control'), body: { op: 'set_power', args: on } }),
    )
    expect(answer.body).toMatchObject({ state: { on: true, bri: 62 } })
    await dimmer.order('set_brightness', { bri: 80 })
    expect(dimmer.state()).toMatchObject({ on: true, bri: 80 })
  },
)

verifies(
  '2.7.off_delay',
  'off_delay: keeps the load on after switch-off at the switch, not after a command; 0 turns it off',
  async (home) => {
    const single = at(home, 'single')
    await single.order('set_mode', { mode: 'manual' })
    await single.set('single_touch', false)
    await single.set('off_delay', 239)
    await single.order('set_power', on)
    single.touch('down')
    await passTime(home, clock, 238 * SECOND)
    expect(single.state()).toMatchObject(on)
    await passTime(home, clock, 2 * SECOND)
    expect(single.state()).toMatchObject(off)
    expect(await home.get(home.at('single'))).toMatchObject({ device: { state: off } })

    await single.order('set_power', on)
    await single.order('set_power', off)
    expect(single.state()).toMatchObject(off)
    await single.set('off_delay', 0)
    await single.order('set_power', on)
    single.touch('down')
    expect(single.state()).toMatchObject(off)
  },
)

verifies(
  '2.7.off_after_no_motion',
  'off_after_no_motion: off its minutes after the last motion; 0 on a gang means never',
  async (home) => {
    const single = at(home, 'single')
    await single.set('off_after_no_motion', 3)
    await single.order('set_mode', { mode: 'auto' })
    await single.order('set_power', on)
    await passTime(home, clock, 2 * MINUTE)
    home.running.sim.motion('cellar')
    await passTime(home, clock, 3 * MINUTE - SECOND)
    expect(single.state()).toMatchObject(on)
    await passTime(home, clock, 2 * SECOND)
    expect(single.state()).toMatchObject(off)

    const gang = at(home, 'module:0')
    await gang.order('set_mode', { mode: 'auto' })
    await gang.set('off_after_no_motion', 0)
    await gang.order('set_power', on)
    await passTime(home, clock, 30 * MINUTE)
    expect(gang.state()).toMatchObject(on)
    await gang.set('off_after_no_motion', 5)
    await passTime(home, clock, 5 * MINUTE)
    expect(gang.state()).toMatchObject(off)
  },
)

verifies(
  '2.7.quick_off',
  'quick_off: off if no second motion follows the first, otherwise as before; 0 turns it off',
  async (home) => {
    for (const [local, room] of [
      ['single', 'cellar'],
      ['module:0', 'attic'],
    ] as const) {
      const unit = at(home, local)
      const { sim } = home.running
      await unit.order('set_mode', { mode: 'auto' })
      await unit.set('only_when_dark', 254)
      await unit.set('off_after_no_motion', 10)
      await unit.set('quick_off', 2)
      await unit.order('set_power', off)
      sim.motion(room)
      expect(unit.state(), local).toMatchObject(on)
      await passTime(home, clock, 2 * MINUTE - SECOND)
      expect(unit.state(), local).toMatchObject(on)
      await passTime(home, clock, SECOND)
      expect(unit.state(), local).toMatchObject(off)

      sim.motion(room)
      await passTime(home, clock, MINUTE)
      sim.motion(room)
      await passTime(home, clock, 9 * MINUTE)
      expect(unit.state(), local).toMatchObject(on)
      await passTime(home, clock, MINUTE)
      expect(unit.state(), local).toMatchObject(off)

      await unit.set('quick_off', 0)
      sim.motion(room)
      await passTime(home, clock, 9 * MINUTE)
      expect(unit.state(), local).toMatchObject(on)
    }
  },
)

verifies(
  '2.7.only_when_dark',
  'only_when_dark: motion turns the load on only below its lux; 254 always, 0 never',
  async (home) => {
    const second = at(home, 'second')
    const lamp = at(home, 'dimmer')
    const { sim } = home.running
    await lamp.order('set_mode', { mode: 'manual' })
    await second.order('set_mode', { mode: 'auto' })
    // The other lamp of this room without a window gives 200 lux at full level, 120 at 60 %.
    const comesOn = async (lux: number, bri: number): Promise<unknown> => {
      await second.set('only_when_dark', lux)
      await second.order('set_power', off)
      await lamp.order('set_brightness', { bri })
      await passTime(home, clock, 2 * SECOND)
      sim.motion('parlour')
      return second.state()['on']
    }
    expect(await comesOn(150, 100)).toBe(false)
    expect(await comesOn(150, 60)).toBe(true)
    expect(await comesOn(60, 60)).toBe(false)
    expect(await comesOn(20, 0)).toBe(true)
    expect(await comesOn(254, 100)).toBe(true)
    expect(await comesOn(0, 0)).toBe(false)
  },
)

verifies(
  '2.7.climate',
  'climate: cool, heat and none depend on the room’s temperature in Auto and Eco',
  async (home) => {
    for (const local of ['power', 'sense']) {
      const unit = at(home, local)
      await unit.order('set_mode', { mode: 'manual' })
      await unit.order('set_power', off)
      // A room is never as cold as 5 degrees here, and never as warm as 34.
      await unit.set('climate', { heat: { on: 34, off: 35 } })
      await passTime(home, clock, 2 * MINUTE)
      expect(unit.state(), `${local} in Manual`).toMatchObject(off)
      await unit.order('set_mode', { mode: 'eco' })
      expect(unit.state(), `${local} heats`).toMatchObject(on)
      await unit.set('climate', { cool: { on: 35, off: 34 } })
      expect(unit.state(), `${local} need not cool`).toMatchObject(off)
      await unit.set('climate', { cool: { on: 5.5, off: 5 } })
      expect(unit.state(), `${local} cools`).toMatchObject(on)
      await unit.set('climate', { heat: { on: 5, off: 5.5 } })
      expect(unit.state(), `${local} need not heat`).toMatchObject(off)
      await unit.set('climate', { none: true })
      await unit.order('set_power', on)
      await passTime(home, clock, 2 * MINUTE)
      expect(unit.state(), `${local} without rules`).toMatchObject(on)
    }
  },
)

verifies(
  '2.7.shutter_eco_light',
  'shutter_eco_light: in Eco mode a shutter opens while it is darker and closes while it is lighter',
  async (home) => {
    const shutter = at(home, 'shutter')
    const lamp = at(home, 'porch-lamp')
    await lamp.order('set_mode', { mode: 'manual' })
    await lamp.order('set_power', off)
    await shutter.order('set_mode', { mode: 'manual' })
    await shutter.order('set_position', { pos: 50 })
    await passTime(home, clock, MINUTE)
    await shutter.set('shutter_eco_light', 400)
    await shutter.order('set_mode', { mode: 'eco' })
    await passTime(home, clock, 25 * MINUTE)
    const opened = shutter.state()['pos'] as number
    expect(opened).toBeGreaterThan(60)
    // 800 lux: lighter than 400, darker than 1000.
    await lamp.order('set_brightness', { bri: 100 })
    await passTime(home, clock, 25 * MINUTE)
    const closed = shutter.state()['pos'] as number
    expect(closed).toBeLessThan(opened - 10)
    await shutter.set('shutter_eco_light', 1_000)
    await passTime(home, clock, 25 * MINUTE)
    expect(shutter.state()['pos']).toBeGreaterThan(closed + 10)
  },
)
