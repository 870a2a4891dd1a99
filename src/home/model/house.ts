import type { SceneEdits } from './scene-edits.ts'
import type { GangClass, Model, UnitClass } from './device.ts'
import type { Command } from './state.ts'

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
