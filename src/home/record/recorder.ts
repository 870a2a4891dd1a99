import { type Cause, GATEWAY_CAUSE } from '../model/cause.ts'
import type { Readings } from '../model/state.ts'
import { READING_KINDS } from '../model/state.ts'
import type { HomeEvent } from '../home-event.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type { DetectionStore, ReadingStore } from '../ports/history-store.ts'
import type { Energy } from './energy.ts'
import { changeWords, keyWords } from '../words/changes.ts'
import { detectionWords, linkWords, reachabilityWords } from '../words/units.ts'

/** An unchanged reading is stored again after this long, so that a plot of it has no hole. */
const SAME_READING_AGAIN_MS = 10 * 60_000
/** Repeated motion is one entry of the activity; after this long without a report it is a new one. */
const SAME_MOTION_MS = 5 * 60_000

export interface RecorderParts {
  readonly activity: ActivityLog
  readonly detections: Pick<DetectionStore, 'record'>
  readonly readings: Pick<ReadingStore, 'record'>
  readonly energy: Pick<Energy, 'take'>
}

/**
 * Writes the history: stores what the home's events say changed, with its cause. Failures are recorded by the code that
 * tried.
 */
export class Recorder {
  readonly #parts: RecorderParts
  readonly #storedReadings = new Map<string, { readonly at: number; readonly value: number | boolean }>()
  readonly #lastDetections = new Map<string, { readonly at: number; readonly value: boolean }>()

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  onHomeEvent(event: HomeEvent): void {
    switch (event.kind) {
      case 'state':
        return this.#state(event)
      case 'readings':
        return this.#readings(event.unit, event.readings, event.asOf)
      case 'detection':
        return this.#detection(event)
      case 'energy':
        return this.#parts.energy.take(event.device, event.energyWh, event.at)
      case 'unit': {
        const subject = { kind: 'device' as const, id: event.unit }
        return this.#parts.activity.record({
          at: event.at,
          kind: 'unit',
          subject,
          what: reachabilityWords(event.reachable),
          cause: GATEWAY_CAUSE,
          data: { reachable: event.reachable },
        })
      }
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
      case 'rebound':
      case 'structure':
        // `RunManager`, `UnitSettings`, `RuleRepository` and `House` record these themselves, with facts that the event
        // does not carry.
        return
    }
  }

  #state(event: Extract<HomeEvent, { kind: 'state' }>): void {
    const subject = { kind: 'device' as const, id: event.device }
    const sentKey = 'key' in event.state && event.trigger === 'command' ? event.state.key : null
    if (sentKey !== null)
      return this.#parts.activity.record({
        at: event.asOf,
        kind: 'state',
        subject,
        what: keyWords(sentKey),
        cause: event.cause,
        data: { to: { key: sentKey } },
      })
    // What is read at a start, before anything was known, is no change.
    if (!event.changed || (event.previous === null && event.trigger === 'sync')) return
    const change = changeWords(event.previous, event.state)
    if (change === null) return
    const what = event.trigger === 'sync' ? `${change.what}, seen only after a reconnect` : change.what
    this.#parts.activity.record({
      at: event.asOf,
      kind: 'state',
      subject,
      what,
      cause: event.cause,
      data: { from: change.from, to: change.to },
    })
  }

  #readings(unit: string, readings: Readings, at: number): void {
    for (const kind of READING_KINDS) {
      const value = readings[kind]
      if (value === undefined) continue
      const key = `${unit} ${kind}`
      const stored = this.#storedReadings.get(key)
      if (stored !== undefined && stored.value === value && at - stored.at < SAME_READING_AGAIN_MS) continue
      this.#storedReadings.set(key, { at, value })
      this.#parts.readings.record(unit, kind, at, Number(value))
    }
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
    this.#parts.activity.record({
      at,
      kind: 'detection',
      subject: { kind: 'device', id: unit },
      what: detectionWords(detection, value),
      cause,
      data: { detection, value },
    })
  }
}
