import {
  refuse,
  type Outcome,
  type Command,
  type Mode,
  type State,
  type Touch,
  type ReportTrigger,
} from '../model/bus-types.ts'
import type { RegisterSettings } from '../registers/register-settings.ts'
import type { Unit } from './unit.ts'
import { type Agenda, type Cancel, Countdown } from '../model/agenda.ts'
import type { Load } from '../model/house-plan.ts'
import type { Room } from '../world/room.ts'
import type { Device } from './device.ts'
import { EnergyCounter } from './energy-counter.ts'
import { LoadAutomatics, type Automated } from './load-automatics.ts'
import { LoadSource } from './load-source.ts'

const COOL = ['cool_on', 'cool_off'] as const
const HEAT = ['heat_on', 'heat_off'] as const
/** Active temperatures for each `climate_load`; the set point is the last one. */
const IN_FORCE: readonly (readonly string[])[] = [[], COOL, HEAT, [...HEAT, ...COOL]]
const NUMBER: Readonly<Record<string, number>> = { cool_on: 41, cool_off: 42, heat_on: 43, heat_off: 44 }

/** Degrees Celsius, or null without a climate load. */
function setPointOf(settings: RegisterSettings): number | null {
  const name = IN_FORCE[settings.value('climate_load')]?.at(-1)
  return name === undefined ? null : settings.value(name) / 2
}

/** Shifts all active temperatures so that the set point becomes `celsius`, to half a degree. Null, or the refusal. */
function shiftSetPoint(unit: Unit, celsius: number): Outcome | null {
  const { settings } = unit
  const names = IN_FORCE[settings.value('climate_load')] ?? []
  const current = setPointOf(settings)
  if (current === null) return refuse('not_offered')
  const shift = Math.round(celsius * 2) - current * 2
  if (shift === 0) return null
  const numbers = names.map((name) => NUMBER[name] ?? 0)
  const refusal = settings.write(names.map((name, index) => [numbers[index] ?? 0, settings.value(name) + shift]))
  if (refusal !== null) return refuse('out_of_range')
  unit.reportRegisters(null, numbers)
  return null
}

/** The ramp between two levels of light: computed on request, with one entry on the agenda for its end. */
class Fade {
  readonly #agenda: Agenda
  #from = 0
  #startedAt = 0
  #lastsMs = 0
  #cancel: Cancel = () => {}

  constructor(agenda: Agenda) {
    this.#agenda = agenda
  }

  /** The level now, on the way to `target`. */
  level(target: number): number {
    if (this.#lastsMs === 0) return target
    const share = Math.min(1, (this.#agenda.now() - this.#startedAt) / this.#lastsMs)
    return this.#from + (target - this.#from) * share
  }

  /** Starts at level `from`; `ended` runs at the end of the ramp, and never for one without length. */
  start(from: number, lastsMs: number, ended: () => void): void {
    this.cancel()
    if (lastsMs === 0) return
    this.#from = from
    this.#startedAt = this.#agenda.now()
    this.#lastsMs = lastsMs
    this.#cancel = this.#agenda.after(lastsMs, () => {
      this.#lastsMs = 0
      ended()
    })
  }

  cancel(): void {
    this.#cancel()
    this.#lastsMs = 0
  }
}

/** Holding the mode area this long starts Sleep. */
const HELD_MS = 2_000
/** The end of a fade of at least this length is reported, too. */
const LONG_FADE_MS = 1_000
const MAINS_BACK_MS = { least: 800, most: 4_000 }
/** Shares of a load that turn into heat in its room. */
const HEAT_SHARE = { lamp: 0.5, socket: 0.3, appliance: 0.2, heater: 1, fan: 0, none: 0 } as const

type LoadClass = 'light_switch' | 'light_dimmer' | 'power_switch' | 'sense_switch' | 'switch_gang'

interface LoadParts {
  readonly unit: Unit
  readonly gang: number | null
  readonly class: LoadClass
  readonly roomId: string | null
  readonly load: Load
  readonly mode: Mode
  readonly startWh: number
}

/** A relay or dimmer with a load: lights, power and sense switches, switch gangs. */
export class LoadDevice implements Device, Automated {
  readonly gang: number | null
  readonly class: LoadClass
  readonly roomId: string | null
  readonly agenda: Agenda
  readonly energy: EnergyCounter
  readonly source: LoadSource
  readonly #unit: Unit
  readonly #room: Room | null
  readonly #automatics: LoadAutomatics
  readonly #offDelay: Countdown
  readonly #fade: Fade
  #closed = false
  #bri = 0
  #mode: Mode
  #insideCelsius = 35

