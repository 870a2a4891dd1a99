import { type Agenda, type Cancel, Countdown } from '../model/agenda.ts'
import {
  type Move,
  refuse,
  type Command,
  type CoverClass,
  type Mode,
  type Outcome,
  type State,
  type Touch,
  type ReportTrigger,
} from '../model/bus-types.ts'
import type { Room } from '../world/room.ts'
import type { Device } from './device.ts'
import type { Unit } from './unit.ts'

/** Interval of position reports during a movement. */
const PROGRESS_MS = 2_000

interface TravelTimes {
  /** Full travel from closed to open, and from open to closed. */
  readonly upMs: number
  readonly downMs: number
  /** From power to motion. */
  readonly activatingMs: number
  /** Added when the direction changes. */
  readonly flipMs: number
}

/** The movement of a shutter, curtain or gate: its position is computed on request; only its end is on the agenda. */
class Travel {
  readonly #agenda: Agenda
  readonly #times: () => TravelTimes
  #from: number
  #target: number
  #startsAt = 0
  #move: Move = 'stopped'
  #last: Move = 'stopped'
  #cancelEnd: Cancel = () => {}
  #cancelProgress: Cancel = () => {}

  constructor(agenda: Agenda, pos: number, times: () => TravelTimes) {
    this.#agenda = agenda
    this.#times = times
    this.#from = this.#target = pos
  }

  get move(): Move {
    return this.#move
  }

  get target(): number {
    return this.#target
  }

