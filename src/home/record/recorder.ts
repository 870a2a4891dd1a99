import { type DeviceKey, isFlag, type Readings, READING_KINDS, type ReadingKind } from '../model/device.ts'
import type { LastReadingStore, DetectionStore, ReadingStore } from '../ports/history-store.ts'
import { type ActivityDraft, type ActivityKind, type Cause, GATEWAY_CAUSE, type HomeEvent } from '../model/events.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type { Energy } from './energy.ts'
import { changeWords, keyWords } from '../words/changes.ts'
import { detectionWords, linkWords, reachabilityWords } from '../words/units.ts'

interface Remembering {
  remember(device: DeviceKey, readings: Readings, asOf: number): void
}

/**
 * Gives the live home the last readings from before a restart. Each holds until its device reports again. Readings of a
 * replaced unit may be left where the history took no writes, so older ones than `since` are not given.
 *
 * @param since when the id of a device began to name its present unit, epoch ms
 */
export function rememberReadings(
  live: Remembering,
  stored: Pick<LastReadingStore, 'all'>,
  since: (device: DeviceKey) => number,
): void {
  const own = stored.all().filter(({ device, at }) => at >= since(device))
  for (const [device, latest] of Map.groupBy(own, (reading) => reading.device)) {
    const readings: Readings = Object.fromEntries(
      latest.map(({ kind, value }) => [kind, isFlag(kind) ? value === 1 : value]),
    )
    live.remember(device, readings, Math.max(...latest.map(({ at }) => at)))
  }
}

/** An unchanged reading is stored again after this long, so that a plot of it has no hole. */
const SAME_READING_AGAIN_MS = 10 * 60_000
/** Power of nearly the same height is stored once a minute: loads that are on report every ten seconds. */
const SIMILAR_POWER_AGAIN_MS = 60_000
const SIMILAR_POWER = { watts: 2, ratio: 0.05 } as const
/** Repeated motion is one entry of the activity; after this long without a report it is a new one. */
const SAME_MOTION_MS = 5 * 60_000

interface RecorderParts {
  readonly activity: ActivityLog
  readonly detections: Pick<DetectionStore, 'record'>
  readonly readings: Pick<ReadingStore, 'record'>
  readonly lastReadings: Pick<LastReadingStore, 'set' | 'forget'>
  readonly energy: Pick<Energy, 'take' | 'beginAnew'>
}

interface Plotted {
  readonly at: number
  readonly value: number | boolean
}

/**
 * Writes the history: stores what the home's events say changed, with its cause. Failures are recorded by the code that
 * tried.
 */
export class Recorder {
  readonly #parts: RecorderParts
  readonly #plotted = new Map<string, Plotted>()
  /** The values in `lastReadings`, as far as this process stored them. */
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
      case 'scene':
      case 'settings':
      case 'rule':
      case 'forgotten':
      case 'structure':
        // `RunManager`, `UnitSettings`, `RuleRepository` and `House` record these themselves, with facts that the event
        // does not carry.
        return
      case 'rebound':
        this.#parts.energy.beginAnew(event.unit)
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
    // What is read at a start, before anything was known, is no change.
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
      // The counter has no plot of its own: `Energy` keeps what was taken over time.
      if (kind !== 'energy' && this.#isDue(kind, this.#plotted.get(key), { at, value })) {
        this.#plotted.set(key, { at, value })
        this.#parts.readings.record(device, kind, at, Number(value))
      }
    }
  }

  /** Whether a plot needs the value: a new one, or the same after a while. */
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
    // The end of a motion is stored as a detection; an activity entry of it would double every line.
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

/** Off is similar to nothing: a plot shows when a load went on and off. */
function isSimilar(a: number, b: number): boolean {
  const difference = Math.abs(a - b)
  const isOff = a === 0 || b === 0
  return !isOff && difference <= Math.max(SIMILAR_POWER.watts, SIMILAR_POWER.ratio * Math.abs(a))
}
