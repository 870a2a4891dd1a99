import { afterAll, beforeAll, expect } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { INTENT_PLAN, intentHouse, settingsRead } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { proves } from '#support/gateway/verifies.ts'

const clock = new PassingClock()
let home: TestHome

beforeAll(async () => {
  home = await TestHome.open('http', { clock, sim: { plan: INTENT_PLAN }, firstHouse: intentHouse() })
  await settingsRead(home, clock)
})
afterAll(() => home[Symbol.asyncDispose]())

/** Sets registers at a unit's own menu and returns the service's value once it has changed. */
async function readBack(
  local: string,
  address: number,
  gang: number | null,
  intent: string,
  registers: Readonly<Record<string, number>>,
): Promise<unknown> {
  const unit = home.running.sim.house.unit(address)!
  const settings = unit.settingsOf(gang)!
  unit.changeAtMenu(
    gang,
    Object.entries(registers).map(([name, value]) => [settings.numberOf(name), value]),
  )
  const cached = () => home.running.gateway.home.settings.get(local)
  while (Object.entries(registers).some(([name, value]) => cached().get(name)?.value !== value)) await clock.pass(20)
  const { intents } = (await home.get(home.at(local, '/intents'))) as { intents: { intent: string; value: unknown }[] }
  return intents.find((item) => item.intent === intent)?.value
}

proves(
  ['2.7.read-only-codings', '8.read-only-ranges'],
  'key_immunity: 0 to 99, 90 locks the keys, 100 more on 60 Hz mains',
  async () => {
    const immunity = (raw: number) => readBack('dimmer', 1, null, 'key_immunity', { key_immunity: raw })
    expect(await immunity(0)).toEqual({ immunity: 0, locked: false, mainsHz: 50 })
    expect(await immunity(99)).toEqual({ immunity: 99, locked: false, mainsHz: 50 })
    expect(await immunity(90)).toEqual({ immunity: 90, locked: true, mainsHz: 50 })
    expect(await immunity(190)).toEqual({ immunity: 90, locked: true, mainsHz: 60 })
    expect(await immunity(199)).toEqual({ immunity: 99, locked: false, mainsHz: 60 })
  },
)

proves('2.7.read-only-codings', 'fade_speed counts in 25 ms, 0 is no fade', async () => {
  expect(await readBack('dimmer', 1, null, 'fade_speed', { fade_speed: 40 })).toBe(1_000)
  expect(await readBack('dimmer', 1, null, 'fade_speed', { fade_speed: 0 })).toBe(0)
})

proves(
  ['2.7.read-only-codings', '8.read-only-ranges'],
  'presence_sensing: 0 to 20 detections within h:min',
  async () => {
    const sensing = (count: number) =>
      readBack('power', 6, null, 'presence_sensing', {
        presence_sensitivity: count,
        detection_timer_h: 2,
        detection_timer_min: 5,
      })
    expect(await sensing(0)).toEqual({ sensitivity: 0, detectionTimerMinutes: 125 })
    expect(await sensing(20)).toEqual({ sensitivity: 20, detectionTimerMinutes: 125 })
  },
)

proves(
  ['2.7.read-only-codings', '8.read-only-ranges'],
  'shutters: min:sec, tenths of a second, h:min, alignment of 0 to 14 percent',
  async () => {
    expect(
      await readBack('shutter', 8, null, 'shutter_travel', {
        up_time_min: 1,
        up_time_s: 5,
        down_time_min: 0,
        down_time_s: 59,
        activating_time: 7,
        flip_time: 25,
      }),
    ).toEqual({ upSeconds: 65, downSeconds: 59, activatingSeconds: 0.7, flipSeconds: 2.5 })
    for (const alignment of [0, 14]) {
      expect(
        await readBack('shutter', 8, null, 'shutter_automatic', {
          move_frame_h: 1,
          move_frame_min: 10,
          auto_movement_s: 4,
          alignment,
        }),
      ).toEqual({ moveFrameMinutes: 70, stepSeconds: 4, alignmentPercent: alignment })
    }
  },
)

proves(
  '2.7.read-only-codings',
  'shutter_edges and shutter_leds: passages by number, LEDs as the unit codes them, 1/2 or 2/3',
  { tags: ['long'] },
  async () => {
    for (const [raw, passage] of [
      [0, 'window'],
      [1, 'passage'],
      [2, 'passage_schedules'],
    ] as const) {
      expect(await readBack('shutter', 8, null, 'shutter_edges', { ignore_edge: 1, passage_remote: raw })).toEqual({
        ignoreEdge: true,
        passage,
      })
    }
    expect(await readBack('shutter', 8, null, 'shutter_leds', { led_coding: 12, shutter_leds: 2 })).toEqual({
      on: true,
      held: 2,
      coding: '1/2',
    })
    expect(await readBack('shutter', 8, null, 'shutter_leds', { led_coding: 23, shutter_leds: 2 })).toEqual({
      on: false,
      held: 2,
      coding: '2/3',
    })
    expect(await readBack('shutter', 8, null, 'shutter_leds', { led_coding: 23, shutter_leds: 3 })).toEqual({
      on: true,
      held: 3,
      coding: '2/3',
    })
    await readBack('shutter', 8, null, 'shutter_leds', { led_coding: 12, shutter_leds: 1 })
  },
)

