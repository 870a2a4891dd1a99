import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { Device, House } from '../house/house.ts'
import { failureWords } from '../words/commands.ts'
import { type Cause, whoAsks, type HomeEvent } from '../model/events.ts'
import { type DeviceKey, deviceKey, parseDeviceKey, type RegisterName, type RegisterValues } from '../model/device.ts'
import { type Unit, isSameUnit } from '../model/house.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type { SettingsStore, UnitScheduleStore } from '../ports/house-store.ts'
import type { BusFailure, BusReport, Priority, Target, UnitBus } from '../ports/unit-bus.ts'
import { BackgroundReader, type ReadJob } from './background-reader.ts'
import { type DeviceSettings, SettingsCache, type CachedSchedules, UnitScheduleCache } from './settings-cache.ts'
import { conflictDetail, otherClass } from '../house/placing.ts'

/** More than this many writers that wait for one unit are turned away. */
export const WRITERS_PER_UNIT_MAX = 16

/** Lets the tasks of one unit run one after the other; units do not wait for each other. */
class UnitMutex {
  readonly #queues = new Map<string, { last: Promise<unknown>; length: number }>()

  /** Runs `task` when everything before it on this unit is over; null, at once, where too many wait already. */
  run<T>(unit: string, task: () => Promise<T>): Promise<T> | null {
    const queue = this.#queues.get(unit) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= WRITERS_PER_UNIT_MAX) return null
    const turn = queue.last.then(task)
    queue.length += 1
    queue.last = this.#over(unit, turn)
    this.#queues.set(unit, queue)
    return turn
  }

  async #over(unit: string, turn: Promise<unknown>): Promise<void> {
    try {
      await turn
    } catch {
      // The caller of `run` gets the failure; the next task begins all the same.
    }
    const queue = this.#queues.get(unit)
    if (queue === undefined) return
    queue.length -= 1
    if (queue.length === 0) this.#queues.delete(unit)
  }
}

type SettingFailure = BusFailure | { readonly kind: 'not_there' }

/** A change that a client asks for: the registers, and the phrase for the activity log. */
interface SettingChange {
  readonly values: RegisterValues
  /** `off delay set to 90 s`. */
  readonly what: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** How long a refused writer is asked to wait when too many wait for the same unit. */
const CROWDED_RETRY_MS = 1_000
/** How soon a background read that was overtaken by a write or a report is made again. */
const OVERTAKEN_RETRY_MS = 5_000

interface UnitSettingsParts {
  readonly house: House
  readonly bus: UnitBus
  readonly settings: SettingsStore
  readonly schedules: UnitScheduleStore
  readonly activity: ActivityLog
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
  readonly log: Log
  /** Names the settings behind registers that changed at the unit itself: `off delay changed at the unit`. */
  readonly changeWords: (device: Device, names: readonly RegisterName[]) => string
  /** Told of every confirmed change; resolves once the state that follows from it is known, or cannot be. */
  readonly stateAfter: (
    device: Device,
    names: readonly RegisterName[],
    cause: Cause,
    priority: Priority,
  ) => Promise<void>
}

/**
 * The settings and own schedules of all units: read from the cache, which reports and background reads keep true;
 * written through to the unit, one writer at a time for each unit, and believed only as far as the unit confirms.
 */
export class UnitSettings {
  readonly #parts: UnitSettingsParts
  readonly #cache: SettingsCache
  readonly #schedules: UnitScheduleCache
  readonly #reader: BackgroundReader
  readonly #mutex = new UnitMutex()
  readonly #stop: (() => void)[] = []

