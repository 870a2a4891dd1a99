import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { Device, House } from '../house/house.ts'
import { failureWords } from '../words/commands.ts'
import { type Cause, requesterOf, type HomeEvent } from '../model/events.ts'
import { type DeviceKey, deviceKey, parseDeviceKey, type RegisterName, type RegisterValues } from '../model/device.ts'
import { type Unit, isSameUnit } from '../model/house.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type { SettingsStore, UnitScheduleStore } from '../ports/house-store.ts'
import type { BusFailure, BusReport, Priority, UnitTarget, UnitBus } from '../ports/unit-bus.ts'
import { BackgroundReader, type ReadJob } from './background-reader.ts'
import { type DeviceSettings, SettingsCache, type CachedSchedules, UnitScheduleCache } from './settings-cache.ts'
import { conflictDetail, conflictingClass } from '../house/placing.ts'

/** Most writers that may wait for one unit; more are refused. */
export const WRITERS_PER_UNIT_MAX = 16

/** Runs the tasks of one unit one after the other; units do not wait for each other. */
class UnitMutex {
  readonly #queues = new Map<string, { last: Promise<unknown>; length: number }>()

  /** Runs `task` after the unit's earlier tasks. Returns null at once if too many are waiting. */
  run<T>(unit: string, task: () => Promise<T>): Promise<T> | null {
    const queue = this.#queues.get(unit) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= WRITERS_PER_UNIT_MAX) return null
    const turn = queue.last.then(task)
    queue.length += 1
    queue.last = this.#finish(unit, turn)
    this.#queues.set(unit, queue)
    return turn
  }

  async #finish(unit: string, turn: Promise<unknown>): Promise<void> {
    try {
      await turn
    } catch {
      // The caller of `run` gets the failure; the next task starts anyway.
    }
    const queue = this.#queues.get(unit)
    if (queue === undefined) return
    queue.length -= 1
    if (queue.length === 0) this.#queues.delete(unit)
  }
}

type SettingFailure = BusFailure | { readonly kind: 'not_there' }

/** A requested change: the registers, and the phrase for the activity log. */
interface SettingChange {
  readonly values: RegisterValues
  /** `off delay set to 90 s`. */
  readonly what: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Retry time for a writer that is refused because too many are waiting. */
const QUEUE_FULL_RETRY_MS = 1_000
/** Delay before the retry of a background read that a write or report made outdated. */
const OUTDATED_READ_RETRY_MS = 5_000

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
  /** Called after every confirmed change; resolves once the resulting state is known or the read has failed. */
  readonly readStateAfter: (
    device: Device,
    names: readonly RegisterName[],
    cause: Cause,
    priority: Priority,
  ) => Promise<void>
}

