import { type Group, type Scene, type Floor, type Gang, type HomeInfo, type Room, type Unit } from '../model/house.ts'
import type { Calendar } from '../model/calendars.ts'
import { completeModes, type HomeMode } from '../model/modes.ts'
import type { HomePerson } from '../model/presence.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Clock } from '../../lib/clock.ts'
import { type HomeEvent, type Cause, GATEWAY_CAUSE, type Subject } from '../model/events.ts'
import { type DeviceClass, type DeviceKey, type DeviceRef, deviceKey } from '../model/device.ts'
import type { ChangePart, UnitOfWork } from '../ports/activity-log.ts'
import type { HouseContent, HouseStore } from '../ports/house-store.ts'
import { importedGroups, importedScenes, isSame } from './imported.ts'

/** A unit or gang in the home; `gang` is set for a module's gang. */
export interface Device {
  readonly key: DeviceKey
  readonly unit: Unit
  readonly gang: Gang | null
  readonly class: DeviceClass
  readonly name: string
  readonly room: string | null
}

/** The unit itself and its gangs. */
export function devicesOf(unit: Unit): readonly Device[] {
  return [null, ...unit.gangs].map((gang) => {
    const { class: deviceClass, name, room } = gang ?? unit
    return { key: deviceKey({ unit: unit.id, gang: gang?.gang ?? null }), unit, gang, class: deviceClass, name, room }
  })
}

/** The class of every device of these units. */
export function classesOf(units: Iterable<Unit>): ReadonlyMap<DeviceKey, DeviceClass> {
  return new Map([...units].flatMap(devicesOf).map((device) => [device.key, device.class]))
}

interface HouseParts {
  readonly store: HouseStore
  readonly work: UnitOfWork
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
}

/**
 * The home's structure. It is read into memory at the start and changed only here. Each change is stored with its
 * activity row in one transaction and emitted as a `structure` event after the commit.
 */
export class House {
  readonly #parts: HouseParts
  #info: HomeInfo
  #floors = new Map<string, Floor>()
  #rooms = new Map<string, Room>()
  #units = new Map<string, Unit>()
  #scenes = new Map<string, Scene>()
  #groups = new Map<string, Group>()
  #modes = new Map<string, HomeMode>()
  #people = new Map<string, HomePerson>()
  #calendars = new Map<string, Calendar>()
  #devices = new Map<DeviceKey, Device>()
  #byAddress = new Map<number, Unit>()
  #revision = 0

  constructor(parts: HouseParts) {
    this.#parts = parts
    const content = parts.store.load()
    this.#info = content.info
    this.#take(content)
  }

  /** Counts up with every change of structure. */
  get revision(): number {
    return this.#revision
  }
  get info(): HomeInfo {
    return this.#info
  }
  get floors(): ReadonlyMap<string, Floor> {
    return this.#floors
  }
  get rooms(): ReadonlyMap<string, Room> {
    return this.#rooms
  }
  get units(): ReadonlyMap<string, Unit> {
    return this.#units
  }
  get scenes(): ReadonlyMap<string, Scene> {
    return this.#scenes
  }
  get groups(): ReadonlyMap<string, Group> {
    return this.#groups
  }
  get modes(): ReadonlyMap<string, HomeMode> {
    return this.#modes
  }
  /** The persons of the home, whose accounts are elsewhere. */
  get people(): ReadonlyMap<string, HomePerson> {
    return this.#people
  }

