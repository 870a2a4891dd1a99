import type { Cause, HomeEvent } from '../../model/events.ts'
import { type ChangeTrigger, type DeviceKey, parseDeviceKey } from '../../model/device.ts'
import type { Author } from '../../model/house.ts'
import {
  type DetectionTrigger,
  type GroupTrigger,
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
import type { GroupReader } from '../../ports/group-reader.ts'

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
  /** Only of a trigger of a group, at one of its devices. */
  readonly group?: GroupWatch
}

/** A trigger of a group. Its devices are looked up when something happens, so that the index does not know them. */
export interface GroupWatch {
  readonly automation: string
  readonly trigger: GroupTrigger
  readonly author: Author
  readonly slot: string
  readonly forMs: number | null
}

/** The watch of one device of a group. */
export function watchAt(group: GroupWatch, device: DeviceKey): TriggerWatch & { readonly group: GroupWatch } {
  const { automation, forMs } = group
  return { automation, forMs, trigger: { ...group.trigger, device }, slot: `${group.slot} ${device}`, group }
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

type GroupKind = 'state' | 'reading' | 'detection' | 'reachable'

function kindOf(trigger: GroupTrigger): GroupKind {
  if ('state' in trigger) return 'state'
  if ('reading' in trigger) return 'reading'
  return 'detection' in trigger ? 'detection' : 'reachable'
}

/** The watches of one automation. */
export interface Watches {
  readonly watches: readonly TriggerWatch[]
  readonly groups: readonly GroupWatch[]
}

/** States and readings are flat records of primitives. */
type Values = Readonly<Record<string, Value | null | undefined>>

const NO_SIGNALS: readonly Signal[] = []

/**
 * Finds the triggers of an event. Triggers are indexed by the device, unit or scene that they watch, so the cost grows
 * with their number only (`examined` counts checked triggers). Triggers of groups are indexed by their kind of test, and
 * look at the devices of the group when one of them changes.
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
  readonly #reader: GroupReader
  readonly #groups: Readonly<Record<GroupKind, Set<GroupWatch>>> = {
    state: new Set(),
    reading: new Set(),
    detection: new Set(),
    reachable: new Set(),
  }
  readonly #of = new Map<string, readonly TriggerWatch[]>()
  readonly #groupsOf = new Map<string, readonly GroupWatch[]>()
  #examined = 0

  constructor(reader: GroupReader) {
    this.#reader = reader
  }

  /** Number of checked triggers since the start. */
  get examined(): number {
    return this.#examined
  }

  /** Replaces the watches of an automation; times of day are not watched here. */
  set(automation: string, triggers: readonly Trigger[], author: Author = null): Watches {
    this.remove(automation)
    const watches: TriggerWatch[] = []
    const groups: GroupWatch[] = []
    for (const trigger of triggers) {
      if (isTimed(trigger)) continue
      const forMs = 'for' in trigger && trigger.for !== undefined ? trigger.for * 1_000 : null
      const common = { automation, slot: JSON.stringify(trigger), forMs }
      if ('group' in trigger) groups.push({ ...common, trigger, author })
      else watches.push({ ...common, trigger })
    }
    for (const watch of watches) {
      const { map, key } = this.#listOf(watch.trigger)
      const list = map.get(key)
      if (list) list.push(watch)
      else map.set(key, [watch])
    }
    if (watches.length > 0) this.#of.set(automation, watches)
    for (const group of groups) this.#groups[kindOf(group.trigger)].add(group)
    if (groups.length > 0) this.#groupsOf.set(automation, groups)
    return { watches, groups }
  }

  remove(automation: string): void {
    for (const watch of this.#of.get(automation) ?? []) {
      const { map, key } = this.#listOf(watch.trigger)
      const rest = (map.get(key) ?? []).filter((other) => other !== watch)
      if (rest.length > 0) map.set(key, rest)
      else map.delete(key)
    }
    this.#of.delete(automation)
    for (const group of this.#groupsOf.get(automation) ?? []) this.#groups[kindOf(group.trigger)].delete(group)
    this.#groupsOf.delete(automation)
  }

  match(event: HomeEvent): readonly Signal[] {
    switch (event.kind) {
      case 'state':
        return event.changed
          ? this.#compare('state', event.device, [event.state, event.previous], event.cause).filter(
              ({ watch, change }) => change !== 'begins' || isCausedBy(watch.trigger, event.trigger),
            )
          : NO_SIGNALS
      case 'readings':
        return this.#compare('reading', event.device, [event.readings, event.previous], {
          source: 'unit',
          name: 'reading',
          ref: event.device,
        })
      case 'detection':
        return this.#begin(
          [...(this.#detections.get(event.unit) ?? []), ...this.#ofGroups('detection', event.unit)],
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
    const ofGroups = (['state', 'reading', 'reachable'] as const).flatMap((kind) =>
      this.#reader.devicesOf(unit).flatMap((device) => this.#ofGroups(kind, device)),
    )
    return [...watches, ...ofGroups]
      .filter(({ forMs }) => forMs !== null)
      .map((watch) => ({ watch, change: 'replaced', by }))
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

  /** The triggers of groups that have this device. */
  #ofGroups(kind: GroupKind, device: DeviceKey): readonly TriggerWatch[] {
    return [...this.#groups[kind]].filter((group) => this.#has(group, device)).map((group) => watchAt(group, device))
  }

  #has({ trigger, author }: GroupWatch, device: DeviceKey): boolean {
    return this.#reader.includes(trigger, author, device)
  }

  /** A report of contact is always a change. A group with several gangs of the unit has it once. */
  #contact({ unit, reachable }: Extract<HomeEvent, { kind: 'unit' }>): readonly Signal[] {
    const groups = this.#groups.reachable
    const ofGroups = [...groups].flatMap((group) => {
      const device = this.#reader.devicesOf(unit).find((key) => this.#has(group, key))
      return device === undefined ? [] : [watchAt(group, device)]
    })
    const watches = [...(this.#units.get(unit) ?? []), ...ofGroups]
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
    kind: 'state' | 'reading',
    device: DeviceKey,
    [now, before]: readonly [Values, Values | null],
    by: Cause,
  ): readonly Signal[] {
    const watches = (kind === 'state' ? this.#states : this.#readings).get(device) ?? []
    const groups = this.#groups[kind]
    this.#examined += watches.length + groups.size
    const signals: Signal[] = []
    // One object for all of them: its consequences are counted by it.
    const readings = new Map<string, Cause>()
    const causeOf = (trigger: TriggerWatch['trigger']): Cause => {
      if (!('reading' in trigger)) return by
      const known = readings.get(trigger.reading) ?? { ...by, name: trigger.reading }
      readings.set(trigger.reading, known)
      return known
    }
    for (const watch of watches) {
      const change = changeOf(watch, now, before)
      if (change !== null) signals.push({ watch, change, by: causeOf(watch.trigger) })
    }
    for (const group of groups) {
      const change = changeOf(group, now, before)
      // The hold of a device ends also if it has left the group.
      if (change === null || (change !== 'ends' && !this.#has(group, device))) continue
      const watch = watchAt(group, device)
      signals.push({ watch, change, by: causeOf(watch.trigger) })
    }
    return signals
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

/** The change of a trigger's test, if the trigger has to know it. */
function changeOf(
  { trigger, forMs }: Pick<TriggerWatch | GroupWatch, 'trigger' | 'forMs'>,
  now: Values,
  before: Values | null,
): Signal['change'] | null {
  if (!('state' in trigger || 'reading' in trigger)) return null
  const field = 'state' in trigger ? trigger.state : trigger.reading
  const previous = before?.[field]
  const change = changeBetween(
    passes(trigger, now[field]),
    previous === undefined || previous === null ? null : passes(trigger, previous),
  )
  return forMs === null && change !== 'begins' ? null : change
}

/** `was` is null if the earlier value is unknown: a true test then did not start now. */
function changeBetween(is: boolean, was: boolean | null): Signal['change'] | null {
  if (is) return was === null ? 'known' : was ? null : 'begins'
  return was === false ? null : 'ends'
}