proves(
  '2.7.read-only-codings',
  'automatic_modes: 1 allowed, 4 not; on dimmers and single switches the tens are the power factor',
  async () => {
    expect(await readBack('dimmer', 1, null, 'automatic_modes', { automatic_modes: 91 })).toEqual({
      allowed: true,
      powerFactor: 0.9,
    })
    expect(await readBack('single', 3, null, 'automatic_modes', { automatic_modes: 104 })).toEqual({
      allowed: false,
      powerFactor: 1,
    })
    expect(await readBack('module:0', 4, 0, 'automatic_modes', { automatic_modes: 4 })).toEqual({ allowed: false })
    expect(await readBack('shutter', 8, null, 'automatic_modes', { automatic_modes: 1 })).toEqual({ allowed: true })
  },
)

proves(
  '2.7.read-only-codings',
  'timers of modes: hours in Manual or minutes, the mode after it, h:min of Sleep',
  async () => {
    expect(await readBack('single', 3, null, 'safety_off_in_manual', { safety_timer: 6, safety_mode: 12 })).toEqual({
      afterMinutes: 360,
      timerUnit: 'hours',
      thenMode: 'eco',
      loadStaysOn: true,
    })
    expect(await readBack('module:1', 4, 1, 'safety_off_in_manual', { safety_timer: 0, safety_mode: 103 })).toEqual({
      afterMinutes: 0,
      timerUnit: 'minutes',
      thenMode: 'manual',
      loadStaysOn: false,
    })
    expect(await readBack('sense', 7, null, 'sleep_timer', { sleep_h: 7, sleep_min: 30 })).toBe(450)
  },
)

proves('2.7.read-only-codings', 'after a power cut, the house groups 250, 251, 252 and 170 outside', async () => {
  expect(
    await readBack('power', 6, null, 'after_power_cut', { mains_load: 1, mains_mode: 0, mains_schedules: 0 }),
  ).toEqual({ load: 'on', mode: 'as_before', schedulesStayOn: false })
  const group = (local: string, address: number, gang: number | null, raw: number) =>
    readBack(local, address, gang, 'all_off_group', { all_off_group: raw })
  expect(await group('dimmer', 1, null, 250)).toEqual({ follows: true, group: 'all_lights' })
  expect(await group('mixed:1', 5, 1, 251)).toEqual({ follows: true, group: 'all_shutters' })
  expect(await group('power', 6, null, 252)).toEqual({ follows: true, group: 'all_power_units' })
  expect(await group('module:0', 4, 0, 170)).toEqual({ follows: false, group: 'none' })
})

proves('2.7.read-only-codings', 'keys, side buttons, IR, groups, protection, calibration and protocol', async () => {
  expect(
    await readBack('shutter', 8, null, 'key_sense', { key_sense_up: 1, key_sense_mode: 50, key_sense_down: 99 }),
  ).toEqual({ up: 1, mode: 50, down: 99 })
  expect(await readBack('mixed:1', 5, 1, 'key_sense', { touch_area: 0 })).toEqual({ touchArea: 'blocked' })
  expect(
    await readBack('mixed', 5, null, 'side_buttons', {
      side_buttons_off: 0,
      side_button_left: 0,
      side_button_right: 1,
    }),
  ).toEqual({ off: false, left: false, right: true })
  expect(
    await readBack('sense', 7, null, 'ir_binding', { ir_emitter: 3, ir_channel_on: 4, ir_channel_off: 5 }),
  ).toEqual({
    bound: true,
    emitter: 3,
    channelOn: 4,
    channelOff: 5,
  })
  expect(await readBack('module', 4, null, 'groups_and_sensors', { group_code: 9, module_sensor: 2 })).toEqual({
    groupCode: 9,
    sensor: 'paired',
  })
  expect(
    await readBack('power', 6, null, 'protection', { max_temp: 60, max_load: 1_500, min_load: 5, load_check: 0 }),
  ).toEqual({ maxTemp: 60, maxLoad: 1_500, minLoad: 5, loadCheck: false })
  expect(await readBack('sense', 7, null, 'load_calibration', { on_level: 25, load_type: 1 })).toEqual({
    onLevelWatts: 25,
    loadType: 'inductive',
  })
  expect(
    await readBack('mixed', 5, null, 'protocol', { acknowledge_control: 0, instant_reporting: 1, switch_on_speed: 20 }),
  ).toEqual({ acknowledgeControl: false, instantReporting: true, switches: 3, switchOnPauseMs: 200 })
})
