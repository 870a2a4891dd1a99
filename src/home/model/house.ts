import type { DeviceKey, GangClass, Model, UnitClass } from './device.ts'
import type { SceneStep } from './steps.ts'

/**
 * A count of edits of a scene or group with the same audience: the devices whose steps or membership changed, or null
 * for every viewer. An integration's revision is computed from them, so edits of hidden devices do not count.
 */
export interface SceneEdits {
  readonly devices: readonly DeviceKey[] | null
  readonly count: number
}

/** The creation concerns every viewer. */
export const FIRST_EDIT: SceneEdits = { devices: null, count: 1 }

/** Most devices named by the edits of one scene or group. Beyond that, the oldest edits count for every viewer. */
export const EDIT_DEVICES_MAX = 256

/** Adds one edit that concerns `devices`. */
export function withEdit(edits: readonly SceneEdits[], devices: readonly DeviceKey[] | null): readonly SceneEdits[] {
  const names = devices?.toSorted() ?? null
  const same = (edit: SceneEdits): boolean => JSON.stringify(edit.devices) === JSON.stringify(names)
  const count = (edits.find(same)?.count ?? 0) + 1
  const all = [...edits.filter((edit) => !same(edit)), { devices: names, count }]
  let room = EDIT_DEVICES_MAX
  const from = all.findLastIndex((edit) => (room -= edit.devices?.length ?? 0) < 0)
  return all.slice(Math.min(from + 1, all.length - 1))
}

/** Daily time without normal messages, local to the home; it may cross midnight. */
export interface QuietHours {
  readonly from: string
  readonly until: string
}

/** The home's structure as it is stored. Local ids are 1-40 of `a-z 0-9 -`; the word `scene` is taken (Spec 2.2). */
export interface HomeInfo {
  readonly name: string
  /** IANA time zone, for example `Europe/Berlin`. */
  readonly timeZone: string
  /** Degrees, for sunrise and sunset; null if unknown. */
  readonly latitude: number | null
  readonly longitude: number | null
  /** ISO 4217, for example `EUR`. */
  readonly currency: string
  /** Missing: none. */
  readonly quiet?: QuietHours
}

export interface Floor {
  readonly id: string
  readonly name: string
  readonly position: number
}

export interface Room {
  readonly id: string
  readonly name: string
  readonly floor: string | null
  readonly position: number
}

/**
 * Load of a switch: true for a lamp, false for something else, missing if unknown. Only devices that switch any load
 * have it (docs/devices.md#what-a-switch-feeds).
 */
export type Light = boolean

export interface Gang {
  readonly gang: number
  readonly name: string
  readonly class: GangClass
  /** A gang's own room, which may differ from its module's. */
  readonly room: string | null
  readonly light?: Light
}

export interface Unit {
  readonly id: string
  readonly name: string
  /** Address on the unit protocol, 1 to 65,279. */
  readonly address: number
  readonly model: Model | null
  readonly class: UnitClass
  readonly room: string | null
  readonly position: number
  readonly light?: Light
  /** Empty unless `class` is `gang_module`. */
  readonly gangs: readonly Gang[]
}

/** The field `light` as a unit or gang stores it: missing if unknown. */
export function lightField(light: Light | null | undefined): { readonly light?: Light } {
  return light === null || light === undefined ? {} : { light }
}

/** Integration and credential that created an object: provenance, not ownership (Spec 2.5). */
export interface Origin {
  readonly integration: string
  readonly link: string
}

/**
 * The credential that saved an object last, or null for an administrator. The object opens locks and gates only while
 * its author may open them (docs/automations.md#whose-leave-counts).
 */
export type Author = Origin | null

export interface Scene {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly floor: string | null
  readonly room: string | null
  readonly steps: readonly SceneStep[]
  /** Counts up from 1 with every edit. */
  readonly revision: number
  /** Edits by audience, including the creation; the latest edit comes last. */
  readonly edits: readonly SceneEdits[]
  readonly origin: Origin | null
  /** Author of the latest change of its steps. */
  readonly author: Author
  readonly position: number
}

