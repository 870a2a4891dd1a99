import type { Cause, HomeEvent } from '../../model/events.ts'
import { type ChangeTrigger, parseDeviceKey } from '../../model/device.ts'
import {
  type DetectionTrigger,
  type ReachableTrigger,
  type ModeTrigger,
  type ReadingTrigger,
  type SceneTrigger,
  type StateTrigger,
  type TouchTrigger,
  type Trigger,
  type Value,
  isTimed,
} from '../../model/rules.ts'
import type { PresenceChange, PresenceTrigger } from '../../model/presence.ts'
import { causesOf } from '../../model/presence-causes.ts'
import { causedBy, factCause, havingRead } from '../runs/cause-chain.ts'
import { passes } from './conditions.ts'

/**
 * A trigger that waits for an event. `slot` distinguishes it from the automation's other triggers, also after an edit.
 */
export interface TriggerWatch {
  readonly automation: string
  readonly trigger:
    | StateTrigger
    | ReadingTrigger
    | DetectionTrigger
    | TouchTrigger
    | ReachableTrigger
    | SceneTrigger
    | ModeTrigger
    | PresenceTrigger
  readonly slot: string
  /** Milliseconds that the test must hold, or null to trigger at once. */
  readonly forMs: number | null
}

/**
 * `begins`: the trigger's test became true; `known`: it is true since an unknown time; `ends`: it became false.
 * `replaced`: the device is another unit with an unknown state.
 */
export interface Signal {
  readonly watch: TriggerWatch
  readonly change: 'begins' | 'known' | 'ends' | 'replaced'
  readonly by: Cause
}

/** States and readings are flat records of primitives. */
type Values = Readonly<Record<string, Value | null | undefined>>

const NO_SIGNALS: readonly Signal[] = []

/**
 * Finds the triggers of an event. Triggers are indexed by the device, unit or scene that they watch, so the cost grows
 * with their number only (`examined` counts checked triggers).
 */
export class TriggerIndex {
  readonly #states = new Map<string, TriggerWatch[]>()
  readonly #readings = new Map<string, TriggerWatch[]>()
  readonly #detections = new Map<string, TriggerWatch[]>()
  readonly #touches = new Map<string, TriggerWatch[]>()
  readonly #units = new Map<string, TriggerWatch[]>()
  readonly #scenes = new Map<string, TriggerWatch[]>()
  readonly #modes = new Map<string, TriggerWatch[]>()
  readonly #people = new Map<string, TriggerWatch[]>()
  readonly #of = new Map<string, readonly TriggerWatch[]>()
  #examined = 0

  /** Number of checked triggers since the start. */
  get examined(): number {
    return this.#examined
  }

  /** Replaces the watches of an automation; times of day are not watched here. */
  set(automation: string, triggers: readonly Trigger[]): readonly TriggerWatch[] {
    this.remove(automation)
    const watches = triggers.flatMap((trigger): TriggerWatch[] => {
      if (isTimed(trigger)) return []
      const forMs = 'for' in trigger && trigger.for !== undefined ? trigger.for * 1_000 : null
      return [{ automation, trigger, slot: JSON.stringify(trigger), forMs }]
    })
    for (const watch of watches) {
      const { map, key } = this.#listOf(watch.trigger)
      const list = map.get(key)
      if (list) list.push(watch)
      else map.set(key, [watch])
    }
    if (watches.length > 0) this.#of.set(automation, watches)
    return watches
  }

  remove(automation: string): void {
    for (const watch of this.#of.get(automation) ?? []) {
      const { map, key } = this.#listOf(watch.trigger)
      const rest = (map.get(key) ?? []).filter((other) => other !== watch)
      if (rest.length > 0) map.set(key, rest)
      else map.delete(key)
    }
    this.#of.delete(automation)
  }

