import type { ReadingKind, Command, DeviceState, DeviceKey } from '../home/model/device.ts'
import type { Device, House } from '../home/house/house.ts'
import { GATEWAY_CAUSE } from '../home/model/events.ts'
import type { ActivityStore, DetectionStore, ReadingStore } from '../home/ports/history-store.ts'
import type { Energy } from '../home/record/energy.ts'
import { changeWords, keyWords } from '../home/words/changes.ts'
import { detectionWords } from '../home/words/units.ts'
import type { Clock } from '../lib/clock.ts'
import { type LocalDay, ZoneTime, addDays } from '../lib/zone-time.ts'
import { SeededRandom } from '../sim/model/seeded-random.ts'
import { comesHome, type Deed, leaves, type Moment, PastDay, sceneCause, someone } from './past-day.ts'
import { MINUTE_MS } from '../lib/durations.ts'

interface Measure {
  readonly kind: ReadingKind
  readonly value: number
}

/**
 * Readings of a sensor at a local time of a day; `warmth` is the day's weather from -1 to 1. Outdoor sensors are
 * recognised by their names.
 */
function measure(device: Device, minute: number, warmth: number, dayOfYear: number): readonly Measure[] {
  const season = -Math.cos((2 * Math.PI * (dayOfYear - 15)) / 365)
  const sun = Math.max(0, Math.sin((Math.PI * (minute - 380 + 70 * season)) / (700 + 140 * season)))
  const outside = 9 + 10 * season + 4 * warmth + 4 * Math.sin((2 * Math.PI * (minute - 560)) / 1_440)
  if (/garden|weather|outside|balcony/i.test(device.name)) {
    return [
      { kind: 'temperature', value: tenth(outside) },
      { kind: 'humidity', value: Math.round(72 - 14 * sun - 6 * warmth) },
      { kind: 'light', value: Math.round(42_000 * sun * (0.6 + 0.4 * warmth)) },
    ]
  }
  const awake = minute > 390 && minute < 1_380 ? 1 : 0
  const inside = 20.2 + 0.06 * (outside - 9) + 0.8 * awake + 0.3 * sun
  const measures: Measure[] = [
    { kind: 'temperature', value: tenth(inside) },
    { kind: 'humidity', value: Math.round(46 + 5 * awake - 4 * sun) },
  ]
  if (/door|window/i.test(device.name)) return measures.slice(0, 1)
  if (/landing|hall|stair/i.test(device.name))
    return [
      measures[0] ?? { kind: 'temperature', value: tenth(inside) },
      { kind: 'light', value: Math.round(140 * sun) },
    ]
  return [...measures, { kind: 'co2', value: Math.round(520 + 260 * awake + 90 * warmth) }]
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10
}

export const PAST_DAYS = 60
/** In the last minutes every device returns to its initial state. */
const LAST_MINUTES = 20
const MEASURE_EVERY_MINUTES = 15
const DEEDS_PER_STEP = 100
/** Watts of a load without a telling name. */
const LIGHT_WATTS = 28
const WATTS: readonly (readonly [RegExp, number])[] = [
  [/heater/i, 850],
  [/wash|dish/i, 1_150],
  [/tele|tv|stereo/i, 135],
  [/desk/i, 95],
  [/fan/i, 19],
  [/condition|climate/i, 780],
]
/** Watts that no unit measures: fridge, router, standby. */
const METER_WATTS = 140

export interface PastParts {
  readonly house: Pick<House, 'devices' | 'scenes' | 'info'>
  readonly activity: Pick<ActivityStore, 'record' | 'committed'>
  readonly detections: Pick<DetectionStore, 'record'>
  readonly readings: Pick<ReadingStore, 'record'>
  readonly energy: Pick<Energy, 'addPast'>
  readonly clock: Clock
  /** True when the gateway stops; the rest of the past is left out. */
  readonly stopped: () => boolean
}

/** Initial state of a device of the simulated house. */
export type InitialState = (device: Device) => DeviceState | undefined

/**
 * Gives the demo house a past of `PAST_DAYS` days that ends now and leaves every device in its initial state. It is
 * deterministic for a seed and an end, and every entry has `demo: true`. It stores some hundred rows at a time, so that
 * requests come in between and few rows wait. Resolves when everything is stored.
 */
export async function makePast(parts: PastParts, seed: string, beginning: InitialState): Promise<void> {
  const until = parts.clock.now()
  const past = new Past(parts, seed, until, beginning)
  const today = new ZoneTime(parts.house.info.timeZone).at(until).day
  for (let back = PAST_DAYS; back >= 0; back--) {
    for (const _step of past.day(addDays(today, -back))) {
      await parts.activity.committed()
      if (parts.stopped()) return
    }
  }
  past.end()
  parts.activity.record({
    at: until,
    kind: 'edited',
    subject: { kind: 'home' },
    what: `${PAST_DAYS} days of made-up history begin the demo house`,
    cause: GATEWAY_CAUSE,
    data: { demo: true },
  })
  await parts.activity.committed()
}