  get calendars(): ReadonlyMap<string, Calendar> {
    return this.#calendars
  }
  /** Units, modules and gangs by device key. */
  get devices(): ReadonlyMap<DeviceKey, Device> {
    return this.#devices
  }
  unitAt(address: number): Unit | undefined {
    return this.#byAddress.get(address)
  }
  content(): HouseContent {
    return {
      info: this.#info,
      floors: [...this.#floors.values()],
      rooms: [...this.#rooms.values()],
      units: [...this.#units.values()],
      scenes: [...this.#scenes.values()],
      groups: [...this.#groups.values()],
      modes: [...this.#modes.values()],
      calendars: [...this.#calendars.values()],
    }
  }

  /** Like every edit of this class, it stores nothing if nothing changes. */
  setInfo(info: HomeInfo, cause: Cause): void {
    if (isSame(info, this.#info)) return
    this.#change(
      [{ kind: 'home' }],
      info.currency === this.#info.currency
        ? 'home settings changed'
        : `currency changed from ${this.#info.currency} to ${info.currency}, no amount converted`,
      cause,
      () => this.#parts.store.saveInfo(info),
      () => {
        this.#info = info
      },
    )
  }

  renameRoom(id: string, name: string, cause: Cause): Room {
    const before = required(this.#rooms.get(id))
    if (before.name === name) return before
    const room = { ...before, name }
    this.#change(
      [{ kind: 'room', id }],
      `renamed to ${name}`,
      cause,
      () => this.#parts.store.saveRoom(room),
      () => this.#rooms.set(id, room),
    )
    return room
  }

  renameDevice(ref: DeviceRef, name: string, cause: Cause): Device {
    const unit = required(this.#units.get(ref.unit))
    const renamed: Unit =
      ref.gang === null
        ? { ...unit, name }
        : { ...unit, gangs: unit.gangs.map((gang) => (gang.gang === ref.gang ? { ...gang, name } : gang)) }
    this.#saveUnit(renamed, [{ kind: 'device', id: deviceKey(ref) }], `renamed to ${name}`, cause)
    return required(this.#devices.get(deviceKey(ref)))
  }

  /** Adds a unit, or changes its room, name or gangs. The caller has checked rooms and address. */
  placeUnit(unit: Unit, cause: Cause): void {
    this.#saveUnit(unit, placedParts(this.#units.get(unit.id), unit), 'placed', cause)
  }

  /**
   * Puts other physical units behind ids of the house, changes scenes and groups for them, and stores `parts` in the
   * same transaction. `UnitIdentities` writes the activity entry when it detects the new units.
   */
  replaceUnits(
    { units, scenes, groups }: Pick<HouseContent, 'units' | 'scenes' | 'groups'>,
    cause: Cause,
    parts: readonly ChangePart[],
  ): void {
    this.#change(
      [],
      'replaced',
      cause,
      () => {
        this.#parts.store.saveUnits(units)
        for (const scene of scenes) this.#parts.store.saveScene(scene)
        for (const group of groups) this.#parts.store.saveGroup(group)
      },
      () => {
        for (const unit of units) this.#units.set(unit.id, unit)
        for (const scene of scenes) this.#scenes.set(scene.id, scene)
        for (const group of groups) this.#groups.set(group.id, group)
        this.#index()
      },
      parts,
    )
  }

  saveScene(scene: Scene, what: string, cause: Cause, storeMore?: () => void): void {
    // If an edit concerns only some devices, its activity row is visible to integrations that see one of them.
    const devices = scene.edits.at(-1)?.devices ?? null
    this.#change(
      [devices === null ? { kind: 'scene', id: scene.id } : { kind: 'steps', id: scene.id, devices }],
      what,
      cause,
      () => {
        this.#parts.store.saveScene(scene)
        storeMore?.()
      },
      () => this.#scenes.set(scene.id, scene),
    )
  }

  /** Stores `parts` in the same transaction, like `setModes` and `setCalendars`. */
  removeScene(id: string, cause: Cause, parts: readonly ChangePart[] = []): void {
    this.#change(
      [{ kind: 'scene', id }],
      'deleted',
      cause,
      () => this.#parts.store.removeScene(id),
      () => this.#scenes.delete(id),
      parts,
    )
  }

  saveGroup(group: Group, what: string, cause: Cause, storeMore?: () => void): void {
    this.#change(
      [{ kind: 'group', id: group.id }],
      what,
      cause,
      () => {
        this.#parts.store.saveGroup(group)
        storeMore?.()
      },
      () => this.#groups.set(group.id, group),
    )
  }

  removeGroup(id: string, cause: Cause, parts: readonly ChangePart[] = []): void {
    this.#change(
      [{ kind: 'group', id }],
      'deleted',
      cause,
      () => this.#parts.store.removeGroup(id),
      () => this.#groups.delete(id),
      parts,
    )
  }

  /** Replaces the list of modes. The caller has checked that it has those of every home. */
  setModes(modes: readonly HomeMode[], what: string, cause: Cause, parts: readonly ChangePart[] = []): void {
    this.#change(
      [{ kind: 'mode' }],
      what,
      cause,
      () => this.#parts.store.saveModes(modes),
      () => this.#takeModes(modes),
      parts,
    )
  }

  /** Takes the stored list of persons. */
  takePeople(people: readonly HomePerson[]): void {
    const taken = new Map(people.map(({ id, name }) => [id, { id, name }]))
    if (isSame([...taken.values()], [...this.#people.values()])) return
    this.#people = taken
    this.#revision += 1
    this.#parts.events.emit({ kind: 'structure', cause: GATEWAY_CAUSE, at: this.#parts.clock.now() })
  }

  /** Replaces the list of calendars. */
  setCalendars(calendars: readonly Calendar[], what: string, cause: Cause, parts: readonly ChangePart[] = []): void {
    this.#change(
      [{ kind: 'home' }],
      what,
      cause,
      () => this.#parts.store.saveCalendars(calendars),
      () => this.#takeCalendars(calendars),
      parts,
    )
  }

  /** Replaces the whole structure, and stores `parts` in the same transaction: an import. */
  replace(content: HouseContent, cause: Cause, parts: readonly ChangePart[] = []): void {
    const imported = this.replacing(content)
    this.#change(
      [{ kind: 'home' }],
      'house imported',
      cause,
      () => this.#parts.store.replace(imported),
      () => this.#take(imported),
      parts,
    )
  }

  /** The house after `replace`. */
  replacing(content: HouseContent): HouseContent {
    const { revisions } = this.#parts.store
    const scenes = importedScenes(content.scenes, this.#scenes, revisions)
    const groups = importedGroups(content.groups, this.#groups, revisions)
    return { ...content, scenes, groups, modes: completeModes(content.modes ?? []) }
  }

  /** A read-only house with another content. */
  hypothetical(content: HouseContent): House {
    const change = (): never => {
      throw new Error('A hypothetical house cannot be changed.')
    }
    const store = { ...this.#parts.store, load: () => content }
    const house = new House({ ...this.#parts, store, work: { change } })
    house.#people = this.#people
    return house
  }

  #saveUnit(unit: Unit, subjects: readonly Subject[], what: string, cause: Cause): void {
    if (isSame(unit, this.#units.get(unit.id))) return
    this.#change(
      subjects,
      what,
      cause,
      () => this.#parts.store.saveUnits([unit]),
      () => {
        this.#units.set(unit.id, unit)
        this.#index()
      },
    )
  }

  #change(
    subjects: readonly Subject[],
    what: string,
    cause: Cause,
    store: () => void,
    apply: () => void,
    parts: readonly ChangePart[] = [],
  ): void {
    const at = this.#parts.clock.now()
    this.#parts.work.change((record) => {
      store()
      for (const subject of subjects) record({ at, kind: 'edited', subject, what, cause })
      for (const part of parts) part.store(record)
    })
    apply()
    for (const part of parts) part.apply()
    this.#revision += 1
    this.#parts.events.emit({ kind: 'structure', cause, at })
  }

  #take(content: HouseContent): void {
    this.#info = content.info
    this.#floors = new Map(content.floors.map((floor) => [floor.id, floor]))
    this.#rooms = new Map(content.rooms.map((room) => [room.id, room]))
    this.#units = new Map(content.units.map((unit) => [unit.id, unit]))
    this.#scenes = new Map(content.scenes.map((scene) => [scene.id, scene]))
    this.#groups = new Map(content.groups.map((group) => [group.id, group]))
    this.#takeModes(completeModes(content.modes ?? []))
    this.#takeCalendars(content.calendars ?? [])
    this.#index()
  }

  #takeModes(modes: readonly HomeMode[]): void {
    this.#modes = new Map(modes.map((mode) => [mode.id, mode]))
  }

  #takeCalendars(calendars: readonly Calendar[]): void {
    this.#calendars = new Map(calendars.map((calendar) => [calendar.id, calendar]))
  }

  #index(): void {
    this.#devices = new Map()
    this.#byAddress = new Map()
    for (const unit of this.#units.values()) {
      this.#byAddress.set(unit.address, unit)
      for (const device of devicesOf(unit)) this.#devices.set(device.key, device)
    }
  }
}

/**
 * Subjects of a placement change: the unit, or only the changed gangs, because other integrations may see those. Empty
 * if nothing changed.
 */
function placedParts(before: Unit | undefined, after: Unit): readonly Subject[] {
  const unitPart = (unit: Unit): string => JSON.stringify({ ...unit, gangs: [] })
  const whole: Subject = { kind: 'device', id: after.id }
  if (!before || unitPart(before) !== unitPart(after)) return [whole]
  const gangsOf = (unit: Unit): Map<number, string> =>
    new Map(unit.gangs.map((gang) => [gang.gang, JSON.stringify(gang)]))
  const [old, now] = [gangsOf(before), gangsOf(after)]
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((gang) => old.get(gang) !== now.get(gang))
  return changed.map((gang) => ({ kind: 'device', id: deviceKey({ unit: after.id, gang }) }))
}

function required<T>(object: T | undefined): T {
  if (object === undefined)
    throw new Error('The house has no such object: the caller must check before it changes one.')
  return object
}
