import type { Device } from '../home/house/house.ts'
import type { Cause } from '../home/model/events.ts'
import type { DeviceKey, Command } from '../home/model/device.ts'
import type { Scene } from '../home/model/house.ts'
import { commandsOf } from '../home/model/rule-parts.ts'
import { isRelative } from '../home/model/steps.ts'
import type { Occupation } from '../sim/model/house-plan.ts'
import { dayPlan } from '../sim/life/day-plan.ts'
import type { SeededRandom } from '../sim/model/seeded-random.ts'
import { FAMILY } from './demo-plan.ts'

/** An action of a person on a device, at `minute` of the local day. */
export interface Deed {
  readonly minute: number
  readonly device: DeviceKey
  readonly command: Command
  readonly cause: Cause
}

export interface PastSceneRun {
  readonly minute: number
  readonly scene: Scene
  readonly cause: Cause
}

/** A member of the family starts another activity. */
export interface Moment {
  readonly minute: number
  readonly name: string
  readonly drives: boolean
  readonly before: Occupation
  readonly doing: Occupation
}

export interface DayOfYear {
  /** 1 Monday to 7 Sunday. */
  readonly weekday: number
  /** Minutes after midnight between which it is light outside. */
  readonly sunrise: number
  readonly sunset: number
}

const MINUTES_OF_DAY = 1_440
const VOICE: Cause = { source: 'voice', name: 'voice assistant' }
const AFTERNOON = 1_020
/** Activities that need light in a dark room. */
const LIT: readonly Occupation[] = ['wash', 'cook', 'eat', 'relax', 'work', 'play', 'tidy']

/** A day of the family, with the routine of the simulated house, and its actions on the devices of a house. */
export class PastDay {
  /** In order of time. */
  readonly moments: readonly Moment[]
  readonly #day: DayOfYear
  readonly #random: SeededRandom

  constructor(day: DayOfYear, random: SeededRandom) {
    this.#day = day
    this.#random = random
    this.moments = FAMILY.flatMap((person) => {
      const entries = dayPlan(person, day.weekday, random.fork(person.id))
      return entries.slice(1).map(({ minute, doing }, index): Moment => ({
        minute,
        doing,
        before: entries[index]?.doing ?? 'sleep',
        name: person.name,
        drives: person.drives,
      }))
    }).toSorted((a, b) => a.minute - b.minute)
  }

