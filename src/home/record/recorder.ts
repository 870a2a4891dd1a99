import { type DeviceKey, isFlag, type Readings, READING_KINDS, type ReadingKind } from '../model/device.ts'
import type { LastReadingStore, DetectionStore, ReadingStore } from '../ports/history-store.ts'
import { type ActivityDraft, type ActivityKind, type Cause, GATEWAY_CAUSE, type HomeEvent } from '../model/events.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type { Energy } from './energy.ts'
import { changeWords, keyWords } from '../words/changes.ts'
import { detectionWords, linkWords, reachabilityWords } from '../words/units.ts'

interface ReadingMemory {
  remember(device: DeviceKey, readings: Readings, asOf: number): void
}

/**
 * Restores the last readings from before a restart in the live home. Each holds until its device reports again. If the
 * history accepted no writes, readings of a replaced unit may remain, so those before `since` are skipped.
 *
 * @param since when the id of a device began to name its present unit, epoch ms
 */
export function rememberReadings(
  live: ReadingMemory,
  stored: Pick<LastReadingStore, 'all'>,
  since: (device: DeviceKey) => number,
): void {
  const current = stored.all().filter(({ device, at }) => at >= since(device))
  for (const [device, latest] of Map.groupBy(current, (reading) => reading.device)) {
    const readings: Readings = Object.fromEntries(
      latest.map(({ kind, value }) => [kind, isFlag(kind) ? value === 1 : value]),
    )
    live.remember(device, readings, Math.max(...latest.map(({ at }) => at)))
  }
}

/** An unchanged reading is stored again after this long, so that its plot has no hole. */
const SAME_READING_AGAIN_MS = 10 * 60_000
/** Power of similar height is stored once a minute: active loads report every ten seconds. */
const SIMILAR_POWER_AGAIN_MS = 60_000
const SIMILAR_POWER = { watts: 2, ratio: 0.05 } as const
/** Repeated motion is one entry of the activity; after this long without a report it is a new one. */
const SAME_MOTION_MS = 5 * 60_000

interface RecorderParts {
  readonly activity: ActivityLog
  readonly detections: Pick<DetectionStore, 'record'>
  readonly readings: Pick<ReadingStore, 'record'>
  readonly lastReadings: Pick<LastReadingStore, 'set' | 'forget'>
  readonly energy: Pick<Energy, 'take' | 'resetCounters'>
}

interface Plotted {
  readonly at: number
  readonly value: number | boolean
}

/**
 * Writes the history: stores changes of the home with their cause. The code that sends a command records its failure.
 */
export class Recorder {
  readonly #parts: RecorderParts
  readonly #plotted = new Map<string, Plotted>()
  /** Values in `lastReadings` that this process stored. */
  readonly #lastReadings = new Map<string, number | boolean>()
  readonly #lastDetections = new Map<string, { readonly at: number; readonly value: boolean }>()

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  onHomeEvent(event: HomeEvent): void {
    switch (event.kind) {
      case 'state':
        return this.#state(event)
      case 'readings':
        return this.#readings(event)
      case 'detection':
        return this.#detection(event)
      case 'energy':
        return this.#parts.energy.take(event.device, event.energyWh, event.at, event.powerW)
      case 'unit':
        return this.#record(event.at, 'unit', event.unit, reachabilityWords(event.reachable), GATEWAY_CAUSE, {
          reachable: event.reachable,
        })
      case 'link':
        return this.#parts.activity.record({
          at: event.at,
          kind: 'link',
          subject: { kind: 'home' },
          what: linkWords(event.down),
          cause: GATEWAY_CAUSE,
          data: { down: event.down },
        })
      case 'touch':
        // Touches change nothing; a run that one starts is recorded with its cause.
        return
      case 'scene':
      case 'mode':
      case 'presence':
      case 'settings':
      case 'run':
      case 'rule':
      case 'forgotten':
      case 'structure':
        // `RunManager`, `PresentMode`, `Presences`, `UnitSettings`, `RuleRepository` and `House` record these themselves, with facts that the event
        // does not carry.
        return
      case 'rebound':
        this.#parts.energy.resetCounters(event.unit)
        this.#plotted.clear()
        this.#lastReadings.clear()
        return this.#parts.lastReadings.forget(event.unit)
    }
  }

  #state(event: Extract<HomeEvent, { kind: 'state' }>): void {
    const { device, asOf } = event
    const sentKey = 'key' in event.state && event.trigger === 'command' ? event.state.key : null
    if (sentKey !== null)
      return this.#record(asOf, 'state', device, keyWords(sentKey), event.cause, { to: { key: sentKey } })
    // The first read at a start is no change.
    if (!event.changed || (event.previous === null && event.trigger === 'sync')) return
    const change = changeWords(event.previous, event.state)
    if (change === null) return
    const what = event.trigger === 'sync' ? `${change.what}, seen only after a reconnect` : change.what
    this.#record(asOf, 'state', device, what, event.cause, { from: change.from, to: change.to })
  }

  #readings({ device, readings, asOf: at }: Extract<HomeEvent, { kind: 'readings' }>): void {
    for (const kind of READING_KINDS) {
      const value = readings[kind]
      if (value === undefined) continue
      const key = `${device} ${kind}`
      if (this.#lastReadings.get(key) !== value && this.#parts.lastReadings.set(device, kind, at, Number(value)))
        this.#lastReadings.set(key, value)
      // The counter has no plot of its own: `Energy` stores the energy over time.
      if (kind !== 'energy' && this.#isDue(kind, this.#plotted.get(key), { at, value })) {
        this.#plotted.set(key, { at, value })
        this.#parts.readings.record(device, kind, at, Number(value))
      }
    }
  }

  /** True if the plot needs the value: a new one, or the same after a while. */
  #isDue(kind: ReadingKind, last: Plotted | undefined, { at, value }: Plotted): boolean {
    if (last === undefined) return true
    const age = at - last.at
    if (last.value === value) return age >= SAME_READING_AGAIN_MS
    return kind !== 'power' || age >= SIMILAR_POWER_AGAIN_MS || !isSimilar(Number(last.value), Number(value))
  }

  #detection(event: Extract<HomeEvent, { kind: 'detection' }>): void {
    const { unit, detection, value, at } = event
    this.#parts.detections.record(unit, { at, kind: detection, value })
    const key = `${unit} ${detection}`
    const last = this.#lastDetections.get(key)
    this.#lastDetections.set(key, { at, value })
    if (last?.value === value && at - last.at < SAME_MOTION_MS) return
    // The end of a motion is stored as a detection; an activity entry for it would double every line.
    if (detection === 'motion' && !value) return
    const cause: Cause = { source: 'unit', name: detection, ref: unit }
    this.#record(at, 'detection', unit, detectionWords(detection, value), cause, { detection, value })
  }

  #record(
    at: number,
    kind: ActivityKind,
    device: DeviceKey,
    what: string,
    cause: Cause,
    data: ActivityDraft['data'],
  ): void {
    this.#parts.activity.record({ at, kind, subject: { kind: 'device', id: device }, what, cause, data })
  }
}

/** Off is similar to no other value: a plot shows when a load was switched. */
function isSimilar(a: number, b: number): boolean {
  const difference = Math.abs(a - b)
  const isOff = a === 0 || b === 0
  return !isOff && difference <= Math.max(SIMILAR_POWER.watts, SIMILAR_POWER.ratio * Math.abs(a))
}