class Past {
  readonly #parts: PastParts
  readonly #seed: string
  readonly #until: number
  readonly #zone: ZoneTime
  readonly #devices: readonly Device[]
  readonly #states = new Map<DeviceKey, DeviceState>()
  readonly #onSince = new Map<DeviceKey, number>()
  readonly #changedAt = new Map<DeviceKey, number>()
  readonly #begins: ReadonlyMap<DeviceKey, DeviceState | undefined>

  constructor(parts: PastParts, seed: string, until: number, beginning: InitialState) {
    this.#parts = parts
    this.#seed = seed
    this.#until = until
    this.#zone = new ZoneTime(parts.house.info.timeZone)
    this.#devices = [...parts.house.devices.values()]
    // The simulated house continues while the past is made.
    this.#begins = new Map(this.#devices.map((device) => [device.key, beginning(device)]))
  }

  /** Records a day; every step has some hundred rows at most. */
  *day(day: LocalDay): Generator<void> {
    const chance = new SeededRandom(`${this.#seed}/${day}`)
    const start = this.#zone.startOfDay(day)
    const dayOfYear = Math.round((start - this.#zone.startOfDay(Math.floor(day / 10_000) * 10_000 + 101)) / 86_400_000)
    const light = 4 * 60 * Math.cos((2 * Math.PI * (dayOfYear - 172)) / 365)
    const sun = { weekday: this.#zone.at(start).weekday, sunrise: 390 - light / 2, sunset: 1_130 + light / 2 }
    const lived = new PastDay(sun, chance)
    const runs = lived.runs([...this.#parts.house.scenes.values()])
    for (const { minute, scene, cause } of runs)
      this.#record(start + minute * MINUTE_MS, { kind: 'scene', id: scene.id }, 'run', 'ran', sceneCause(scene, cause))
    const timed = lived
      .deeds(this.#devices, runs)
      .map((deed) => ({ deed, at: start + deed.minute * MINUTE_MS + chance.whole(0, 59_999) }))
    for (const [index, { deed, at }] of timed.toSorted((a, b) => a.at - b.at).entries()) {
      this.#do(deed, at)
      if (index % DEEDS_PER_STEP === 0) yield
    }
    const warmth = chance.between(-1, 1)
    for (const device of this.#devices) {
      if (device.class === 'meter') this.#meterDay(device, start, chance)
      if (device.class !== 'sensor') continue
      this.#measureDay(device, start, dayOfYear, warmth)
      this.#visit(device, start, lived.moments, chance)
      yield
    }
  }

  /** A member of the family makes the last change back to the initial state, so that explain has a cause. */
  end(): void {
    const chance = new SeededRandom(`${this.#seed}/end`)
    for (const { key } of this.#devices) {
      const command = commandTo(this.#begins.get(key), this.#states.get(key))
      if (command === null) continue
      const since = Math.max(this.#changedAt.get(key) ?? 0, this.#until - LAST_MINUTES * MINUTE_MS)
      const at = Math.ceil(since + (this.#until - since) * chance.between(0.2, 0.9))
      this.#do({ device: key, command, cause: someone(chance) }, at)
    }
  }

  #do({ device: key, command, cause }: Omit<Deed, 'minute'>, at: number): void {
    const device = this.#parts.house.devices.get(key)
    if (device === undefined || at > this.#until) return
    if (command.op === 'key')
      return this.#record(at, { kind: 'device', id: key }, 'state', keyWords(command.args.key), cause, {
        to: command.args,
      })
    const previous = this.#states.get(key) ?? restingState(device)
    const next = previous === null ? null : after(previous, command)
    if (previous === null || next === null) return
    const change = changeWords(previous, next)
    if (change === null) return
    this.#states.set(key, next)
    this.#changedAt.set(key, at)
    this.#meter(device, next, at)
    if (cause.source === 'unit' && cause.name === 'motion') this.#detect(device.unit.id, at - 400)
    this.#record(at, { kind: 'device', id: key }, 'state', change.what, cause, { from: change.from, to: change.to })
  }

  /** Adds the energy of a load for the time that it was on. */
  #meter(device: Device, next: DeviceState, at: number): void {
    if (!('on' in next)) return
    const since = this.#onSince.get(device.key)
    if (next.on && since === undefined) this.#onSince.set(device.key, at)
    if (next.on || since === undefined) return
    this.#onSince.delete(device.key)
    const watts = WATTS.find(([name]) => name.test(device.name))?.[1] ?? LIGHT_WATTS
    this.#parts.energy.addPast(device.key, Math.round((watts * (at - since)) / 3_600), since, at)
  }

  #meterDay(device: Device, start: number, chance: SeededRandom): void {
    const mwh = Math.round(METER_WATTS * 24_000 * chance.between(0.9, 1.1))
    this.#parts.energy.addPast(device.key, mwh, start, Math.min(start + 86_400_000, this.#until))
  }

  #measureDay(device: Device, start: number, dayOfYear: number, warmth: number): void {
    for (let minute = 0; minute < 1_440; minute += MEASURE_EVERY_MINUTES) {
      const at = start + minute * MINUTE_MS
      if (at > this.#until) return
      for (const { kind, value } of measure(device, minute, warmth, dayOfYear))
        this.#parts.readings.record(device.unit.id, kind, at, value)
    }
  }

  /** People pass sensors on their way, and use doors with a sensor. */
  #visit(device: Device, start: number, moments: readonly Moment[], chance: SeededRandom): void {
    const door = /door|window/i.test(device.name)
    if (!door && !/landing|hall|stair/i.test(device.name)) return
    const passing = moments.filter((moment) => (door ? goesThroughDoor(moment) : chance.chance(0.25)))
    for (const { minute } of passing) {
      const at = start + minute * MINUTE_MS + chance.whole(0, 14_999)
      if (at > this.#until) break
      if (!door) this.#detect(device.unit.id, at)
      else for (const value of [true, false]) this.#detectDoor(device.unit.id, at + (value ? 0 : 45_000), value)
    }
  }

  #detect(unit: string, at: number): void {
    this.#parts.detections.record(unit, { at, kind: 'motion', value: true })
    this.#record(at, { kind: 'device', id: unit }, 'detection', detectionWords('motion', true), {
      source: 'unit',
      name: 'motion',
      ref: unit,
    })
  }

  #detectDoor(unit: string, at: number, value: boolean): void {
    this.#parts.detections.record(unit, { at, kind: 'door', value })
    this.#record(at, { kind: 'device', id: unit }, 'detection', detectionWords('door', value), {
      source: 'unit',
      name: 'door',
      ref: unit,
    })
  }

