import type { DeviceKey, GangClass, Model, UnitClass, Command } from './device.ts'

/**
 * Edits of a scene that concern the same: the devices whose steps changed, or null for everybody who sees the scene.
 * From them comes the revision that an integration is shown: edits of steps that it cannot see do not count.
 */
export interface SceneEdits {
  readonly devices: readonly DeviceKey[] | null
  readonly count: number
}

/** The creation concerns everybody. */
export const MADE: SceneEdits = { devices: null, count: 1 }

/** Devices named by the edits of a scene together. Of more, those that were edited longest ago count for everybody. */
export const EDIT_DEVICES_MAX = 256

/** The edits with one more, by which `devices` are concerned. */
export function withEdit(edits: readonly SceneEdits[], devices: readonly DeviceKey[] | null): readonly SceneEdits[] {
  const names = devices?.toSorted() ?? null
  const same = (each: SceneEdits): boolean => JSON.stringify(each.devices) === JSON.stringify(names)
  const count = (edits.find(same)?.count ?? 0) + 1
  const all = [...edits.filter((each) => !same(each)), { devices: names, count }]
  let room = EDIT_DEVICES_MAX
  const from = all.findLastIndex((each) => (room -= each.devices?.length ?? 0) < 0)
  return all.slice(Math.min(from + 1, all.length - 1))
}

/** The home's structure as it is stored. Local ids are 1-40 of `a-z 0-9 -`; the word `scene` is taken (Spec 2.2). */
export interface HomeInfo {
  readonly name: string
  /** IANA time zone, for example `Europe/Berlin`. */
  readonly timeZone: string
  /** Degrees, for sunrise and sunset; null where nobody said. */
  readonly latitude: number | null
  readonly longitude: number | null
  /** ISO 4217, for example `EUR`. */
  readonly currency: string
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
 * What a switch feeds: true a lamp, false something else; missing where nobody said. Only what switches any load has it
 * (docs/devices.md#what-a-switch-feeds).
 */
export type Light = boolean

export interface Gang {
  readonly gang: number
  readonly name: string
  readonly class: GangClass
  /** A gang has its own room, which may differ from its module's. */
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

/** The field `light` as a unit or gang holds it: missing where nobody said. */
export function lightField(light: Light | null | undefined): { readonly light?: Light } {
  return light === null || light === undefined ? {} : { light }
}

/**
 * A step of a scene; automations and schedules may also name a scene (docs/automations.md#steps). `device` is a device
 * key.
 */
export type Step = ({ readonly device: string } & Command) | { readonly delay: number } | { readonly scene: string }

/** Which integration and credential created an object: provenance, not ownership (Spec 2.5). */
export interface Origin {
  readonly integration: string
  readonly link: string
}

/**
 * Who answers for what an object does: the credential that saved it last, or null for an administrator. What it opens,
 * it opens only while its author may open (docs/automations.md#whose-leave-counts).
 */
export type Author = Origin | null

export interface Scene {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly floor: string | null
  readonly room: string | null
  readonly steps: readonly Step[]
  /** Counts up from 1 with every edit. */
  readonly revision: number
  /** Whom its edits concern, the creation among them; those of the last edit come last. */
  readonly edits: readonly SceneEdits[]
  readonly origin: Origin | null
  /** Who saved its steps last. */
  readonly author: Author
  readonly position: number
}

export const LOCAL_ID = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

/** Revisions that a home has given to its scenes, automations and schedules. */
export interface GivenRevisions {
  /**
   * No object ever had a higher revision: neither a deleted one, nor one whose edits a restore took back. It may be
   * some hundreds higher than the highest revision in use.
   */
  readonly highest: number
  /** Revision that the last restore raised every object to; 0 before the first. */
  readonly raisedTo: number
}

/**
 * Revision of an object that comes into the home under an id it may have had before: by an import, by a restore. A
 * client that kept an earlier revision of that id must get 409 `revision_mismatch`, so the answer is above every
 * revision given so far. `wanted`, such as the revision in a house file, is kept where it is high enough.
 *
 * An object that is in the home already needs no mark: its own revision is the highest that its id ever had. An import
 * takes `max(own, file) + 1` there where the content differs, and `own` where it does not.
 */
export function freshRevision({ highest }: Pick<GivenRevisions, 'highest'>, wanted = 1): number {
  return wanted > highest ? wanted : highest + 1
}

/** What tells one physical unit from another behind the same id of the house. */
export interface UnitIdentity {
  readonly address: number
  readonly model: Model | null
  readonly class: UnitClass
  /** Position and class of each gang: `0 switch_gang`. */
  readonly gangs: readonly string[]
  /** Model and gangs as the adapter listed the unit last: `HMHHX2 0 switch_gang,1 switch_gang`. Null before it did. */
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

/** Whether two identities are of different physical units. A part that one of them does not know tells nothing. */
export function isAnotherUnit(before: UnitIdentity, now: UnitIdentity): boolean {
  return (
    before.address !== now.address ||
    before.class !== now.class ||
    before.gangs.join() !== now.gangs.join() ||
    differs(before.model, now.model) ||
    differs(before.listed, now.listed)
  )
}

/** Whether the house still says of a unit what it said before: an answer that comes now is that unit's. */
export function isSameUnit(before: Unit, now: Unit | undefined): boolean {
  return now !== undefined && !isAnotherUnit(identityOf(before, undefined), identityOf(now, undefined))
}

function differs(before: string | null, now: string | null): boolean {
  return before !== null && now !== null && before !== now
}

function gangWords({ gangs }: Gangs): readonly string[] {
  return gangs.map(({ gang, class: gangClass }) => `${gang} ${gangClass}`).toSorted()
}
