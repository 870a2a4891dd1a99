import type { RadioUnit } from '../adapter/radio.ts'
import {
  MODES,
  refuse,
  type Capability,
  type Command,
  type GangClass,
  type Mode,
  type Outcome,
  type OwnSchedule,
  type RegisterPair,
  type Report,
  type State,
  type Touch,
  type ReportTrigger,
  type UnitClass,
  type UnitInfo,
} from '../model/bus-types.ts'
import type { UnitPlan } from '../model/house-plan.ts'
import { REGISTERS } from '../registers/register-table.ts'
import type { RegisterSettings } from '../registers/register-settings.ts'
import type { Device, UnitEnvironment } from './device.ts'
import type { Measuring } from './measuring.ts'
import { MINUTE_MS } from '../../lib/durations.ts'

const KEYS_LOCKED = 90
/** A touch of this length is a long one. */
const HELD_MS = 2_000

export interface UnitParts {
  readonly plan: UnitPlan
  readonly class: UnitClass
  readonly firmware: readonly [number, number, number]
  readonly hops: number
  readonly settings: RegisterSettings
  readonly gangSettings: ReadonlyMap<number, RegisterSettings>
  /** Runs on battery: a mains cut does not affect it, and it sleeps between reports. */
  readonly battery: boolean
  readonly environment: UnitEnvironment
}

/** One unit on the bus: its settings, its devices (itself or its gangs), its keys, its own schedules, its radio. */
export class Unit implements RadioUnit {
  readonly address: number
  readonly plan: UnitPlan
  readonly hops: number
  readonly settings: RegisterSettings
  readonly environment: UnitEnvironment
  readonly sleeps: boolean
  readonly capabilities: readonly Capability[]
  readonly #parts: UnitParts
  readonly #devices: Device[] = []
  readonly #schedules: OwnSchedule[] = []
  readonly #heldBack = new Map<string, Report>()
  /** End of the blinking of the unit and of its gangs, by the agenda. */
  readonly #blinksUntil = new Map<number | null, number>()
  #powered = true
  #silenced = false

  constructor(parts: UnitParts) {
    this.#parts = parts
    this.plan = parts.plan
    this.address = parts.plan.address
    this.hops = parts.hops
    this.settings = parts.settings
    this.environment = parts.environment
    this.sleeps = parts.battery && parts.class === 'sensor'
    // Units with settings have a face with LEDs and keys.
    const face: readonly Capability[] = REGISTERS[parts.plan.model] === undefined ? [] : ['identify', 'buttons']
    this.capabilities = [...face, ...(parts.plan.lacks ?? []).map((what) => `no_${what}` as const)]
  }

  /** Adds a device; devices need their unit first. */
  add(device: Device): void {
    this.#devices.push(device)
  }

  /** Own sensors of the unit: temperature, light and motion in its room. */
  measuring: Measuring | null = null

  addSchedule(schedule: OwnSchedule): void {
    this.#schedules.push(schedule)
  }

  get devices(): readonly Device[] {
    return this.#devices
  }

  get powered(): boolean {
    return this.#powered
  }

  get answers(): boolean {
    return this.#powered && !this.#silenced
  }