  /** 0 closed to 100 open, with fractions. */
  get position(): number {
    if (this.#move === 'stopped') return this.#from
    const travelled = (Math.max(0, this.#agenda.now() - this.#startsAt) / this.#fullMs()) * 100
    return this.#move === 'opening'
      ? Math.min(this.#target, this.#from + travelled)
      : Math.max(this.#target, this.#from - travelled)
  }

  /** Starts towards `target`; `progress` runs repeatedly on the way, `arrived` at its end. */
  go(target: number, progress: () => void, arrived: () => void): void {
    const position = this.position
    const direction: Move = target > position ? 'opening' : 'closing'
    const rolling = this.#move === direction && this.#agenda.now() >= this.#startsAt
    this.stop()
    if (Math.abs(target - position) < 0.5) return
    const { activatingMs, flipMs } = this.#times()
    const flips = this.#last !== 'stopped' && this.#last !== direction
    this.#startsAt = this.#agenda.now() + (rolling ? 0 : activatingMs + (flips ? flipMs : 0))
    this.#target = target
    this.#move = this.#last = direction
    const wayMs = (Math.abs(target - position) / 100) * this.#fullMs()
    this.#cancelEnd = this.#agenda.after(this.#startsAt - this.#agenda.now() + wayMs, () => {
      this.#from = target
      this.#rest()
      arrived()
    })
    this.#cancelProgress = this.#agenda.every(PROGRESS_MS, progress)
  }

  /** Stops at the present position. */
  stop(): void {
    this.#from = this.#target = this.position
    this.#rest()
  }

  #rest(): void {
    this.#cancelEnd()
    this.#cancelProgress()
    this.#move = 'stopped'
    this.#target = this.#from
  }

  #fullMs(): number {
    const { upMs, downMs } = this.#times()
    return Math.max(1, this.#move === 'opening' ? upMs : downMs)
  }
}

const HELD_MS = 2_000
const MAINS_BACK_MS = { least: 800, most: 4_000 }
/** Tolerated distance of the light from `eco_lux` before a shutter moves. */
const ECO_TOLERANCE = 0.1
/** `passage_remote`. */
const PASSAGE = { window: 0, onlyTouchCloses: 1, touchAndSchedulesClose: 2 } as const

interface CoverParts {
  readonly unit: Unit
  readonly gang: number | null
  readonly class: CoverClass | 'gate'
  readonly roomId: string | null
  readonly mode: Mode
  readonly pos: number
}

/** A shutter, shutter gang, curtain or gate. */
export class CoverDevice implements Device {
  readonly gang: number | null
  readonly class: CoverClass | 'gate'
  readonly roomId: string | null
  readonly #unit: Unit
  readonly #room: Room | null
  readonly #travel: Travel
  readonly #sleep: Countdown
  readonly #release: Countdown
  #mode: Mode
  #steppedAt = -Infinity
  /** An obstacle blocks every movement. */
  jammed = false

  constructor(parts: CoverParts) {
    this.#unit = parts.unit
    this.gang = parts.gang
    this.class = parts.class
    this.roomId = parts.roomId
    this.#mode = parts.mode
    const { agenda } = parts.unit.environment
    this.#travel = new Travel(agenda, parts.pos, () => this.#times())
    this.#sleep = new Countdown(agenda, () => this.#sleepEnds())
    this.#release = new Countdown(agenda, () => this.#halt('touch'))
    this.#room = parts.unit.environment.room(parts.roomId)
    if (parts.class !== 'gate') this.#room?.add({ open: () => this.#travel.position / 100 })
    for (const scope of new Set([parts.unit.settings, parts.unit.settingsOf(parts.gang)]))
      scope?.onChange((names) => this.#settingsChanged(names))
  }

  get position(): number {
    return this.#travel.position
  }

  state(): State {
    const pos = Math.round(this.#travel.position)
    const { move } = this.#travel
    return this.class === 'gate' ? { class: 'gate', pos, move } : { class: this.class, pos, move, mode: this.#mode }
  }

  led(): boolean {
    if (!this.#unit.powered) return false
    if (this.class === 'shutter') return this.#setting('shutter_leds') === (this.#setting('led_coding') === 23 ? 3 : 2)
    const coded = this.#setting('led_mode')
    return coded === 1 || (coded === 2 && this.#travel.move !== 'stopped')
  }

  execute(command: Command, done: (outcome: Outcome) => void): void {
    done(this.#carryOut(command) ?? { result: 'done', state: this.state() })
  }

  touch({ key, heldMs }: Touch): void {
    if (key === 'mode') return this.#touchMode(heldMs)
    const end = key === 'up' ? 100 : 0
    const allTheWay = this.gang !== null || this.class !== 'shutter' || this.#setting('single_touch') === 1
    if (!allTheWay) {
      this.#go(end, 'touch')
      this.#release.start(heldMs)
    } else if (this.#travel.move === 'stopped') {
      this.#go(end, 'touch')
    } else {
      this.#halt('touch')
    }
  }

  everyMinute(): void {
    if (this.#mode !== 'eco' || this.class !== 'shutter' || this.#room === null) return
    const { agenda } = this.#unit.environment
    const frameMs = Math.max(1, this.#setting('move_frame_h') * 60 + this.#setting('move_frame_min')) * 60_000
    if (this.#travel.move !== 'stopped' || agenda.now() - this.#steppedAt < frameMs) return
    const lux = this.#room.light(agenda.wall())
    const wanted = this.#setting('eco_lux')
    if (lux > wanted * (1 - ECO_TOLERANCE) && lux < wanted * (1 + ECO_TOLERANCE)) return
    const up = lux < wanted
    const { upMs, downMs } = this.#times()
    const step = (this.#setting('auto_movement_s') * 100_000) / (up ? upMs : downMs)
    const target = Math.min(100, Math.max(0, this.position + (up ? step : -step)))
    if (Math.abs(target - this.position) < 0.5 || !this.#mayGo(target, 'own_timer')) return
    this.#steppedAt = agenda.now()
    this.#go(target, 'own_timer')
  }

  onSchedule(command: Command): void {
    if (this.#mode !== 'auto' && this.#mode !== 'eco') return
    const target = this.#targetOf(command)
    if (target !== null && this.#mayGo(target, 'own_schedule')) this.#go(target, 'own_schedule')
  }

  allOff(group: number): void {
    if (this.#setting('all_off_group', 170) === group && this.#mayGo(0, 'command')) this.#go(0, 'command')
  }

  heatInside(celsius: number): void {
    if (celsius >= this.#setting('max_temp', Infinity)) this.#halt('protection')
  }

  mainsLost(): void {
    this.#travel.stop()
    this.#sleep.stop()
    this.#release.stop()
  }

  mainsBack(): void {
    this.#mode = this.#unit.allowed(
      this.gang,
      ([this.#mode, 'auto', 'eco', 'manual'] as const)[this.#setting('mains_mode')] ?? this.#mode,
    )
    const load = this.#setting('mains_load', 2)
    const { agenda, random } = this.#unit.environment
    agenda.after(random.between(MAINS_BACK_MS.least, MAINS_BACK_MS.most), () => {
      const target = load === 1 ? 100 : load === 0 && this.#mayGo(0, 'mains_return') ? 0 : null
      if (target === null || !this.#go(target, 'mains_return')) this.#unit.reportState(this, 'mains_return')
    })
  }

  /** Null, or the refusal. The reply contains the state, so only later changes are reported. */
  #carryOut(command: Command): Outcome | null {
    if (command.op === 'set_mode') {
      if (this.class === 'gate') return refuse('not_offered')
      if (this.#unit.allowed(this.gang, command.mode) !== command.mode) return refuse('mode')
      this.#enter(command.mode)
      return null
    }
    if (command.op === 'stop') {
      this.#release.stop()
      this.#travel.stop()
      return null
    }
    const target = this.#targetOf(command)
    if (target === null || (this.class === 'gate' && command.op === 'set_position')) return refuse('not_offered')
    if (this.jammed || !this.#mayGo(target, 'command')) return refuse('blocked')
    this.#go(target, 'command', false)
    return null
  }

  #targetOf(command: Command): number | null {
    if (command.op === 'open') return 100
    if (command.op === 'close') return 0
    if (command.op !== 'set_position') return null
    const alignment = this.#setting('alignment')
    return command.pos <= alignment ? 0 : command.pos >= 100 - alignment ? 100 : command.pos
  }

  /** True if a passage lets this trigger move the shutter down. */
  #mayGo(target: number, trigger: ReportTrigger): boolean {
    const passage = this.#setting('passage_remote')
    if (target >= this.position || trigger === 'touch' || passage === PASSAGE.window) return true
    return passage === PASSAGE.touchAndSchedulesClose && trigger === 'own_schedule'
  }

  /** Returns false if the target is reached already. */
  #go(target: number, trigger: ReportTrigger, report = true): boolean {
    this.#release.stop()
    const wasMoving = this.#travel.move !== 'stopped'
    const reportState = (): void => this.#unit.reportState(this, trigger)
    this.#travel.go(target, reportState, reportState)
    const moves = this.#travel.move !== 'stopped'
    if (report && (moves || wasMoving)) reportState()
    return moves
  }

  #halt(trigger: ReportTrigger): void {
    if (this.#travel.move === 'stopped') return
    this.#travel.stop()
    this.#unit.reportState(this, trigger)
  }

  #touchMode(heldMs: number): void {
    if (this.class !== 'shutter') return
    const sleeps = heldMs >= HELD_MS
    this.#enter(sleeps ? 'sleep' : this.#unit.nextMode(this.gang, this.#mode))
    this.#unit.reportState(this, sleeps ? 'sleep' : 'touch')
  }

  #enter(mode: Mode): void {
    this.#mode = mode
    this.#sleep.stop()
    if (mode === 'sleep') this.#sleep.start((this.#setting('sleep_h') * 60 + this.#setting('sleep_min')) * 60_000)
  }

  #sleepEnds(): void {
    this.#enter('manual')
    if (!this.#mayGo(0, 'sleep') || !this.#go(0, 'sleep')) this.#unit.reportState(this, 'sleep')
  }

  #settingsChanged(names: readonly string[]): void {
    if (!names.includes('automatic_modes')) return
    const mode = this.#unit.allowed(this.gang, this.#mode)
    if (mode === this.#mode) return
    this.#enter(mode)
    this.#unit.reportState(this, 'command')
  }

  #setting(name: string, otherwise = 0): number {
    return this.#unit.settingOf(this.gang, name, otherwise)
  }

  #times(): TravelTimes {
    const planned = (this.#unit.plan.travelSeconds ?? 15) * 1_000
    if (this.class === 'curtain' || this.class === 'gate')
      return { upMs: planned, downMs: planned, activatingMs: 200, flipMs: 0 }
    const seconds = (min: string, s: string): number => (this.#setting(min) * 60 + this.#setting(s)) * 1_000
    return {
      upMs: seconds('up_time_min', 'up_time_s'),
      downMs: seconds('down_time_min', 'down_time_s'),
      activatingMs: this.#setting('activating_time') * 100,
      flipMs: this.#setting('flip_time') * 100,
    }
  }
}