  match(event: HomeEvent): readonly Signal[] {
    switch (event.kind) {
      case 'state':
        return event.changed
          ? this.#compare(this.#states.get(event.device), event.state, event.previous, event.cause).filter(
              ({ watch, change }) => change !== 'begins' || isCausedBy(watch.trigger, event.trigger),
            )
          : NO_SIGNALS
      case 'readings':
        return this.#compare(this.#readings.get(event.device), event.readings, event.previous, {
          source: 'unit',
          name: 'reading',
          ref: event.device,
        })
      case 'detection':
        return this.#begin(
          this.#detections.get(event.unit),
          { source: 'unit', name: event.detection, ref: event.unit },
          (trigger) =>
            'detection' in trigger && trigger.detection === event.detection && (trigger.is ?? true) === event.value,
        )
      case 'touch':
        return this.#begin(
          this.#touches.get(event.device),
          event.cause,
          (trigger) =>
            'touch' in trigger && trigger.touch === event.key && (trigger.press ?? event.press) === event.press,
        )
      case 'unit':
        return this.#contact(event)
      case 'rebound':
        return this.#replaced(event.unit, event.cause)
      case 'scene':
        return event.running ? this.#begin(this.#scenes.get(event.scene), event.cause, () => true) : NO_SIGNALS
      case 'mode':
        return event.held.mode === event.before
          ? NO_SIGNALS
          : this.#begin(this.#modes.get(event.held.mode), modeCause(event), () => true)
      case 'presence':
        return event.changes.flatMap((change) => this.#presence(event, change))
      default:
        return NO_SIGNALS
    }
  }

  /** Ends the holds of a replaced unit; the new unit's state is compared with nothing. */
  #replaced(unit: string, by: Cause): readonly Signal[] {
    const watches = [this.#states, this.#readings, this.#units].flatMap((watched) =>
      [...watched].flatMap(([device, list]) => (parseDeviceKey(device).unit === unit ? list : [])),
    )
    return watches.filter(({ forMs }) => forMs !== null).map((watch) => ({ watch, change: 'replaced', by }))
  }

  /** A presence that changes only with the list of persons ends holds, and begins none. */
  #presence(
    event: Extract<HomeEvent, { kind: 'presence' }>,
    { person, is, before }: PresenceChange,
  ): readonly Signal[] {
    const watches = this.#people.get(person) ?? []
    if (watches.length === 0) return NO_SIGNALS
    this.#examined += watches.length
    const facts = causesOf(person, event.persons)
    const by = presenceCause(person, event.cause, facts)
    return watches.flatMap((watch): readonly Signal[] => {
      const tested = 'person' in watch.trigger ? watch.trigger.is : null
      if (tested === is) return event.isReported ? [{ watch, change: 'begins', by }] : []
      return tested === before && watch.forMs !== null ? [{ watch, change: 'ends', by }] : []
    })
  }

  /** A report of contact is always a change. */
  #contact({ unit, reachable }: Extract<HomeEvent, { kind: 'unit' }>): readonly Signal[] {
    const watches = this.#units.get(unit) ?? []
    this.#examined += watches.length
    const by: Cause = { source: 'unit', name: reachable ? 'answers again' : 'does not answer', ref: unit }
    return watches.flatMap((watch): readonly Signal[] => {
      const isMet = 'reachable' in watch.trigger && watch.trigger.reachable === reachable
      return isMet || watch.forMs !== null ? [{ watch, change: isMet ? 'begins' : 'ends', by }] : []
    })
  }

  #begin(
    watches: readonly TriggerWatch[] | undefined,
    by: Cause,
    matches: (trigger: Trigger) => boolean,
  ): readonly Signal[] {
    if (watches === undefined) return NO_SIGNALS
    this.#examined += watches.length
    return watches.filter((watch) => matches(watch.trigger)).map((watch) => ({ watch, change: 'begins', by }))
  }

  #compare(
    watches: readonly TriggerWatch[] | undefined,
    now: Values,
    before: Values | null,
    by: Cause,
  ): readonly Signal[] {
    if (watches === undefined) return NO_SIGNALS
    this.#examined += watches.length
    let signals: Signal[] | undefined
    // One object for all of them: its consequences are counted by it.
    const readings = new Map<string, Cause>()
    for (const watch of watches) {
      const { trigger } = watch
      if (!('state' in trigger || 'reading' in trigger)) continue
      const field = 'state' in trigger ? trigger.state : trigger.reading
      const previous = before?.[field]
      const change = changeOf(
        passes(trigger, now[field]),
        previous === undefined || previous === null ? null : passes(trigger, previous),
      )
      if (change === null || (watch.forMs === null && change !== 'begins')) continue
      signals ??= []
      if ('reading' in trigger && !readings.has(field)) readings.set(field, { ...by, name: field })
      signals.push({ watch, change, by: readings.get(field) ?? by })
    }
    return signals ?? NO_SIGNALS
  }

  #listOf(trigger: TriggerWatch['trigger']): { map: Map<string, TriggerWatch[]>; key: string } {
    if ('state' in trigger) return { map: this.#states, key: trigger.device }
    if ('reading' in trigger) return { map: this.#readings, key: trigger.device }
    if ('detection' in trigger) return { map: this.#detections, key: trigger.device }
    if ('touch' in trigger) return { map: this.#touches, key: trigger.device }
    if ('reachable' in trigger) return { map: this.#units, key: parseDeviceKey(trigger.device).unit }
    if ('mode' in trigger) return { map: this.#modes, key: trigger.mode }
    if ('person' in trigger) return { map: this.#people, key: trigger.person }
    return { map: this.#scenes, key: trigger.scene }
  }
}

/** True if a change came in the way that the trigger asks for. */
function isCausedBy(trigger: Trigger, by: ChangeTrigger): boolean {
  return !('by' in trigger) || trigger.by === undefined || trigger.by === by
}

/** A changed presence as a cause; `facts` are the causes of everything that decides it. */
export function presenceCause(person: string, by: Cause | undefined, facts: readonly Cause[]): Cause {
  return havingRead(causedBy({ source: 'presence', name: 'presence', ref: person }, by), facts)
}

function modeCause({ held, modes }: Extract<HomeEvent, { kind: 'mode' }>): Cause {
  const name = modes.find(({ id }) => id === held.mode)?.name ?? held.mode
  return factCause({ source: 'mode', name, ref: held.mode }, held.cause)
}

/** `was` is null if the earlier value is unknown: a true test then did not start now. */
function changeOf(is: boolean, was: boolean | null): Signal['change'] | null {
  if (is) return was === null ? 'known' : was ? null : 'begins'
  return was === false ? null : 'ends'
}