  constructor(parts: UnitSettingsParts) {
    this.#parts = parts
    const keep = (store: () => void): void => {
      try {
        store()
      } catch (error) {
        const words = 'Settings could not be kept; a restart would not know them until the next read.'
        parts.log.error({ err: error }, words)
      }
    }
    this.#cache = new SettingsCache(parts.settings, keep)
    this.#schedules = new UnitScheduleCache(parts.schedules, keep)
    this.#reader = new BackgroundReader({
      bus: parts.bus,
      clock: parts.clock,
      log: parts.log,
      units: () => parts.house.units.values(),
      lastRead: (job) => this.#lastRead(job),
      run: (job) => this.#read(job),
    })
    this.#stop.push(
      parts.events.on((event) => {
        if (event.kind === 'structure') this.#forgetGone()
        if (event.kind === 'rebound') this.#forgetReplaced(event.unit)
      }),
    )
  }

  /** Begins to take reports and to read in the background. */
  start(): void {
    this.#stop.push(this.#parts.bus.onReport((report) => this.#onBusReport(report)))
    this.#forgetGone()
    this.#reader.start()
  }

  stop(): void {
    this.#reader.stop()
    for (const stop of this.#stop.splice(0)) stop()
  }

  /** The last confirmed registers of a unit or gang; empty until the first read. Never asks the unit. */
  get(device: DeviceKey): DeviceSettings {
    return this.#cache.get(device)
  }

  /** Counts up with every change of what `get` answers. */
  revision(device: DeviceKey): number {
    return this.#cache.version(device)
  }

  /**
   * A device's own schedules as last read, or undefined until then; of a unit also those of its gangs. Never asks the
   * unit.
   */
  schedulesOf(device: DeviceKey): CachedSchedules | undefined {
    const found = this.#parts.house.devices.get(device)
    return found && this.#schedules.of(found.unit.id, found.gang?.gang ?? null)
  }

  /**
   * Writes to the unit and answers with what it then holds, once that is cached, recorded and emitted. Where the unit
   * refuses or does not answer, the cache keeps what was confirmed last.
   */
  async write(key: DeviceKey, change: SettingChange, cause: Cause): Promise<Result<DeviceSettings, SettingFailure>> {
    const unit = this.#parts.house.devices.get(key)?.unit.id
    if (unit === undefined) return this.#failed(key, change, { kind: 'not_there' }, cause)
    const turn = this.#mutex.run(unit, () => this.#writeNow(key, change, cause))
    return turn ?? this.#failed(key, change, { kind: 'busy', retryMs: CROWDED_RETRY_MS }, cause)
  }

  async #writeNow(
    key: DeviceKey,
    change: SettingChange,
    cause: Cause,
  ): Promise<Result<DeviceSettings, SettingFailure>> {
    // The house may have changed while this one waited for its turn.
    const device = this.#parts.house.devices.get(key)
    if (device === undefined) return this.#failed(key, change, { kind: 'not_there' }, cause)
    const said = otherClass(device, this.#parts.bus.units)
    if (said !== null)
      return this.#failed(key, change, { kind: 'refused', detail: conflictDetail(device.class, said) }, cause)
    const answer = await this.#parts.bus.writeRegisters(targetOf(device), change.values, 'person', whoAsks(cause))
    if (!answer.ok) {
      // Without an answer it is not known whether the unit took the values: they are read again soon.
      if (answer.error.kind !== 'refused') this.#reader.urgent(device.unit)
      return this.#failed(key, change, answer.error, cause)
    }
    if (!this.#isStill(device.unit)) {
      const kind = this.#parts.house.devices.has(key) ? 'no_answer' : 'not_there'
      return this.#failed(key, change, { kind }, cause)
    }
    const at = this.#parts.clock.now()
    this.#cache.confirm(key, answer.value, at)
    await this.#parts.stateAfter(device, Object.keys(answer.value), cause, 'person')
    const missing = Object.keys(change.values).find((name) => !Object.hasOwn(answer.value, name))
    if (missing !== undefined)
      return this.#failed(key, change, { kind: 'refused', detail: 'the unit does not have this setting' }, cause)
    this.#parts.activity.record({
      at,
      kind: 'setting',
      subject: { kind: 'device', id: key },
      what: change.what,
      cause,
      ...(change.data && { data: change.data }),
    })
    this.#parts.events.emit({ kind: 'settings', device: key, values: answer.value, asOf: at, cause })
    return ok(this.#cache.get(key))
  }

  #failed(key: DeviceKey, change: SettingChange, failure: SettingFailure, cause: Cause): Result<never, SettingFailure> {
    // Like every request over a rate, it leaves no row.
    if (failure.kind === 'too_many') return fail(failure)
    this.#parts.activity.record({
      at: this.#parts.clock.now(),
      kind: failure.kind === 'refused' ? 'refused' : 'failed',
      subject: { kind: 'device', id: key },
      what: `${change.what} failed: ${failureWords(failure)}`,
      cause,
      data: { ...change.data, failure: failure.kind },
    })
    return fail(failure)
  }

  #onBusReport(report: BusReport): void {
    this.#reader.onBusReport(report)
    if (report.kind === 'unit' && report.change !== 'lost') {
      const unit = this.#parts.house.unitAt(report.unit.address)
      if (unit !== undefined) this.#reader.urgent(unit)
    }
    if (report.kind === 'registers') {
      const device = this.#deviceAt(report.target)
      if (device !== undefined)
        this.#changedAtUnit(device, this.#cache.confirm(device.key, report.values, this.#parts.clock.now()))
    }
  }

  /** Records a change made at the unit's own menu, known from a report or from a background read. */
  #changedAtUnit(device: Device, changed: RegisterValues): void {
    const names = Object.keys(changed)
    if (names.length === 0) return
    const at = this.#parts.clock.now()
    const cause: Cause = { source: 'unit', name: 'set at the unit', ref: device.key }
    this.#parts.activity.record({
      at,
      kind: 'setting',
      subject: { kind: 'device', id: device.key },
      what: this.#parts.changeWords(device, names),
      cause,
    })
    this.#parts.events.emit({ kind: 'settings', device: device.key, values: changed, asOf: at, cause })
    void this.#parts.stateAfter(device, names, cause, 'background')
  }

  async #read(job: ReadJob): Promise<BusFailure | null> {
    return job.kind === 'schedules' ? this.#readSchedules(job) : this.#readRegisters(job)
  }

  async #readRegisters(job: ReadJob): Promise<BusFailure | null> {
    const before = this.#cache.version(job.device)
    const answer = await this.#parts.bus.readRegisters({ address: job.unit.address, gang: job.gang }, 'background')
    if (!answer.ok) return answer.error
    const device = this.#parts.house.devices.get(job.device)
    if (device === undefined || !this.#isStill(job.unit)) return null
    // What was written or reported meanwhile is newer than what this read saw.
    if (this.#cache.version(job.device) !== before) return { kind: 'busy', retryMs: OVERTAKEN_RETRY_MS }
    this.#changedAtUnit(device, this.#cache.replace(job.device, answer.value, this.#parts.clock.now()))
    return null
  }

  async #readSchedules(job: ReadJob): Promise<BusFailure | null> {
    const answer = await this.#parts.bus.readSchedules(job.unit.address, 'background')
    if (!answer.ok) return answer.error
    if (this.#isStill(job.unit)) this.#schedules.confirm(job.unit.id, answer.value, this.#parts.clock.now())
    return null
  }

  /** A device is as old as the oldest of its registers. */
  #lastRead(job: ReadJob): number | null {
    if (job.kind === 'schedules') return this.#schedules.get(job.unit.id)?.asOf ?? null
    let oldest: number | null = null
    for (const { asOf } of this.#cache.get(job.device).values()) oldest = Math.min(oldest ?? asOf, asOf)
    return oldest
  }

  #deviceAt({ address, gang }: Target): Device | undefined {
    const unit = this.#parts.house.unitAt(address)
    return unit && this.#parts.house.devices.get(deviceKey({ unit: unit.id, gang }))
  }

  #forgetReplaced(id: string): void {
    for (const key of this.#cache.devices()) if (parseDeviceKey(key).unit === id) this.#cache.forget(key)
    this.#schedules.keepOnly((unit) => unit !== id)
    const unit = this.#parts.house.units.get(id)
    if (unit !== undefined) this.#reader.urgent(unit)
  }

  /** Whether a unit that was asked is still the one in the house. */
  #isStill(unit: Unit): boolean {
    return isSameUnit(unit, this.#parts.house.units.get(unit.id))
  }

  #forgetGone(): void {
    const { devices, units } = this.#parts.house
    this.#cache.keepOnly((key) => devices.has(key))
    this.#schedules.keepOnly((unit) => units.has(unit))
    this.#reader.forgetGone()
  }
}

const targetOf = (device: Device): Target => ({ address: device.unit.address, gang: device.gang?.gang ?? null })