/**
 * The settings and own schedules of all units. Reads come from the cache, which reports and background reads keep
 * current. Writes go to the unit, one at a time for each unit, and only confirmed values are cached.
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
    const persist = (store: () => void): void => {
      try {
        store()
      } catch (error) {
        const words = 'Settings could not be stored. After a restart they are unknown until the next read.'
        parts.log.error({ err: error }, words)
      }
    }
    this.#cache = new SettingsCache(parts.settings, persist)
    this.#schedules = new UnitScheduleCache(parts.schedules, persist)
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
        if (event.kind === 'structure') this.#forgetRemoved()
        if (event.kind === 'rebound') this.#forgetReplaced(event.unit)
      }),
    )
  }

  /** Starts to take reports and to read in the background. */
  start(): void {
    this.#stop.push(this.#parts.bus.onReport((report) => this.#onBusReport(report)))
    this.#forgetRemoved()
    this.#reader.start()
  }

  stop(): void {
    this.#reader.stop()
    for (const stop of this.#stop.splice(0)) stop()
  }

  /** The last confirmed registers of a unit or gang; empty until the first read. Sends no frame. */
  get(device: DeviceKey): DeviceSettings {
    return this.#cache.get(device)
  }

  /** Counts the changes of the result of `get`. */
  revision(device: DeviceKey): number {
    return this.#cache.version(device)
  }

  /** A device's own schedules as last read, or undefined before; a unit's list includes its gangs. Sends no frame. */
  schedulesOf(device: DeviceKey): CachedSchedules | undefined {
    const found = this.#parts.house.devices.get(device)
    return found && this.#schedules.of(found.unit.id, found.gang?.gang ?? null)
  }

  /**
   * Writes to the unit and returns the values that it then holds, after they are cached, recorded and emitted. If the
   * unit refuses or does not answer, the cache keeps the last confirmed values.
   */
  async write(key: DeviceKey, change: SettingChange, cause: Cause): Promise<Result<DeviceSettings, SettingFailure>> {
    const unit = this.#parts.house.devices.get(key)?.unit.id
    if (unit === undefined) return this.#failed(key, change, { kind: 'not_there' }, cause)
    const turn = this.#mutex.run(unit, () => this.#writeNow(key, change, cause))
    return turn ?? this.#failed(key, change, { kind: 'busy', retryMs: QUEUE_FULL_RETRY_MS }, cause)
  }

  async #writeNow(
    key: DeviceKey,
    change: SettingChange,
    cause: Cause,
  ): Promise<Result<DeviceSettings, SettingFailure>> {
    // The house may have changed while this write waited.
    const device = this.#parts.house.devices.get(key)
    if (device === undefined) return this.#failed(key, change, { kind: 'not_there' }, cause)
    const busClass = conflictingClass(device, this.#parts.bus.units)
    if (busClass !== null)
      return this.#failed(key, change, { kind: 'refused', detail: conflictDetail(device.class, busClass) }, cause)
    const answer = await this.#parts.bus.writeRegisters(targetOf(device), change.values, 'person', requesterOf(cause))
    if (!answer.ok) {
      // Without an answer, it is unknown whether the unit took the values, so they are read again soon.
      if (answer.error.kind !== 'refused') this.#reader.urgent(device.unit)
      return this.#failed(key, change, answer.error, cause)
    }
    if (!this.#isCurrent(device.unit)) {
      const kind = this.#parts.house.devices.has(key) ? 'no_answer' : 'not_there'
      return this.#failed(key, change, { kind }, cause)
    }
    const at = this.#parts.clock.now()
    this.#cache.confirm(key, answer.value, at)
    await this.#parts.readStateAfter(device, Object.keys(answer.value), cause, 'person')
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
    // Like every request over a rate limit, it gets no row.
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

  /** Records a change made in the unit's own menu, known from a report or a background read. */
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
    void this.#parts.readStateAfter(device, names, cause, 'background')
  }

  async #read(job: ReadJob): Promise<BusFailure | null> {
    return job.kind === 'schedules' ? this.#readSchedules(job) : this.#readRegisters(job)
  }

  async #readRegisters(job: ReadJob): Promise<BusFailure | null> {
    const before = this.#cache.version(job.device)
    const answer = await this.#parts.bus.readRegisters({ address: job.unit.address, gang: job.gang }, 'background')
    if (!answer.ok) return answer.error
    const device = this.#parts.house.devices.get(job.device)
    if (device === undefined || !this.#isCurrent(job.unit)) return null
    // A write or report during this read is newer than its result.
    if (this.#cache.version(job.device) !== before) return { kind: 'busy', retryMs: OUTDATED_READ_RETRY_MS }
    this.#changedAtUnit(device, this.#cache.replace(job.device, answer.value, this.#parts.clock.now()))
    return null
  }

  async #readSchedules(job: ReadJob): Promise<BusFailure | null> {
    const answer = await this.#parts.bus.readSchedules(job.unit.address, 'background')
    if (!answer.ok) return answer.error
    if (this.#isCurrent(job.unit)) this.#schedules.confirm(job.unit.id, answer.value, this.#parts.clock.now())
    return null
  }

  /** The oldest register determines the age of a device. */
  #lastRead(job: ReadJob): number | null {
    if (job.kind === 'schedules') return this.#schedules.get(job.unit.id)?.asOf ?? null
    let oldest: number | null = null
    for (const { asOf } of this.#cache.get(job.device).values()) oldest = Math.min(oldest ?? asOf, asOf)
    return oldest
  }

  #deviceAt({ address, gang }: UnitTarget): Device | undefined {
    const unit = this.#parts.house.unitAt(address)
    return unit && this.#parts.house.devices.get(deviceKey({ unit: unit.id, gang }))
  }

  #forgetReplaced(id: string): void {
    for (const key of this.#cache.devices()) if (parseDeviceKey(key).unit === id) this.#cache.forget(key)
    this.#schedules.keepOnly((unit) => unit !== id)
    const unit = this.#parts.house.units.get(id)
    if (unit !== undefined) this.#reader.urgent(unit)
  }

  /** True if the house still has this physical unit. */
  #isCurrent(unit: Unit): boolean {
    return isSameUnit(unit, this.#parts.house.units.get(unit.id))
  }

  #forgetRemoved(): void {
    const { devices, units } = this.#parts.house
    this.#cache.keepOnly((key) => devices.has(key))
    this.#schedules.keepOnly((unit) => units.has(unit))
    this.#reader.forgetRemoved()
  }
}

const targetOf = (device: Device): UnitTarget => ({ address: device.unit.address, gang: device.gang?.gang ?? null })
