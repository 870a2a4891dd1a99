import type { Device } from '../house/house.ts'
import type { Cause } from '../model/cause.ts'
import type { DeviceKey } from '../model/device.ts'
import type { Scene } from '../model/house.ts'
import { commandsOf } from '../rules/references.ts'
import type { Command } from '../model/state.ts'
import type { Seeded } from './seeded.ts'

/** Something that somebody does: at `minute` of the local day, to one device. */
export interface Deed {
  readonly minute: number
  readonly device: DeviceKey
  readonly command: Command
  readonly cause: Cause
}

export interface SceneRun {
  readonly minute: number
  readonly scene: Scene
  readonly cause: Cause
}

export interface Day {
  readonly deeds: readonly Deed[]
  readonly runs: readonly SceneRun[]
}

export interface DayOfYear {
  /** 1 Monday to 7 Sunday. */
  readonly weekday: number
  /** Minutes after midnight between which it is light outside. */
  readonly sunrise: number
  readonly sunset: number
}

const NOON = 720
const PEOPLE: readonly [string, ...string[]] = ['Anna', 'Jonas', 'Lena']

/** What a family does with its house on one day. Whatever the house holds is used after its class and name. */
export function liveDay(devices: readonly Device[], scenes: readonly Scene[], day: DayOfYear, chance: Seeded): Day {
  const runs = scenes.flatMap((scene) => runOf(scene, day, chance))
  const stepsOf = (): [] => []
  const ofRuns = runs.flatMap(({ minute, scene, cause }) =>
    commandsOf(scene.steps, stepsOf).map(({ device, command }) => ({
      minute,
      device,
      command,
      cause: sceneCause(scene, cause),
    })),
  )
  const deeds = [...ofRuns, ...devices.flatMap((device) => habitsOf(device, day, chance))]
  return {
    runs,
    deeds: deeds.filter((deed) => deed.minute >= 0 && deed.minute < 2 * NOON).toSorted((a, b) => a.minute - b.minute),
  }
}

export function sceneCause(scene: Scene, by: Cause): Cause {
  return { source: 'scene', name: scene.name, ref: scene.id, by }
}

function runOf(scene: Scene, { weekday, sunset }: DayOfYear, chance: Seeded): readonly SceneRun[] {
  const weekend = weekday >= 6
  const hours: readonly (readonly [RegExp, number, number])[] = [
    [/morning/i, weekend ? 510 : 405, 0.8],
    [/leav|away/i, 490, weekend ? 0.3 : 0.85],
    [/dinner|evening/i, Math.max(sunset, 1_095), 0.7],
    [/movie|film/i, 1_225, weekend ? 0.6 : 0.25],
    [/night/i, 1_365, 0.9],
  ]
  const [, minute, probability] = hours.find(([name]) => name.test(scene.name)) ?? [null, 1_080, 0.3]
  const cause: Cause = chance.chance(0.3) ? { source: 'voice', name: 'voice assistant' } : person(chance)
  return chance.chance(probability) ? [{ minute: Math.round(minute + chance.between(-20, 20)), scene, cause }] : []
}

function habitsOf(device: Device, day: DayOfYear, chance: Seeded): readonly Deed[] {
  switch (device.class) {
    case 'light_switch':
    case 'light_dimmer':
    case 'switch_gang':
      return lightHabits(device, day, chance)
    case 'shutter':
    case 'shutter_gang':
    case 'curtain':
      return coverHabits(device, day, chance)
    case 'power_switch':
    case 'sense_switch':
      return applianceHabits(device, chance)
    case 'lock':
      return lockHabits(device, day, chance)
    case 'gate':
      return chance.chance(0.5) ? openAndClose(device, Math.round(chance.between(450, 1_120)), 4, person(chance)) : []
    case 'ac':
      return chance.chance(0.4)
        ? onAndOff(
            device,
            Math.round(chance.between(1_080, 1_260)),
            Math.round(chance.between(40, 180)),
            person(chance),
            person(chance),
          )
        : []
    case 'ir_remote':
      return chance.chance(0.6) ? [remoteKey(device, chance)] : []
    case 'sensor':
    case 'meter':
    case 'gang_module':
      return []
  }
}

function remoteKey(device: Device, chance: Seeded): Deed {
  const command: Command = { op: 'key', args: { key: chance.pick(['power', 'volume_up', 'mute']) } }
  return { minute: Math.round(chance.between(1_140, 1_300)), device: device.key, command, cause: person(chance) }
}

