import type { DeviceKey, BusDown, ChangeTrigger, Detection, DeviceState, Readings, RegisterValues } from './device.ts'
import type { RuleKind } from './rules.ts'

/**
 * Who or what made a change (Spec 2.6, docs/activity.md#a-cause). A cause is an argument of every write, stored with
 * the change when it happens; a chain (`by`) says what set the cause itself off: a light, by a scene, by an automation,
 * by a detection.
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
] as const
export type CauseSource = (typeof CAUSE_SOURCES)[number]

export interface Cause {
  readonly source: CauseSource
  /**
   * For people: `Anna`, `API: Dashboard`, `Agent: Claude via claude.ai`, `touched`, `motion`, `own timer`, the scene's
   * name.
   */
  readonly name: string
  /** Local id of what the cause is: the automation, schedule or scene, or the unit (`unit` or `unit:gang`). */
  readonly ref?: string
  /** The integration and credential (`link`) that asked, for causes of the API. */
  readonly integration?: string
  readonly link?: string
  /** The administrator who confirmed the agent's call, where it needed a confirmation (Spec 4 rule 2). */
  readonly confirmedBy?: string
  /** What set this cause off, where something did. */
  readonly by?: Cause
}

export const GATEWAY_CAUSE: Cause = { source: 'gateway', name: 'gateway' }

/** Chains are cut here: a longer one is a loop. */
export const CAUSE_DEPTH_MAX = 8

/**
 * Who is behind a cause: the credential that its chain names, else what began it. Requests to units take turns by it.
 */
export function whoAsks(cause: Cause): string {
  let at = cause
  while (at.link === undefined && at.by !== undefined) at = at.by
  return at.link ?? `${at.source}:${at.ref ?? at.name}`
}

/**
 * What an activity entry is about; `id` is a local id, for a device its key. `home` stands for the house as a whole,
 * `steps` for the steps of a scene that move some devices: only an integration that sees the scene and one of the
 * devices is shown it; without devices, only one that sees everything.
 */
export type Subject =
  | { readonly kind: 'device'; readonly id: DeviceKey }
  | { readonly kind: 'steps'; readonly id: string; readonly devices: readonly DeviceKey[] }
  | { readonly kind: 'scene' | 'room' | 'floor' | 'automation' | 'schedule' | 'integration'; readonly id: string }
  | { readonly kind: 'home' }

/**
 * A map key for a subject: `home`, or its kind and id, for example `device:hall-light:0`; for steps
 * `steps:SCENE:DEVICE,DEVICE`.
 */
export type SubjectKey = string

export function subjectKey(subject: Subject): SubjectKey {
  if (subject.kind === 'home') return 'home'
  return subject.kind === 'steps'
    ? `steps:${subject.id}:${subject.devices.toSorted().join(',')}`
    : `${subject.kind}:${subject.id}`
}

export function parseSubjectKey(key: SubjectKey): Subject {
  const colon = key.indexOf(':')
  if (colon < 0) return { kind: 'home' }
  const [kind, id] = [key.slice(0, colon) as Exclude<Subject['kind'], 'home'>, key.slice(colon + 1)]
  if (kind !== 'steps') return { kind, id }
  const second = id.indexOf(':')
  const devices = id.slice(second + 1)
  return { kind, id: id.slice(0, second), devices: devices === '' ? [] : devices.split(',') }
}

/**
 * Machine-readable kinds of entries. `state`: a confirmed state change; `failed`: something was asked and did not
 * happen (unit silent, adapter down); `refused`: a unit or rule said no; `skipped`: a run that was not made (condition
 * false, missed, paused); `run`: a scene, automation or schedule ran; `edited`: an object or the structure changed;
 * `setting`: a unit setting changed; `detection`: motion, door and the like; `unit`: a unit was lost or came back;
 * `link`: the adapter went or came back; `access`: integrations, exposure, knobs and credentials changed.
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
 * An entry before it is stored. `what` is one plain phrase without the device's name: `turned on`, `brightness set to
 * 40 %`.
 */
export interface ActivityDraft {
  /** Epoch ms. */
  readonly at: number
  readonly kind: ActivityKind
  readonly subject: Subject
  readonly what: string
  readonly cause: Cause
  /**
   * Facts for explain and for clients, for example `{from, to}`; device keys and local ids only under documented names.
   */
  readonly data?: Readonly<Record<string, unknown>>
}

/** A stored entry; `id` is random, so that clients cannot count the entries that they do not see. */
export interface ActivityEntry extends ActivityDraft {
  readonly id: string
}

/**
 * What happens in the home, emitted after it is confirmed and stored; the stream, the rules and the recorder subscribe.
 * `at` and `asOf` are epoch ms.
 */
export type HomeEvent =
  | {
      readonly kind: 'state'
      readonly device: DeviceKey
      readonly state: DeviceState
      readonly previous: DeviceState | null
      /** False when the unit confirmed what was known already: only `asOf` moved. */
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
      /** Whether they differ, or are the first that a sensor or meter says since the start: its state then. */
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
  /** An automation or schedule was made, changed, paused or deleted. */
  | { readonly kind: 'rule'; readonly rule: RuleKind; readonly at: number }
  /**
   * The id names another physical unit from `at` on: its address, model, class or gangs changed. Nothing that was known
   * of the old unit holds for it (docs/devices.md#replaced-units). Emitted before the `structure` event of the same change.
   */
  | { readonly kind: 'rebound'; readonly unit: string; readonly cause: Cause; readonly at: number }
  /** The state of a device of the house is not known any more: its unit was replaced, or it changed its class. */
  | { readonly kind: 'forgotten'; readonly device: DeviceKey; readonly at: number }
  /** Floors, rooms, units, gangs or scenes were added, renamed, moved or removed. */
  | { readonly kind: 'structure'; readonly cause: Cause; readonly at: number }