/** A named group of devices, in the order of their keys; it has no state of its own (docs/devices.md#groups). */
export interface Group {
  readonly id: string
  readonly name: string
  readonly members: readonly DeviceKey[]
  /** Counts up from 1 with every edit. */
  readonly revision: number
  /** Edits by audience, including the creation; the latest edit comes last. */
  readonly edits: readonly SceneEdits[]
  readonly origin: Origin | null
  /** The latest to change the members. It answers for openings of rules that name the group. */
  readonly author: Author
  readonly position: number
}

export const LOCAL_ID = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

/** Kinds of things with ids like `scene:evening`. */
export const THING_KINDS = ['scene', 'group', 'room', 'floor', 'automation', 'schedule'] as const
/** Words that stand in place of a unit in ids (Spec 2.2), so no unit may have one as its id. */
export const RESERVED_UNIT_IDS: ReadonlySet<string> = new Set(THING_KINDS)

/** Kinds of things with revisions. */
export type RevisedKind = 'scene' | 'group' | 'automation' | 'schedule'

/** Revisions that the home's scenes, groups, automations and schedules have had. */
export interface RevisionMarks {
  /** Revision that the last restore raised every object to; 0 before the first. */
  readonly raisedTo: number
  /**
   * No object with this id ever had a higher revision, including removed ones and edits that a restore undid. Edits of
   * others make no difference to it, because they may be hidden.
   */
  lastOf(kind: RevisedKind, id: string): number
}

/**
 * Revision of an object that an import or a restore adds under an id which may have existed before. A client with an
 * earlier revision of that id must get 409 `revision_mismatch`, so the result is above `last`, every revision so far.
 * `requested`, such as the revision in a house file, is used if it is high enough.
 *
 * An object that is already in the home needs no mark: its own revision is the highest that its id ever had. There an
 * import takes `max(own, file) + 1` if the content differs, else `own`.
 */
export function freshRevision(last: number, requested = 1): number {
  return requested > last ? requested : last + 1
}

/** Facts that distinguish one physical unit from another behind the same id of the house. */
export interface UnitIdentity {
  readonly address: number
  readonly model: Model | null
  readonly class: UnitClass
  /** Position and class of each gang: `0 switch_gang`. */
  readonly gangs: readonly string[]
  /**
   * Model and gangs as the adapter listed the unit last: `HMHHX2 0 switch_gang,1 switch_gang`. Null before the first
   * list.
   */
  readonly listed: string | null
}

interface Gangs {
  readonly gangs: readonly { readonly gang: number; readonly class: string }[]
}

/** @param listed the unit at this address as the adapter lists it. */
export function identityOf(
  unit: Pick<Unit, 'address' | 'model' | 'class' | 'gangs'>,
  listed: (Gangs & { readonly model: Model }) | undefined,
): UnitIdentity {
  const { address, model, class: unitClass } = unit
  const gangs = gangWords(unit)
  return {
    address,
    model,
    class: unitClass,
    gangs,
    listed: listed === undefined ? null : `${listed.model} ${gangWords(listed).join(',')}`,
  }
}

/** True if two identities are different physical units. An unknown part does not count as different. */
export function isDifferentUnit(before: UnitIdentity, now: UnitIdentity): boolean {
  return (
    before.address !== now.address ||
    before.class !== now.class ||
    before.gangs.join() !== now.gangs.join() ||
    differs(before.model, now.model) ||
    differs(before.listed, now.listed)
  )
}

/** True if the house describes the same unit as before, so that a late answer still belongs to it. */
export function isSameUnit(before: Unit, now: Unit | undefined): boolean {
  return now !== undefined && !isDifferentUnit(identityOf(before, undefined), identityOf(now, undefined))
}

function differs(before: string | null, now: string | null): boolean {
  return before !== null && now !== null && before !== now
}

function gangWords({ gangs }: Gangs): readonly string[] {
  return gangs.map(({ gang, class: gangClass }) => `${gang} ${gangClass}`).toSorted()
}
