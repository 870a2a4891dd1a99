import type {
  DeviceKey,
  BusDown,
  ChangeTrigger,
  Detection,
  DeviceState,
  Press,
  Readings,
  RegisterValues,
  TouchKey,
} from './device.ts'
import type { Origin } from './house.ts'
import type { HomeMode } from './modes.ts'
import type { HomePerson, PresenceChange, PresenceState } from './presence.ts'
import type { RuleKind } from './rules.ts'

/**
 * Cause of a change (Spec 2.6, docs/activity.md#a-cause). A cause is an argument of every write and is stored with the
 * change. A chain (`by`) holds the causes before it: a light, by a scene, by an automation, by a detection.
 */
export const CAUSE_SOURCES = [
  'person',
  'automation',
  'schedule',
  'scene',
  'integration',
  'agent',
  'voice',
  'platform',
  'unit',
  'gateway',
  'mode',
  'presence',
] as const
export type CauseSource = (typeof CAUSE_SOURCES)[number]

export interface Cause {
  readonly source: CauseSource
  /**
   * Name for people: `Anna`, `API: Dashboard`, `Agent: Claude via claude.ai`, `touched`, `motion`, `own timer`, the
   * scene's name.
   */
  readonly name: string
  /** Local id of the automation, schedule, scene, mode, person or unit (`unit` or `unit:gang`). */
  readonly ref?: string
  /** Integration and credential (`link`) of the request, for causes of the API. */
  readonly integration?: string
  readonly link?: string
  /** The administrator who confirmed the agent's call, if it needed a confirmation (Spec 4 rule 2). */
  readonly confirmedBy?: string
  /** The earlier cause that started this one. */
  readonly by?: Cause
  /**
   * Credentials that no link of the chain names: the author of a rule or scene, and requesters of links that were cut.
   * The history keeps neither these nor `answerable` (`home/rules/runs/cause-chain.ts`).
   */
  readonly behind?: readonly Origin[]
  /** Credentials behind the home facts that led here: all of them must be allowed to open what this cause opens. */
  readonly answerable?: readonly Origin[]
}

export const GATEWAY_CAUSE: Cause = { source: 'gateway', name: 'gateway' }

/** Names of the causes of changes that units report. */
export const TRIGGER_NAMES: Readonly<Record<Exclude<ChangeTrigger, 'sync' | 'command'>, string>> = {
  touch: 'touched at the wall',
  motion: 'motion',
  own_schedule: 'own schedule',
  own_timer: 'own timer',
  sleep: 'sleep mode',
  mains_return: 'mains return',
  protection: 'protection',
}

/** The way in which a unit reported a change with this cause; null if unknown. */
export function changeTriggerOf({ source, name }: Cause): ChangeTrigger | null {
  if (source !== 'unit') return source === 'gateway' ? null : 'command'
  const triggers = Object.keys(TRIGGER_NAMES) as (keyof typeof TRIGGER_NAMES)[]
  return triggers.find((trigger) => TRIGGER_NAMES[trigger] === name) ?? null
}

/** The mode that holds. */
export interface HeldMode {
  readonly mode: string
  /** Epoch ms. */
  readonly since: number
  /** End of a temporary mode in epoch ms; null if it lasts. */
  readonly until: number | null
  /** The mode that returns after a temporary one; null if the mode lasts. */
  readonly previous: string | null
  readonly cause: Cause
}

/** The presence of a person or of `anyone`. */
export interface HeldPresence {
  readonly is: PresenceState
  /** Epoch ms; null before the first report. */
  readonly since: number | null
  /** Cause of the newest change; null before the first report. */
  readonly cause: Cause | null
}

/** Longest chain that is stored: a longer one is a loop. */
export const CAUSE_DEPTH_MAX = 8

/**
 * The requester behind a cause: the credential that its chain names, else the chain's first cause. Requesters take
 * turns at units.
 */
export function requesterOf(cause: Cause): string {
  let at = cause
  while (at.link === undefined && at.by !== undefined) at = at.by
  return at.link ?? `${at.source}:${at.ref ?? at.name}`
}

/**
 * Subject of an activity entry. `id` is a local id; for a device it is the device key. `home` is the house as a whole,
 * `mode` the mode that holds and the list of modes.
 * `steps` are the steps of a scene that move the named devices: an integration sees the entry if it sees the scene and
 * one of the devices. Without devices, it must see everything.
 */
export type Subject =
  | { readonly kind: 'device'; readonly id: DeviceKey }
  | { readonly kind: 'steps'; readonly id: string; readonly devices: readonly DeviceKey[] }
  | {
      readonly kind: 'scene' | 'group' | 'room' | 'floor' | 'automation' | 'schedule' | 'integration' | 'person'
      readonly id: string
    }
  | { readonly kind: 'home' | 'mode' }

/**
 * A map key for a subject: `home`, `mode`, or its kind and id, for example `device:hall-light:0`; for steps
 * `steps:SCENE:DEVICE,DEVICE`.
 */
export type SubjectKey = string

export function subjectKey(subject: Subject): SubjectKey {
  if (!('id' in subject)) return subject.kind
  return subject.kind === 'steps'
    ? `steps:${subject.id}:${subject.devices.toSorted().join(',')}`
    : `${subject.kind}:${subject.id}`
}

