import { type Agenda, Countdown } from '../model/agenda.ts'
import type { Mode, ReportTrigger } from '../model/bus-types.ts'
import type { Room } from '../world/room.ts'
import { MINUTE_MS } from '../../lib/durations.ts'

const ANY_LIGHT = 254
const CLIMATE = { none: 0, cool: 1, heat: 2, both: 3 } as const

/** The load's interface for its automatics. */
export interface Automated {
  readonly agenda: Agenda
  readonly on: boolean
  readonly mode: Mode
  /** Room of the motion, light and temperature sensor; null without one. */
  readonly sensed: Room | null
  setting(name: string, otherwise?: number): number
  has(name: string): boolean
  turn(on: boolean, trigger: ReportTrigger): void
  /** Changes the mode, and the load too if `on` is set, as one change. */
  enter(mode: Mode, trigger: ReportTrigger, on?: boolean): void
}

/**
 * The automatic functions of a switch, controlled by its registers (docs/hmhc-registers.md, `What each register does`).
 */
export class LoadAutomatics {
  readonly #load: Automated
  readonly #noMotion: Countdown
  readonly #quickOff: Countdown
  readonly #safety: Countdown
  readonly #sleep: Countdown
  #detections: number[] = []
  #cooling = false
  #heating = false

  constructor(load: Automated) {
    this.#load = load
    this.#noMotion = new Countdown(load.agenda, () => load.turn(false, 'own_timer'))
    this.#quickOff = new Countdown(load.agenda, () => load.turn(false, 'own_timer'))
    this.#safety = new Countdown(load.agenda, () => this.#safetyEnds())
    this.#sleep = new Countdown(load.agenda, () => load.enter('manual', 'sleep', false))
  }

  /** The load turned on or off. */
  switched(on: boolean, trigger: ReportTrigger): void {
    this.#quickOff.stop()
    this.#noMotion.stop()
    if (!on) return
    this.#startNoMotion()
    const quickMs = this.#time('quick_off_h', 'quick_off_min')
    if (trigger === 'motion' && quickMs > 0) this.#quickOff.start(quickMs)
  }

