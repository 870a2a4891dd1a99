import type { DeviceKey, RegisterName, RegisterValues, UnitSchedule } from '../model/device.ts'
import type { Calendar } from '../model/calendars.ts'
import type { Cause, HeldMode } from '../model/events.ts'
import type { Floor, Group, HomeInfo, Room, Scene, Unit, RevisionMarks, UnitIdentity } from '../model/house.ts'
import type { HomeMode } from '../model/modes.ts'
import type { PresenceState } from '../model/presence.ts'

/** Name and room (its local id) of a device as last known. */
export interface DevicePlace {
  readonly name: string
  readonly room: string | null
}

/** Stores the last known name and room of every device, including those that left the house. */
export interface DevicePlaceStore {
  /** Oldest first. */
  all(): ReadonlyMap<DeviceKey, DevicePlace>
  save(device: DeviceKey, place: DevicePlace, at: number): void
  forget(device: DeviceKey): void
}

/** The whole home as it is stored, exported and imported. */
export interface HouseContent {
  readonly info: HomeInfo
  readonly floors: readonly Floor[]
  readonly rooms: readonly Room[]
  readonly units: readonly Unit[]
  readonly scenes: readonly Scene[]
  readonly groups: readonly Group[]
  /** Missing: those of every home. */
  readonly modes?: readonly HomeMode[]
  /** Missing: none. */
  readonly calendars?: readonly Calendar[]
}

/** Writes run inside `UnitOfWork.change`. */
export interface HouseStore {
  readonly revisions: RevisionMarks
  load(): HouseContent
  saveInfo(info: HomeInfo): void
  saveRoom(room: Room): void
  /** Inserts or replaces units with their gangs; they may have exchanged their addresses. */
  saveUnits(units: readonly Unit[]): void
  saveScene(scene: Scene): void
  removeScene(id: string): void
  saveGroup(group: Group): void
  removeGroup(id: string): void
  saveModes(modes: readonly HomeMode[]): void
  /** Replaces all calendars; readings of changed or missing ones are dropped. */
  saveCalendars(calendars: readonly Calendar[]): void
  /** Replaces everything: an import. */
  replace(content: HouseContent): void
}

/** The mode that holds; `save` runs inside `UnitOfWork.change`. */
export interface HeldModeStore {
  /** Null before the first change. */
  load(): HeldMode | null
  save(held: HeldMode): void
}

/** The last reported presence of a person, or that of `anyone`. */
export interface StoredPresence {
  readonly person: string
  readonly is: PresenceState
  /** Epoch ms. */
  readonly since: number
  readonly cause: Cause
}

/** Presences go with their persons; `save` runs inside `UnitOfWork.change`. */
export interface PresenceStore {
  load(): readonly StoredPresence[]
  save(presence: StoredPresence): void
}

/** The physical unit behind an id of the house; `since` is epoch ms, 0 for the first one known. */
export interface StoredIdentity {
  readonly unit: string
  readonly identity: UnitIdentity
  readonly since: number
}

/** Stores the physical unit behind each id, also for ids that the house no longer has. */
export interface UnitIdentityStore {
  load(): readonly StoredIdentity[]
  save(stored: StoredIdentity): void
}

export interface StoredSetting {
  readonly device: DeviceKey
  readonly name: RegisterName
  readonly value: number
  /** Epoch ms at which the unit last confirmed it. */
  readonly asOf: number
}

/**
 * Stores confirmed settings across restarts. Lost settings are read from the unit again, so no client depends on them.
 */
export interface SettingsStore {
  load(): Iterable<StoredSetting>
  /** Inserts or replaces the named values of a device; its other values stay. */
  save(device: DeviceKey, values: RegisterValues, asOf: number): void
  /** Replaces all values of a device after a complete read. */
  replace(device: DeviceKey, values: RegisterValues, asOf: number): void
  forget(device: DeviceKey): void
}

/** The units' own schedules as last read, one list for each unit. A module has one list for all its gangs. */
export interface UnitScheduleStore {
  load(): Iterable<{ readonly unit: string; readonly schedules: readonly UnitSchedule[]; readonly asOf: number }>
  save(unit: string, schedules: readonly UnitSchedule[], asOf: number): void
  forget(unit: string): void
}