export function parseSubjectKey(key: SubjectKey): Subject {
  const colon = key.indexOf(':')
  if (colon < 0) return { kind: key === 'mode' ? 'mode' : 'home' }
  const [kind, id] = [key.slice(0, colon) as Extract<Subject, { id: string }>['kind'], key.slice(colon + 1)]
  if (kind !== 'steps') return { kind, id }
  const second = id.indexOf(':')
  const devices = id.slice(second + 1)
  return { kind, id: id.slice(0, second), devices: devices === '' ? [] : devices.split(',') }
}

/**
 * Machine-readable kinds of entries:
 * - `state`: a confirmed state change;
 * - `failed`: a command had no effect (unit silent, adapter down);
 * - `refused`: a unit or rule refused a command;
 * - `skipped`: a run did not start (condition false, missed, paused);
 * - `run`: a scene, automation or schedule ran;
 * - `edited`: an object or the structure changed;
 * - `setting`: a unit setting changed;
 * - `detection`: motion, door and the like;
 * - `unit`: a unit was lost or came back;
 * - `link`: the adapter was lost or came back;
 * - `access`: integrations, exposure, knobs or credentials changed.
 */
export const ACTIVITY_KINDS = [
  'state',
  'failed',
  'refused',
  'skipped',
  'run',
  'edited',
  'setting',
  'detection',
  'unit',
  'link',
  'access',
] as const
export type ActivityKind = (typeof ACTIVITY_KINDS)[number]

/**
 * An entry before it is stored. `what` is a plain phrase without the device's name: `turned on`, `brightness set to 40
 * %`.
 */
export interface ActivityDraft {
  /** Epoch ms. */
  readonly at: number
  readonly kind: ActivityKind
  readonly subject: Subject
  readonly what: string
  readonly cause: Cause
  /**
   * Facts for explain and clients, for example `{from, to}`. Device keys and local ids stand only under documented
   * names.
   */
  readonly data?: Readonly<Record<string, unknown>>
}

/** A stored entry; `id` is random, so that clients cannot count hidden entries. */
export interface ActivityEntry extends ActivityDraft {
  readonly id: string
}

/**
 * Events in the home, emitted after they are confirmed and stored; the stream, the rules and the recorder subscribe.
 * `at` and `asOf` are epoch ms.
 */
export type HomeEvent =
  | {
      readonly kind: 'state'
      readonly device: DeviceKey
      readonly state: DeviceState
      readonly previous: DeviceState | null
      /** False if the unit confirmed the known state: only `asOf` moved. */
      readonly changed: boolean
      readonly trigger: ChangeTrigger
      readonly cause: Cause
      readonly asOf: number
    }
  | {
      readonly kind: 'readings'
      /** A unit, or a gang that measures its own power and energy. */
      readonly device: DeviceKey
      readonly readings: Readings
      readonly previous: Readings | null
      /** True if the values differ, or if a sensor or meter reports for the first time since the start. */
      readonly changed: boolean
      readonly asOf: number
    }
  | {
      readonly kind: 'detection'
      readonly unit: string
      readonly detection: Detection
      readonly value: boolean
      readonly at: number
    }
  /** A key was touched, with or without an effect. */
  | {
      readonly kind: 'touch'
      /** The unit, or one gang. */
      readonly device: DeviceKey
      readonly key: TouchKey
      readonly press: Press
      readonly cause: Cause
      readonly at: number
    }
  | {
      readonly kind: 'energy'
      readonly device: DeviceKey
      readonly energyWh: number
      readonly powerW: number
      readonly at: number
    }
  | {
      readonly kind: 'scene'
      readonly scene: string
      readonly running: boolean
      readonly cause: Cause
      readonly at: number
    }
  | {
      readonly kind: 'settings'
      readonly device: DeviceKey
      readonly values: RegisterValues
      readonly asOf: number
      readonly cause: Cause
    }
  | { readonly kind: 'unit'; readonly unit: string; readonly reachable: boolean; readonly at: number }
  | { readonly kind: 'link'; readonly down: BusDown | null; readonly at: number }
  /** A run of an automation or schedule ended; `failed`: a step failed. */
  | {
      readonly kind: 'run'
      readonly rule: RuleKind
      readonly id: string
      readonly failed: boolean
      readonly at: number
    }
  /** Another mode holds, its end changed, or the list of modes did. */
  | {
      readonly kind: 'mode'
      readonly held: HeldMode
      /** The mode that held before; equal if only the end or the list changed. */
      readonly before: string
      readonly modes: readonly HomeMode[]
      readonly at: number
    }
  /** The presence of a person or of `anyone` changed. */
  | {
      readonly kind: 'presence'
      readonly changes: readonly PresenceChange[]
      /** False if only the list of persons changed, so that nobody has come or gone. */
      readonly isReported: boolean
      readonly anyone: HeldPresence
      readonly persons: readonly (HomePerson & HeldPresence)[]
      readonly cause: Cause
      readonly at: number
    }
  /** An automation or schedule was made, changed, paused or deleted. */
  | { readonly kind: 'rule'; readonly rule: RuleKind; readonly at: number }
  /**
   * The id names another physical unit from `at` on: its address, model, class or gangs changed. Knowledge of the old
   * unit is void (docs/devices.md#replaced-units). Emitted before the `structure` event of the same change.
   */
  | { readonly kind: 'rebound'; readonly unit: string; readonly cause: Cause; readonly at: number }
  /** The state of a device is no longer known: its unit was replaced, or its class changed. */
  | { readonly kind: 'forgotten'; readonly device: DeviceKey; readonly at: number }
  /** Floors, rooms, units, gangs, scenes or groups were added, renamed, moved or removed. */
  | { readonly kind: 'structure'; readonly cause: Cause; readonly at: number }