function lightHabits(device: Device, { sunrise, sunset }: DayOfYear, chance: Seeded): readonly Deed[] {
  const passage = /hall|stair|bath|cloak|mirror|shower|porch/i.test(device.name)
  const evenings = Array.from({ length: passage ? chance.whole(2, 5) : chance.whole(0, 2) }, () =>
    chance.between(sunset - 10, 1_380),
  )
  const mornings = sunrise > 400 && chance.chance(passage ? 0.9 : 0.35) ? [chance.between(375, 460)] : []
  return [...mornings, ...evenings].flatMap((minute) => {
    const length = passage ? chance.between(3, 14) : chance.between(20, 150)
    const byMotion = passage && chance.chance(0.6)
    return onAndOff(
      device,
      Math.round(minute),
      Math.max(1, Math.round(length)),
      byMotion ? own(device, 'motion') : hand(device, chance),
      byMotion ? own(device, 'own timer') : hand(device, chance),
    )
  })
}

function coverHabits(device: Device, { sunrise, sunset, weekday }: DayOfYear, chance: Seeded): readonly Deed[] {
  const up = Math.max(sunrise, weekday >= 6 ? 525 : 435) + chance.between(-5, 5)
  const down = sunset + chance.between(5, 40)
  const morning: Cause = chance.chance(0.6) ? own(device, 'own schedule') : hand(device, chance)
  const command: Command = chance.chance(0.2)
    ? { op: 'set_position', args: { pos: 10 * chance.whole(3, 8) } }
    : { op: 'open' }
  return [
    { minute: Math.round(up), device: device.key, command, cause: morning },
    { minute: Math.round(down), device: device.key, command: { op: 'close' }, cause: hand(device, chance) },
  ]
}

function applianceHabits(device: Device, chance: Seeded): readonly Deed[] {
  if (/heater/i.test(device.name))
    return [390, 1_230].flatMap((minute) =>
      onAndOff(
        device,
        minute + chance.whole(-15, 15),
        chance.whole(25, 55),
        own(device, 'own schedule'),
        own(device, 'own timer'),
      ),
    )
  if (/wash|dish/i.test(device.name))
    return chance.chance(0.55)
      ? onAndOff(
          device,
          chance.whole(560, 1_210),
          chance.whole(70, 120),
          hand(device, chance),
          own(device, 'own timer'),
        )
      : []
  if (/desk/i.test(device.name))
    return chance.chance(0.7)
      ? onAndOff(device, chance.whole(510, 570), chance.whole(240, 480), hand(device, chance), hand(device, chance))
      : []
  return chance.chance(0.8)
    ? onAndOff(device, chance.whole(1_080, 1_200), chance.whole(60, 200), hand(device, chance), hand(device, chance))
    : []
}

function lockHabits(device: Device, { weekday }: DayOfYear, chance: Seeded): readonly Deed[] {
  const leave = weekday >= 6 ? chance.whole(600, 700) : chance.whole(450, 500)
  return openAndClose(device, leave, 2, person(chance)).concat(
    openAndClose(device, chance.whole(960, 1_110), 1, person(chance)),
  )
}

function onAndOff(device: Device, minute: number, length: number, on: Cause, off: Cause): readonly Deed[] {
  return [
    { minute, device: device.key, command: { op: 'set_power', args: { on: true } }, cause: on },
    { minute: minute + length, device: device.key, command: { op: 'set_power', args: { on: false } }, cause: off },
  ]
}

function openAndClose(device: Device, minute: number, length: number, cause: Cause): Deed[] {
  return [
    { minute, device: device.key, command: { op: 'open' }, cause },
    { minute: minute + length, device: device.key, command: { op: 'close' }, cause },
  ]
}

function own(device: Device, name: string): Cause {
  return { source: 'unit', name, ref: device.key }
}

/** Mostly a hand at the wall; sometimes the app, sometimes a program. */
function hand(device: Device, chance: Seeded): Cause {
  if (chance.chance(0.7)) return own(device, 'touched at the wall')
  return chance.chance(0.75) ? person(chance) : { source: 'integration', name: 'API: Dashboard' }
}

function person(chance: Seeded): Cause {
  return { source: 'person', name: chance.pick(PEOPLE) }
}