  /** Runs of scenes, chosen by the meaning of their names. */
  runs(scenes: readonly Scene[]): readonly PastSceneRun[] {
    const { weekday, sunset } = this.#day
    const isWeekend = weekday >= 6
    const evening = (doing: Occupation): number =>
      this.#first((moment) => moment.doing === doing && moment.minute > AFTERNOON)
    const hours: readonly (readonly [RegExp, number, number])[] = [
      [/morning/i, this.#rise, 0.8],
      [/leav|away/i, this.#first(leaves), isWeekend ? 0.3 : 0.85],
      [/dinner|evening/i, Math.max(sunset, evening('eat')), 0.7],
      [/movie|film/i, evening('relax') + 30, isWeekend ? 0.6 : 0.25],
      [/night/i, Math.max(...this.#minutesOf('sleep'), AFTERNOON) - 5, 0.9],
    ]
    return scenes.flatMap((scene) => {
      const [, minute, probability] = hours.find(([name]) => name.test(scene.name)) ?? [null, AFTERNOON + 60, 0.3]
      const cause: Cause = this.#random.chance(0.3) ? VOICE : this.#person()
      if (!this.#random.chance(probability)) return []
      return [{ minute: Math.round(minute + this.#random.between(-8, 8)), scene, cause }]
    })
  }

  /** All actions on devices, by these runs or otherwise, in order of time. */
  deeds(devices: readonly Device[], runs: readonly PastSceneRun[]): readonly Deed[] {
    const ofRuns = runs.flatMap(({ minute, scene, cause }) =>
      commandsOf(scene.steps, () => []).flatMap(({ device, command }) =>
        isRelative(command) ? [] : [{ minute, device, command, cause: sceneCause(scene, cause) }],
      ),
    )
    return [...ofRuns, ...devices.flatMap((device) => this.#deedsTo(device))]
      .filter(({ minute }) => minute >= 0 && minute < MINUTES_OF_DAY)
      .toSorted((a, b) => a.minute - b.minute)
  }

  #deedsTo(device: Device): readonly Deed[] {
    switch (device.class) {
      case 'light_switch':
      case 'light_dimmer':
      case 'switch_gang':
        return PASSAGE.test(device.name) ? this.#passageLight(device) : this.#roomLight(device)
      case 'shutter':
      case 'shutter_gang':
      case 'curtain':
        return this.#cover(device)
      case 'power_switch':
      case 'sense_switch':
        return this.#appliance(device)
      case 'lock':
        return this.moments
          .filter((moment) => leaves(moment) || comesHome(moment))
          .flatMap((moment) => pass(device, moment, 1))
      case 'gate':
        return this.moments
          .filter((moment) => moment.drives && (leaves(moment) || comesHome(moment)))
          .flatMap((moment) => pass(device, moment, 4))
      case 'ac':
        return this.#random.chance(0.4) ? this.#evening(device, this.#random.whole(40, 180), this.#person()) : []
      case 'ir_remote':
        return this.#random.chance(0.6) ? this.#remoteKey(device) : []
      case 'sensor':
      case 'meter':
      case 'gang_module':
        return []
    }
  }

  /** Light for some minutes when somebody passes in the dark: by the unit itself, or by hand. */
  #passageLight(device: Device): readonly Deed[] {
    return this.moments
      .filter((moment) => this.#isDark(moment) && this.#random.chance(0.25))
      .flatMap(({ minute }) => {
        const length = this.#random.whole(3, 14)
        return this.#random.chance(0.6)
          ? onAndOff(device, minute, length, own(device, 'motion'), own(device, 'own timer'))
          : onAndOff(device, minute, length, this.#hand(device), this.#hand(device))
      })
  }

  #roomLight(device: Device): readonly Deed[] {
    return this.moments
      .filter((moment) => LIT.includes(moment.doing) && this.#isDark(moment) && this.#random.chance(0.12))
      .flatMap(({ minute }) =>
        onAndOff(device, minute, this.#random.whole(20, 150), this.#hand(device), this.#hand(device)),
      )
  }

  #cover(device: Device): readonly Deed[] {
    const up = Math.max(this.#day.sunrise, this.#rise + 30) + this.#random.between(-5, 5)
    const down = this.#day.sunset + this.#random.between(5, 40)
    const morning = this.#random.chance(0.6) ? own(device, 'own schedule') : this.#hand(device)
    const command: Command = this.#random.chance(0.2)
      ? { op: 'set_position', args: { pos: 10 * this.#random.whole(3, 8) } }
      : { op: 'open' }
    return [
      { minute: Math.round(up), device: device.key, command, cause: morning },
      { minute: Math.round(down), device: device.key, command: { op: 'close' }, cause: this.#hand(device) },
    ]
  }

  #appliance(device: Device): readonly Deed[] {
    if (/heater/i.test(device.name)) return this.#heater(device)
    if (/wash|dish/i.test(device.name)) return this.#washProgramme(device)
    if (/desk/i.test(device.name)) return this.#desk(device)
    return this.#random.chance(0.8) ? this.#evening(device, this.#random.whole(60, 200), this.#hand(device)) : []
  }

  /** Heating before the first and last wash of the day, by the unit's own schedule. */
  #heater(device: Device): readonly Deed[] {
    const washes = this.#minutesOf('wash')
    return [Math.min(...washes), Math.max(...washes)].flatMap((minute) =>
      onAndOff(device, minute - 15, this.#random.whole(25, 55), own(device, 'own schedule'), own(device, 'own timer')),
    )
  }

  /** Started after a meal, as in the simulated house. */
  #washProgramme(device: Device): readonly Deed[] {
    const meals = this.moments.filter((moment) => moment.before === 'eat')
    const [first] = meals
    if (first === undefined || !this.#random.chance(0.55)) return []
    const { minute } = this.#random.pick([first, ...meals])
    return onAndOff(device, minute, this.#random.whole(70, 120), this.#hand(device), own(device, 'own timer'))
  }

  #desk(device: Device): readonly Deed[] {
    const begins = this.#minutesOf('work')
    const ends = this.moments.filter(({ before }) => before === 'work').map(({ minute }) => minute)
    if (begins.length === 0) return []
    const length = Math.max(...ends, ...begins) - Math.min(...begins)
    return onAndOff(device, Math.min(...begins), length, this.#hand(device), this.#hand(device))
  }

  /** On for `length` minutes from the time when the family settles down. */
  #evening(device: Device, length: number, cause: Cause): readonly Deed[] {
    const minute = this.#first((moment) => moment.doing === 'relax') + this.#random.whole(0, 30)
    return onAndOff(device, minute, length, cause, cause)
  }

  #remoteKey(device: Device): readonly Deed[] {
    const command: Command = { op: 'key', args: { key: this.#random.pick(['power', 'volume_up', 'mute']) } }
    const minute = this.#first((moment) => moment.doing === 'relax') + this.#random.whole(5, 90)
    return [{ minute, device: device.key, command, cause: this.#person() }]
  }

  get #rise(): number {
    return this.#first(({ before }) => before === 'sleep')
  }

  #first(is: (moment: Moment) => boolean): number {
    return this.moments.find(is)?.minute ?? AFTERNOON
  }

  #minutesOf(doing: Occupation): readonly number[] {
    return this.moments.filter((moment) => moment.doing === doing).map(({ minute }) => minute)
  }

  #isDark({ minute }: Moment): boolean {
    return minute < this.#day.sunrise || minute > this.#day.sunset - 10
  }

  /** Mostly a touch at the wall; sometimes the app or the voice assistant. */
  #hand(device: Device): Cause {
    if (this.#random.chance(0.7)) return own(device, 'touched at the wall')
    return this.#random.chance(0.75) ? this.#person() : VOICE
  }

  #person(): Cause {
    return someone(this.#random)
  }
}

/** Rooms in which people stay for minutes. */
const PASSAGE = /hall|landing|stair|bath|cloak|mirror|shower|porch/i

/** A random member of the family. */
export function someone(random: SeededRandom): Cause {
  const [first = 'Anna', ...others] = FAMILY.map(({ name }) => name)
  return { source: 'person', name: random.pick([first, ...others]) }
}

export const leaves = ({ doing }: Moment): boolean => doing === 'away'
export const comesHome = ({ before }: Moment): boolean => before === 'away'

export function sceneCause(scene: Scene, by: Cause): Cause {
  return { source: 'scene', name: scene.name, ref: scene.id, by }
}

/** Somebody opens the device and closes it `length` minutes later. */
function pass(device: Device, { minute, name }: Moment, length: number): readonly Deed[] {
  const cause: Cause = { source: 'person', name }
  return [
    { minute, device: device.key, command: { op: 'open' }, cause },
    { minute: minute + length, device: device.key, command: { op: 'close' }, cause },
  ]
}

/** On and off, on the same day. */
function onAndOff(device: Device, minute: number, length: number, on: Cause, off: Cause): readonly Deed[] {
  const end = Math.min(minute + length, MINUTES_OF_DAY - 1)
  return [
    { minute, device: device.key, command: { op: 'set_power', args: { on: true } }, cause: on },
    { minute: end, device: device.key, command: { op: 'set_power', args: { on: false } }, cause: off },
  ]
}

function own(device: Device, name: string): Cause {
  return { source: 'unit', name, ref: device.key }
}