  #record(
    at: number,
    subject: { readonly kind: 'device' | 'scene'; readonly id: string },
    kind: 'state' | 'run' | 'detection',
    what: string,
    cause: Deed['cause'],
    data: Readonly<Record<string, unknown>> = {},
  ): void {
    if (at <= this.#until)
      this.#parts.activity.record({ at, kind, subject, what, cause, data: { ...data, demo: true } })
  }
}

function goesThroughDoor(moment: Moment): boolean {
  return leaves(moment) || comesHome(moment) || moment.doing === 'outside'
}

/** State of a device at the start of its past; null without a state that habits change. */
function restingState(device: Device): DeviceState | null {
  switch (device.class) {
    case 'light_dimmer':
      return { on: false, bri: 60, mode: 'manual' }
    case 'light_switch':
    case 'switch_gang':
    case 'sense_switch':
      return { on: false, mode: 'manual' }
    case 'power_switch':
      return { on: false, mode: 'manual', temp: null }
    case 'shutter':
    case 'shutter_gang':
    case 'curtain':
      return { pos: 0, move: 'stopped', mode: 'manual' }
    case 'gate':
      return { pos: 0, move: 'stopped' }
    case 'lock':
      return { locked: true }
    case 'ac':
      return { on: false, temp: 22, mode: 'cool', fan: 'auto' }
    case 'ir_remote':
    case 'sensor':
    case 'meter':
    case 'gang_module':
      return null
  }
}

/** Command from a state to the initial state; null if they are equal or the past never moved the device. */
function commandTo(begins: DeviceState | undefined, state: DeviceState | undefined): Command | null {
  if (begins === undefined || state === undefined) return null
  if ('on' in state && 'on' in begins && state.on !== begins.on) return { op: 'set_power', args: { on: begins.on } }
  if ('pos' in state && 'pos' in begins && state.pos !== begins.pos)
    return { op: 'set_position', args: { pos: begins.pos } }
  if ('locked' in state && 'locked' in begins && state.locked !== begins.locked)
    return { op: begins.locked ? 'close' : 'open' }
  return null
}

/** State after a command, or null if it has no effect. */
function after(state: DeviceState, command: Command): DeviceState | null {
  switch (command.op) {
    case 'set_power':
      return 'on' in state ? { ...state, on: command.args.on } : null
    case 'set_brightness':
      return 'bri' in state ? { ...state, on: command.args.bri > 0, bri: command.args.bri } : null
    case 'set_position':
      return 'pos' in state ? { ...state, pos: command.args.pos } : null
    case 'open':
    case 'close':
      if ('locked' in state) return { locked: command.op === 'close' }
      return 'pos' in state ? { ...state, pos: command.op === 'open' ? 100 : 0 } : null
    case 'stop':
    case 'set_mode':
    case 'set_temp':
    case 'set_ac_mode':
    case 'set_fan':
    case 'key':
      return null
  }
}
