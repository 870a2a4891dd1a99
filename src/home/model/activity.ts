import type { Cause } from './cause.ts'
import type { DeviceKey } from './device.ts'

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