  /** A touch or a command restarts the safety timer. */
  handled(): void {
    this.#safety.stop()
    const { safety_timer: count, unitMs } = this.#safetyTimer()
    if (this.#load.mode === 'manual' && count > 0) this.#safety.start(count * unitMs)
  }

  entered(mode: Mode, trigger: ReportTrigger = 'own_timer'): void {
    this.handled()
    this.#sleep.stop()
    this.#detections = []
    if (mode === 'sleep') this.#sleep.start(this.#time('sleep_h', 'sleep_min'))
    if (this.#automatic && this.#load.on) this.#startNoMotion()
    else this.#stopMotionTimers()
    this.climate(trigger)
  }

  motion(): void {
    if (!this.#automatic || this.#climateLoad !== CLIMATE.none) return
    if (this.#load.on) {
      this.#quickOff.stop()
      this.#startNoMotion()
    } else if (this.#load.mode === 'auto' && this.#dark() && this.#detectedOften()) {
      this.#detections = []
      this.#load.turn(true, 'motion')
    }
  }

  /** Applies the room-temperature rules; `trigger` made it look now. */
  climate(trigger: ReportTrigger = 'own_timer'): void {
    const what = this.#climateLoad
    const room = this.#load.sensed
    if (what === CLIMATE.none || !this.#automatic || room === null) return
    const celsius = room.temperature(this.#load.agenda.wall())
    const above = (name: string): boolean => celsius > this.#load.setting(name) / 2
    const below = (name: string): boolean => celsius < this.#load.setting(name) / 2
    // Between its two temperatures a rule leaves the load unchanged.
    this.#cooling =
      what !== CLIMATE.heat &&
      (above('cool_on') || (!below('cool_off') && (what === CLIMATE.both ? this.#cooling : this.#load.on)))
    this.#heating =
      what !== CLIMATE.cool &&
      (below('heat_on') || (!above('heat_off') && (what === CLIMATE.both ? this.#heating : this.#load.on)))
    const on = this.#cooling || this.#heating
    if (on !== this.#load.on) this.#load.turn(on, trigger)
  }

  /** Settings changed: a timer that was turned off stops, one that was turned on starts; others keep their end. */
  changed(names: readonly string[]): void {
    const touched = (...some: readonly string[]): boolean => some.some((name) => names.includes(name))
    if (touched('no_motion_h', 'no_motion_min')) {
      if (this.#time('no_motion_h', 'no_motion_min') === 0) this.#noMotion.stop()
      else if (this.#load.on && !this.#noMotion.running) this.#startNoMotion()
    }
    if (touched('quick_off_h', 'quick_off_min') && this.#time('quick_off_h', 'quick_off_min') === 0)
      this.#quickOff.stop()
    if (touched('safety_timer')) {
      if (this.#load.setting('safety_timer') === 0) this.#safety.stop()
      else if (!this.#safety.running) this.handled()
    }
    if (touched('climate_load')) {
      this.#cooling = this.#heating = false
      if (this.#climateLoad === CLIMATE.none && this.#load.on) this.#startNoMotion()
      else this.#stopMotionTimers()
    }
    if (touched('climate_load', 'cool_on', 'cool_off', 'heat_on', 'heat_off')) this.climate('command')
  }

  stop(): void {
    this.#stopMotionTimers()
    this.#safety.stop()
    this.#sleep.stop()
    this.#detections = []
  }

  get #automatic(): boolean {
    return this.#load.mode === 'auto' || this.#load.mode === 'eco'
  }

  get #climateLoad(): number {
    return this.#load.setting('climate_load')
  }

  #stopMotionTimers(): void {
    this.#noMotion.stop()
    this.#quickOff.stop()
  }

  #startNoMotion(): void {
    const delayMs = this.#time('no_motion_h', 'no_motion_min')
    if (delayMs > 0 && this.#automatic && this.#climateLoad === CLIMATE.none) this.#noMotion.start(delayMs)
  }

  #dark(): boolean {
    if (!this.#load.has('dark_lux')) return true
    const limit = this.#load.setting('dark_lux')
    const room = this.#load.sensed
    return limit === ANY_LIGHT || (room !== null && room.light(this.#load.agenda.wall()) < limit)
  }

  /** True if this detection completes the number that the switch requires; lights require one. */
  #detectedOften(): boolean {
    if (!this.#load.has('presence_sensitivity')) return true
    const now = this.#load.agenda.now()
    const since = now - Math.max(1_000, this.#time('detection_timer_h', 'detection_timer_min'))
    this.#detections = [...this.#detections.filter((at) => at >= since), now]
    return this.#detections.length >= Math.max(1, this.#load.setting('presence_sensitivity'))
  }

  #safetyTimer(): { safety_timer: number; unitMs: number } {
    const minutes = Math.floor(this.#load.setting('safety_mode') / 100) === 1
    return { safety_timer: this.#load.setting('safety_timer'), unitMs: minutes ? MINUTE_MS : 60 * MINUTE_MS }
  }

  #safetyEnds(): void {
    const coded = this.#load.setting('safety_mode', 1)
    const mode = ([undefined, 'auto', 'eco', 'manual'] as const)[coded % 10] ?? 'manual'
    const stays = Math.floor(coded / 10) % 10 === 1
    this.#load.enter(mode, 'own_timer', stays ? undefined : false)
    // After its safety timer the load is in Manual and waits for the next touch.
    this.#safety.stop()
  }

  #time(hours: string, minutes: string): number {
    return this.#load.has(minutes) ? (this.#load.setting(hours) * 60 + this.#load.setting(minutes)) * MINUTE_MS : 0
  }
}