  get info(): Omit<UnitInfo, 'reachable'> {
    const gangs = this.#devices.flatMap(({ gang, class: its }) =>
      gang !== null && isGangClass(its) ? [{ gang, class: its }] : [],
    )
    return {
      address: this.address,
      model: this.plan.model,
      class: this.#parts.class,
      firmware: this.#parts.firmware,
      gangs,
    }
  }

  get switchOnSpeed(): number {
    return this.settings.value('switch_on_speed')
  }

  /** Silences the unit, as if broken: no answers and no reports. */
  silence(silent: boolean): void {
    this.#silenced = silent
  }

  device(gang: number | null): Device | undefined {
    return this.#devices.find((device) => device.gang === gang)
  }

  /** The settings of a scope, or undefined. */
  settingsOf(gang: number | null): RegisterSettings | undefined {
    return gang === null ? this.settings : this.#parts.gangSettings.get(gang)
  }

  hasGang(gang: number | null): boolean {
    return gang === null || this.#parts.gangSettings.has(gang)
  }

  states(): readonly { readonly gang: number | null; readonly state: State }[] {
    return this.#devices.map((device) => ({ gang: device.gang, state: device.state() }))
  }

  execute(gang: number | null, command: Command, done: (outcome: Outcome) => void): void {
    const device = this.device(gang)
    const lacked = { set_mode: 'no_modes', set_brightness: 'no_level' } as const
    const lacks = command.op in lacked && this.capabilities.includes(lacked[command.op as keyof typeof lacked])
    if (device === undefined || lacks) done(refuse('not_offered'))
    else device.execute(command, done)
  }

  identify(gang: number | null, seconds: number): void {
    this.#blinksUntil.set(gang, this.environment.agenda.now() + seconds * 1_000)
  }

  /** True while the LEDs of the unit, or of one gang, blink. */
  blinks(gang: number | null): boolean {
    return this.#powered && this.environment.agenda.now() < (this.#blinksUntil.get(gang) ?? -Infinity)
  }

  readRegisters(gang: number | null, numbers: readonly number[]): readonly RegisterPair[] {
    return numbers.flatMap((number) => {
      const value = this.settingsOf(gang)?.read(number) ?? null
      return value === null ? [] : [[number, value] as const]
    })
  }

  writeRegisters(
    gang: number | null,
    registers: readonly RegisterPair[],
  ): { detail: 'out_of_range' | 'no_register' | 'read_only'; number: number } | null {
    const refusal = this.settingsOf(gang)?.write(registers) ?? null
    if (refusal === null) return null
    const detail = {
      unknown: 'no_register',
      read_only: 'read_only',
      out_of_range: 'out_of_range',
      forbidden: 'out_of_range',
    } as const
    return { detail: detail[refusal.reason], number: refusal.number }
  }

  /** Changes settings at the unit's own menu: the unit reports it. @throws for values outside the menu */
  changeAtMenu(gang: number | null, registers: readonly RegisterPair[]): void {
    const refusal = this.writeRegisters(gang, registers)
    if (refusal !== null) throw new RangeError(`register ${refusal.number}: ${refusal.detail}`)
    this.reportRegisters(
      gang,
      registers.map(([number]) => number),
    )
  }

  reportRegisters(gang: number | null, numbers: readonly number[]): void {
    this.report({
      kind: 'registers_changed',
      address: this.address,
      gang,
      registers: this.readRegisters(gang, numbers),
    })
  }

  schedules(): readonly OwnSchedule[] {
    return this.#schedules
  }

  /** Runs the own schedules of one local minute. `day` is 0 for Monday. */
  runSchedules(day: number, minute: number): void {
    if (!this.#powered) return
    for (const schedule of this.#schedules) {
      const due = schedule.enabled && schedule.minute === minute && (schedule.days >> day) % 2 === 1
      if (due) this.device(schedule.gang)?.onSchedule?.(schedule.command)
    }
  }

  /** True if the keys react to this touch. */
  feels(gang: number | null, { key, strength, edge }: Touch): boolean {
    const gangSettings = gang === null ? this.settings : this.settingsOf(gang)
    if (!this.#powered || this.settings.value('key_immunity') % 100 === KEYS_LOCKED) return false
    if (key === 'side_left' || key === 'side_right') return this.#sideResponds(key)
    if (edge && this.settings.value('ignore_edge') === 1) return false
    if (gangSettings?.value('touch_area', 1) === 0) return false
    return strength >= this.settings.value(`key_sense_${key}`)
  }

  touch(gang: number | null, touch: Touch): void {
    if (!this.feels(gang, touch)) return
    if (touch.key === 'side_left') this.environment.allOff(250)
    else if (touch.key === 'side_right') this.environment.allOff(252)
    else this.device(gang)?.touch?.(touch)
    if (!this.capabilities.includes('buttons')) return
    const press = touch.heldMs >= HELD_MS ? 'long' : 'short'
    this.report({ kind: 'touch', address: this.address, gang, key: touch.key, press })
  }

  /** Room of the sensor for a device: a module's own, or a paired one in the gang's room. */
  sensedRoom({ gang, roomId }: Pick<Device, 'gang' | 'roomId'>): string | null {
    if (gang === null) return this.plan.room
    return ([null, this.plan.room, roomId] as const)[this.settings.value('module_sensor', 2)] ?? null
  }

  /** Motion in a room. */
  motion(roomId: string): void {
    if (!this.#powered) return
    if (this.plan.room === roomId) this.measuring?.motion()
    for (const device of this.#devices) if (this.sensedRoom(device) === roomId) device.motion?.()
  }

  everyMinute(): void {
    if (!this.#powered) return
    this.measuring?.check()
    for (const device of this.#devices) device.everyMinute?.()
  }

  allOff(group: number): void {
    if (this.#powered) for (const device of this.#devices) device.allOff?.(group)
  }

  /** Sends a report, or delays it to the full minute if `instant_reporting` is off. */
  report(report: Report): void {
    if (!this.answers) return
    if (this.settings.value('instant_reporting', 1) === 1) return this.environment.report(this, report)
    const gang = 'gang' in report ? report.gang : null
    const first = this.#heldBack.size === 0
    this.#heldBack.set(`${report.kind}/${gang}`, report)
    if (first)
      this.environment.agenda.after(MINUTE_MS - (this.environment.agenda.wall() % MINUTE_MS), () =>
        this.#sendHeldBack(),
      )
  }

  reportState(device: Device, trigger: ReportTrigger): void {
    this.report({ kind: 'state_changed', address: this.address, gang: device.gang, trigger, state: device.state() })
  }

  mainsLost(): void {
    if (this.#parts.battery || !this.#powered) return
    for (const device of this.#devices) device.mainsLost?.()
    this.#powered = false
    this.#heldBack.clear()
  }

  mainsBack(): void {
    if (this.#powered) return
    this.#powered = true
    for (const schedule of this.#schedules) {
      if (this.settingOf(schedule.gang, 'mains_schedules', 1) === 0) schedule.enabled = false
    }
    for (const device of this.#devices) device.mainsBack?.()
  }

  /** A gang's setting, else the module's, else `otherwise`. */
  settingOf(gang: number | null, name: string, otherwise = 0): number {
    const own = this.settingsOf(gang)
    return own?.has(name) ? own.value(name) : this.settings.value(name, otherwise)
  }

  /** Returns `mode` if allowed; a mode forbidden by `automatic_modes` becomes Manual. */
  allowed(gang: number | null, mode: Mode): Mode {
    const forbidden = this.settingOf(gang, 'automatic_modes', 1) % 10 === 4
    return forbidden && (mode === 'auto' || mode === 'eco') ? 'manual' : mode
  }

  /** The next mode after a touch on the mode area. */
  nextMode(gang: number | null, mode: Mode): Mode {
    const next = mode === 'sleep' ? 'auto' : (MODES[(MODES.indexOf(mode) + 1) % 3] ?? 'auto')
    return this.allowed(gang, next)
  }

  #sideResponds(key: 'side_left' | 'side_right'): boolean {
    return (
      this.settings.value('side_buttons_off', 1) === 0 &&
      this.settings.value(`side_button_${key === 'side_left' ? 'left' : 'right'}`) === 1
    )
  }

  #sendHeldBack(): void {
    const reports = [...this.#heldBack.values()]
    this.#heldBack.clear()
    for (const report of reports) this.environment.report(this, report)
  }
}

const isGangClass = (text: string): text is GangClass => text === 'switch_gang' || text === 'shutter_gang'