  constructor(parts: LoadParts) {
    this.#unit = parts.unit
    this.gang = parts.gang
    this.class = parts.class
    this.roomId = parts.roomId
    this.agenda = parts.unit.environment.agenda
    this.#room = parts.unit.environment.room(parts.roomId)
    this.#mode = parts.mode
    this.energy = new EnergyCounter(this.agenda, parts.startWh, (energyWh, powerW) =>
      this.#unit.report({ kind: 'energy', address: this.#unit.address, gang: this.gang, energyWh, powerW }),
    )
    this.source = new LoadSource(parts.load, this.agenda, () => this.#sourceChanged())
    this.#fade = new Fade(this.agenda)
    this.#automatics = new LoadAutomatics(this)
    this.#offDelay = new Countdown(this.agenda, () => this.turn(false, 'own_timer'))
    this.#room?.add({ lux: () => this.#lux(), heat: () => this.energy.watts * HEAT_SHARE[parts.load.kind] })
    for (const scope of new Set([parts.unit.settings, parts.unit.settingsOf(parts.gang)]))
      scope?.onChange((names) => this.#settingsChanged(names))
    if (parts.mode === 'manual') this.#automatics.handled()
  }

  /** True if the unit reports the load as on: a sense switch decides by the sensed power. */
  get on(): boolean {
    return this.#isOnAt(this.#watts())
  }

  get mode(): Mode {
    return this.#mode
  }

  get sensed(): Room | null {
    return this.#unit.environment.room(this.#unit.sensedRoom(this))
  }

  /** Present percentage of light, also during a fade. */
  get level(): number {
    return this.#closed ? this.#fade.level(this.class === 'light_dimmer' ? this.#bri : 100) : this.#fade.level(0)
  }

  setting(name: string, otherwise = 0): number {
    return this.#unit.settingOf(this.gang, name, otherwise)
  }

  has(name: string): boolean {
    return (this.#unit.settingsOf(this.gang)?.has(name) ?? false) || this.#unit.settings.has(name)
  }

  state(): State {
    const { on, mode } = this
    if (this.class === 'light_dimmer') return { class: this.class, on, bri: on ? this.#bri : 0, mode }
    if (this.class === 'power_switch') return { class: this.class, on, mode, temp: setPointOf(this.#unit.settings) }
    return { class: this.class, on, mode }
  }

  led(): boolean {
    const coded = this.setting('led_mode')
    return this.#unit.powered && (coded === 1 || (coded === 2 && this.on))
  }

  execute(command: Command, done: (outcome: Outcome) => void): void {
    const refusal = this.#carryOut(command)
    if (refusal === null) this.#automatics.handled()
    done(refusal ?? { result: 'done', state: this.state() })
  }

  touch(touch: Touch): void {
    this.#automatics.handled()
    if (this.setting('single_touch') === 1 || this.gang !== null) this.#touchPower(!this.#closed)
    else if (touch.key !== 'mode') this.#touchPower(touch.key === 'up')
    else if (touch.heldMs >= HELD_MS && this.has('sleep_h')) this.enter('sleep', 'sleep')
    else this.enter(this.#unit.nextMode(this.gang, this.#mode), 'touch')
  }

  motion(): void {
    this.#automatics.motion()
  }

  everyMinute(): void {
    this.energy.everyMinute()
    this.#automatics.climate()
  }

  onSchedule(command: Command): void {
    if (this.#mode !== 'auto' && this.#mode !== 'eco') return
    if (command.op === 'set_power') this.turn(command.on, 'own_schedule')
    if (command.op === 'set_brightness') this.#setLevel(command.bri, 'own_schedule')
  }

  allOff(group: number): void {
    if (this.setting('all_off_group', 170) === group) this.turn(false, 'command')
  }

  heatInside(celsius: number): void {
    this.#insideCelsius = celsius
    if (this.#overheated) this.turn(false, 'protection')
  }

  /** A person starts the appliance, and switches it on before if it is off. */
  startAppliance(): void {
    if (this.source.plan.kind !== 'appliance') return
    this.turn(true, 'touch')
    if (this.#closed) this.source.start()
  }

  turn(on: boolean, trigger: ReportTrigger): void {
    if (on && this.#overheated) return
    if (on === this.#closed) this.#offDelay.stop()
    else this.#switch(on ? this.#onLevel : 0, trigger)
  }

  enter(mode: Mode, trigger: ReportTrigger, on?: boolean): void {
    const before = { mode: this.#mode, closed: this.#closed }
    this.#mode = this.#unit.allowed(this.gang, mode)
    if (on !== undefined && on !== this.#closed) this.#switch(on ? this.#onLevel : 0, trigger, false)
    this.#automatics.entered(this.#mode, trigger)
    if (before.mode !== this.#mode || before.closed !== this.#closed) this.#unit.reportState(this, trigger)
  }

  mainsLost(): void {
    this.#offDelay.stop()
    this.#automatics.stop()
    this.#fade.cancel()
    this.source.interrupt()
    this.energy.draw(0)
  }

  mainsBack(): void {
    const load = this.setting('mains_load', 2)
    const on = load === 2 ? this.#closed : load === 1
    this.#mode = this.#unit.allowed(
      this.gang,
      ([this.#mode, 'auto', 'eco', 'manual'] as const)[this.setting('mains_mode')] ?? this.#mode,
    )
    if (on !== this.#closed) this.#bri = on ? this.#onLevel : 0
    this.#closed = on
    this.energy.draw(this.#watts())
    this.#automatics.switched(on, 'mains_return')
    this.#automatics.entered(this.#mode)
    this.agenda.after(this.#unit.environment.random.between(MAINS_BACK_MS.least, MAINS_BACK_MS.most), () =>
      this.#unit.reportState(this, 'mains_return'),
    )
  }

  get #overheated(): boolean {
    return this.#insideCelsius >= this.setting('max_temp', Infinity)
  }

  /** Level of a dimmer that turns on without a given level. */
  get #onLevel(): number {
    return this.setting('dimmable', 1) === 0
      ? 100
      : Math.max(this.setting('turn_on_brightness', 100), this.setting('min_dim_level'))
  }

  /** Executes a command without a report: the reply contains the state. Null, or the refusal. */
  #carryOut(command: Command): Outcome | null {
    const turnsOn = (command.op === 'set_power' && command.on) || (command.op === 'set_brightness' && command.bri > 0)
    if (turnsOn && this.#overheated) return refuse('protection')
    switch (command.op) {
      case 'set_power':
        if (command.on === this.#closed) this.#offDelay.stop()
        else this.#switch(command.on ? this.#onLevel : 0, 'command', false)
        return null
      case 'set_brightness':
        if (this.class !== 'light_dimmer') return refuse('not_offered')
        this.#setLevel(command.bri, 'command', false)
        return null
      case 'set_mode':
        if (this.#unit.allowed(this.gang, command.mode) !== command.mode) return refuse('mode')
        this.#offDelay.stop()
        this.#mode = command.mode
        this.#automatics.entered(command.mode, 'command')
        return null
      case 'set_temp':
        return this.class === 'power_switch' ? shiftSetPoint(this.#unit, command.temp) : refuse('not_offered')
      default:
        return refuse('not_offered')
    }
  }

  #touchPower(on: boolean): void {
    if (on && this.#overheated) return
    const delayMs = (this.setting('off_delay_min') * 60 + this.setting('off_delay_s')) * 1_000
    if (this.#offDelay.running) this.turn(false, 'touch')
    else if (!on && this.#closed && delayMs > 0) this.#offDelay.start(delayMs)
    else this.turn(on, 'touch')
  }

  #setLevel(bri: number, trigger: ReportTrigger, report = true): void {
    const possible =
      bri === 0 ? 0 : this.setting('dimmable', 1) === 0 ? 100 : Math.max(bri, this.setting('min_dim_level'))
    if (possible === (this.#closed ? this.#bri : 0)) this.#offDelay.stop()
    else this.#switch(possible, trigger, report)
  }

  /** Sets the load's level; 0 is off. */
  #switch(bri: number, trigger: ReportTrigger, report = true): void {
    const from = this.level
    const wasClosed = this.#closed
    this.#offDelay.stop()
    this.#closed = bri > 0
    this.#bri = bri
    this.energy.draw(this.#watts())
    const fadeMs = this.class === 'light_dimmer' ? this.setting('fade_speed') * 25 : 0
    this.#fade.start(from, fadeMs, () => {
      if (fadeMs >= LONG_FADE_MS) this.#unit.reportState(this, trigger)
    })
    if (wasClosed !== this.#closed) this.#automatics.switched(this.#closed, trigger)
    if (report) this.#unit.reportState(this, trigger)
    if (wasClosed !== this.#closed) this.#afterSwitch()
  }

  #afterSwitch(): void {
    const emitter = this.setting('ir_emitter')
    if (emitter > 0)
      this.#unit.environment.sendIr(emitter, this.setting(this.#closed ? 'ir_channel_on' : 'ir_channel_off'))
    const outside = this.#watts() > this.setting('max_load', Infinity) || this.#watts() < this.setting('min_load')
    if (this.#closed && this.setting('load_check') === 1 && outside) this.#unit.reportState(this, 'protection')
  }

  #sourceChanged(): void {
    if (!this.#closed || !this.#unit.powered) return
    const wasOn = this.#isOnAt(this.energy.watts)
    this.energy.draw(this.#watts())
    if (wasOn !== this.on) this.#unit.reportState(this, 'own_timer')
  }

  #settingsChanged(names: readonly string[]): void {
    if (names.includes('off_delay_s') || names.includes('off_delay_min')) {
      if (this.setting('off_delay_min') + this.setting('off_delay_s') === 0) this.#offDelay.stop()
    }
    if (names.includes('automatic_modes') && this.#unit.allowed(this.gang, this.#mode) !== this.#mode)
      this.enter('manual', 'command')
    this.#automatics.changed(names)
  }

  #isOnAt(watts: number): boolean {
    return this.#closed && (this.class !== 'sense_switch' || watts >= this.setting('on_level'))
  }

  #watts(): number {
    return this.#closed ? (this.source.watts * (this.class === 'light_dimmer' ? this.#bri : 100)) / 100 : 0
  }

  #lux(): number {
    return this.#unit.powered && this.level > 0 ? ((this.source.plan.lux ?? 0) * this.level) / 100 : 0
  }
}
