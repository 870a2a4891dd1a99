import type { Readings, Report } from '../model/bus-types.ts'
import { Countdown } from '../model/agenda.ts'
import type { Measures } from '../model/house-plan.ts'
import type { Room } from '../world/room.ts'
import type { UnitEnvironment } from './device.ts'

/** Minimum reported change: degrees, percent, ppm, percent of charge; light counts by its ratio. */
const WORTH = { temperature: 0.3, humidity: 2, co2: 50, battery: 1 } as const
const LIGHT_WORTH = { ratio: 1.4, lux: 15 } as const
const SILENT_MAX_MS = 30 * 60_000
/** Motion ends after this time without movement. */
const MOTION_ENDS_MS = 60_000
const BATTERY_LIFE_MS = 500 * 86_400_000
/** Remaining charge at which the family changes the battery, as a fraction. */
const CHANGED_AT = 0.2

/** The part of a unit that its measuring uses. */
interface MeasuringUnit {
  readonly address: number
  readonly environment: Pick<UnitEnvironment, 'agenda'>
  report(report: Report): void
}

/** Shared behaviour of measuring devices: reads the room and reports sufficient changes. */
export class Measuring {
  readonly #unit: MeasuringUnit
  readonly #room: Room | null
  readonly #measures: ReadonlySet<Measures>
  readonly #offset: number
  readonly #bornAt: number
  readonly #motionEnds: Countdown
  #reported: Readings = {}
  #reportedAt = -Infinity
  #motion = false
  #door = false

  /** @param traits individual properties: thermometer offset, and installation time of the battery (epoch ms) */
  constructor(
    unit: MeasuringUnit,
    room: Room | null,
    measures: readonly Measures[],
    traits: { readonly offset: number; readonly bornAt: number },
  ) {
    this.#unit = unit
    this.#room = room
    this.#measures = new Set(measures)
    this.#offset = traits.offset
    this.#bornAt = traits.bornAt
    this.#motionEnds = new Countdown(unit.environment.agenda, () => this.#setMotion(false))
    this.#reported = this.#now()
  }

  /** The last reported readings: the adapter's view of a sleeping sensor. */
  get reported(): Readings {
    return this.#reported
  }

  motion(): void {
    if (!this.#measures.has('motion')) return
    this.#motionEnds.start(MOTION_ENDS_MS)
    this.#setMotion(true)
  }

  door(open: boolean): void {
    if (!this.#measures.has('door') || open === this.#door) return
    this.#door = open
    this.#reported = { ...this.#reported, door: open }
    this.#unit.report({ kind: 'detection', address: this.#unit.address, detection: 'door', value: open })
  }

  /** Reports sufficient changes; everything after a long silence. */
  check(): void {
    const now = this.#unit.environment.agenda.now()
    const readings = this.#now()
    const all = now - this.#reportedAt >= SILENT_MAX_MS
    const changes = all ? readings : this.#significant(readings)
    if (Object.keys(changes).length === 0) return
    if (all) this.#reportedAt = now
    this.#reported = { ...this.#reported, ...changes }
    this.#unit.report({ kind: 'readings', address: this.#unit.address, readings: changes })
  }

  #setMotion(value: boolean): void {
    if (value === this.#motion) return
    this.#motion = value
    this.#reported = { ...this.#reported, motion: value }
    this.#unit.report({ kind: 'detection', address: this.#unit.address, detection: 'motion', value })
  }

  #now(): Readings {
    const room = this.#room
    const wall = this.#unit.environment.agenda.wall()
    const of = (what: Measures, value: () => number | boolean): object =>
      this.#measures.has(what) ? { [what]: value() } : {}
    const tenth = (value: number): number => Math.round(value * 10) / 10
    return {
      ...of('temperature', () => tenth((room?.temperature(wall) ?? 20) + this.#offset)),
      ...of('humidity', () => tenth(room?.humidity(wall) ?? 45)),
      ...of('light', () => Math.round(room?.light(wall) ?? 0)),
      ...of('motion', () => this.#motion),
      ...of('co2', () => Math.round(room?.co2(wall) ?? 420)),
      ...of('door', () => this.#door),
      ...of('battery', () => 100 - Math.floor(this.#spent(wall) * 100)),
    }
  }

  /** Used fraction of the present battery. */
  #spent(wall: number): number {
    return (Math.max(0, wall - this.#bornAt) / BATTERY_LIFE_MS) % (1 - CHANGED_AT)
  }

  #significant(readings: Readings): Readings {
    const reported = this.#reported
    const changes: Record<string, number> = {}
    for (const what of ['temperature', 'humidity', 'co2', 'battery'] as const) {
      const value = readings[what]
      if (value !== undefined && Math.abs(value - (reported[what] ?? 0)) >= WORTH[what]) changes[what] = value
    }
    const { light } = readings
    const before = reported.light ?? 0
    const changed = light !== undefined && Math.abs(light - before) >= LIGHT_WORTH.lux
    if (changed && Math.max(light, before) >= Math.min(light, before) * LIGHT_WORTH.ratio) changes['light'] = light
    return changes
  }
}
