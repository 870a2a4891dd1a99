import type { House } from '../home/house/house.ts'
import { deviceKey, type DeviceKey, type GangClass, type Model, type UnitClass } from '../home/model/device.ts'
import type { Gang, Group, Room, Scene, Unit } from '../home/model/house.ts'
import type { Calendar } from '../home/model/calendars.ts'
import type { Removable } from '../home/model/missing.ts'
import type { HomeMode } from '../home/model/modes.ts'
import { ANYONE, type HomePerson } from '../home/model/presence.ts'
import type { RuleKind } from '../home/model/rules.ts'
import { type IdForm, idForm } from './device-id.ts'
import { type Integration, offersStructure } from './integration.ts'
import { type Visible, visibleIn } from './visible.ts'
import type { GroupMembers } from './group-members.ts'
import { VisibleRules } from './visible-rules.ts'

/** Common fields of units and gangs; ids are the integration's own. */
interface Shown {
  readonly id: string
  readonly key: DeviceKey
  readonly address: number
  readonly name: string
  readonly model: Model | null
  readonly room: string | null
  readonly floor: string | null
  /** For a switch: true if it feeds a lamp, null if unknown. Null for other devices. */
  readonly light: boolean | null
  /**
   * Devices whose reports count as signs of life for this integration: the unit itself, or its gangs if only they are
   * exposed.
   */
  readonly reportSources: readonly DeviceKey[]
  /** True for a module exposed only by gangs. Requests may name it, but the integration may not rename it. */
  readonly onlyGangs: boolean
}

export interface ExposedUnit extends Shown {
  readonly type: 'unit'
  readonly gang: null
  readonly class: UnitClass
  /** Visible gangs of a module; empty for other units. */
  readonly gangs: readonly ExposedGang[]
}

export interface ExposedGang extends Shown {
  readonly type: 'gang'
  readonly gang: number
  readonly class: GangClass
  readonly gangs: readonly []
}

/** A unit, module or gang that the integration sees. */
export type ExposedDevice = ExposedUnit | ExposedGang

/** A scene, room or floor with its local id and its id for the integration. */
interface Named {
  readonly id: string
  readonly local: string
  readonly name: string
}

export interface ExposedScene extends Named {
  readonly type: 'scene'
  readonly room: string | null
  readonly floor: string | null
}

/** A named group with its visible members, in the order of the house. */
export interface ExposedGroup extends Named {
  readonly type: 'group'
  readonly members: readonly ExposedDevice[]
  readonly hiddenMembers: number
}

export interface ExposedRoom extends Named {
  readonly type: 'room'
  readonly floor: string | null
  readonly units: readonly ExposedUnit[]
}

export interface ExposedFloor extends Named {
  readonly type: 'floor'
  readonly rooms: readonly ExposedRoom[]
}

export type ExposedThing = ExposedDevice | ExposedScene | ExposedGroup | ExposedRoom | ExposedFloor

/**
 * The home as one integration sees it; API handlers have no other access to the house. Hidden things are absent, so a
 * request for one takes the same look-up and gets the same response as a request for an unknown id (Spec 1 point 4).
 */
export class ExposedHouse {
  readonly integration: Integration
  readonly gateway: string
  readonly ids: IdForm
  readonly floors: readonly ExposedFloor[]
  /** Rooms on no visible floor. */
  readonly rooms: readonly ExposedRoom[]
  /** Units in no visible room. */
  readonly units: readonly ExposedUnit[]
  readonly scenes: readonly ExposedScene[]
  readonly groups: readonly ExposedGroup[]
  readonly rules = new VisibleRules(this)
  /** Groups of the rules of all authors. */
  readonly groupMembers: GroupMembers
  readonly #house: House
  readonly #visible: Visible
  readonly #byId = new Map<string, ExposedThing>()
  readonly #byKey = new Map<DeviceKey, ExposedDevice>()

  constructor(house: House, integration: Integration, gateway: string, groupMembers: GroupMembers) {
    this.#house = house
    this.groupMembers = groupMembers
    this.integration = integration
    this.gateway = gateway
    this.ids = idForm(gateway, integration.id)
    this.#visible = visibleIn(house, integration.exposure)
    const units = [...house.units.values()]
      .filter((unit) => this.#visible.devices.has(unit.id))
      .map((unit) => this.#exposeUnit(unit))
    const inside = Map.groupBy(units, (unit) => unit.room)
    const rooms = [...house.rooms.values()]
      .filter((room) => this.#visible.rooms.has(room.id))
      .map((room) => this.#exposeRoom(room, inside))
    this.floors = [...house.floors.values()]
      .filter((floor) => this.#visible.floors.has(floor.id))
      .map((floor) => {
        const id = this.ids.of('floor', floor.id)
        return this.#keep({
          type: 'floor',
          id,
          local: floor.id,
          name: floor.name,
          rooms: rooms.filter((room) => room.floor === id),
        })
      })
    this.rooms = rooms.filter((room) => room.floor === null)
    this.units = units.filter((unit) => unit.room === null)
    this.scenes = [...house.scenes.values()]
      .filter((scene) => this.#visible.scenes.has(scene.id))
      .map((scene) => this.#exposeScene(scene))
    this.groups = [...house.groups.values()]
      .filter((group) => this.#visible.groups.has(group.id))
      .map((group) => this.#keep(this.showGroup(group)))
  }

  /** Name of the home, which is in every successful response (Spec 1 point 5). */
  get name(): string {
    return this.#house.info.name
  }

  /** IANA, for example `Europe/Berlin`. */
  get timeZone(): string {
    return this.#house.info.timeZone
  }

  /** ISO 4217, for example `EUR`. */
  get currency(): string {
    return this.#house.info.currency
  }

  /** Looks up any id; `undefined` for hidden and unknown ids alike. */
  thing(id: string): ExposedThing | undefined {
    return this.#byId.get(id)
  }

  device(id: string): ExposedDevice | undefined {
    const thing = this.#byId.get(id)
    return thing?.type === 'unit' || thing?.type === 'gang' ? thing : undefined
  }

  room(id: string): ExposedRoom | undefined {
    const thing = this.#byId.get(id)
    return thing?.type === 'room' ? thing : undefined
  }

  floor(id: string): ExposedFloor | undefined {
    const thing = this.#byId.get(id)
    return thing?.type === 'floor' ? thing : undefined
  }

  scene(id: string): ExposedScene | undefined {
    const thing = this.#byId.get(id)
    return thing?.type === 'scene' ? thing : undefined
  }

  group(id: string): ExposedGroup | undefined {
    const thing = this.#byId.get(id)
    return thing?.type === 'group' ? thing : undefined
  }

  /** The exposed device with a device key of the home; `undefined` while it is hidden. */
  byKey(key: DeviceKey): ExposedDevice | undefined {
    return this.#byKey.get(key)
  }

  /** The stored scene of an exposed one. */
  sceneContent(scene: ExposedScene): Scene | undefined {
    return this.#house.scenes.get(scene.local)
  }

  /** A group as this integration would see it. */
  showGroup({ id, name, members }: Group): ExposedGroup {
    const keys = new Set(members)
    const visible = [...this.stateful()].filter(({ key }) => keys.has(key))
    const hiddenMembers = members.length - visible.length
    return { type: 'group', id: this.ids.of('group', id), local: id, name, members: visible, hiddenMembers }
  }

  /** The stored group of an exposed one. */
  groupContent(group: ExposedGroup): Group | undefined {
    return this.#house.groups.get(group.local)
  }

  /** All devices with a state: units and gangs, not modules. */
  *stateful(): Generator<ExposedDevice> {
    for (const device of this.#byKey.values()) if (device.class !== 'gang_module') yield device
  }

  devices(): IterableIterator<ExposedDevice> {
    return this.#byKey.values()
  }

  showsScene(local: string): boolean {
    return this.#visible.scenes.has(local)
  }

  showsRules(kind: RuleKind): boolean {
    return this.integration.knobs[`${kind}s`] === 'on'
  }

  showsGroup(local: string): boolean {
    return this.#visible.groups.has(local)
  }

  /** Modes of the home; empty while they are hidden. */
  get modes(): readonly HomeMode[] {
    return this.#visible.mode ? [...this.#house.modes.values()] : []
  }

  showsMode(id: string): boolean {
    return this.#visible.mode && this.#house.modes.has(id)
  }

  /** True if the integration sees whether anyone is home. */
  get showsAnyone(): boolean {
    return (this.integration.people ?? 'none') !== 'none'
  }

  /** Persons whom the integration sees by name. */
  get people(): readonly HomePerson[] {
    return this.integration.people === 'each' ? [...this.#house.people.values()] : []
  }

  /** True for a person, or `anyone`, whose presence the integration sees. */
  showsPerson(id: string): boolean {
    if (id === ANYONE) return this.showsAnyone
    return this.integration.people === 'each' && this.#house.people.has(id)
  }

  /** Ids of the persons whose presence the integration may report. */
  get reports(): readonly string[] {
    return (this.integration.reports ?? []).filter((id) => this.#house.people.has(id))
  }

  /** Visible calendars of the home. */
  get calendars(): readonly Calendar[] {
    return [...this.#house.calendars.values()].filter(({ id }) => this.#visible.calendars.has(id))
  }

  showsCalendar(id: string): boolean {
    return this.#visible.calendars.has(id)
  }

  /** True for a removed thing that the integration would see if it were still there: all of its kind are visible. */
  missesOpenly(kind: Removable, id: string): boolean {
    if (kind === 'people') return this.integration.people === 'each' && id !== ANYONE && !this.#house.people.has(id)
    if (this.integration.exposure.expose !== 'All') return false
    return kind === 'rules' || !this.#house[kind].has(id)
  }

  showsRoom(local: string): boolean {
    return this.#visible.rooms.has(local)
  }

  showsFloor(local: string): boolean {
    return this.#visible.floors.has(local)
  }

  get offersStructure(): boolean {
    return offersStructure(this.integration.exposure)
  }

  /**
   * True for a picked room or floor: it is the boundary of the exposure, and the integration may not rename it (Spec 4
   * rule 7).
   */
  isBoundary(thing: ExposedRoom | ExposedFloor): boolean {
    const { exposure } = this.integration
    return (
      exposure.expose === 'Selected' &&
      exposure.picks.some((pick) => pick.kind === thing.type && pick.id === thing.local)
    )
  }

  #exposeUnit(unit: Unit): ExposedUnit {
    const gangs = unit.gangs
      .filter(({ gang }) => this.#visible.devices.has(deviceKey({ unit: unit.id, gang })))
      .map((gang) =>
        this.#keepDevice<ExposedGang>({
          ...this.#describe(unit, gang, []),
          type: 'gang',
          gang: gang.gang,
          class: gang.class,
          gangs: [],
        }),
      )
    return this.#keepDevice<ExposedUnit>({
      ...this.#describe(unit, null, gangs),
      type: 'unit',
      gang: null,
      class: unit.class,
      gangs,
    })
  }

  #describe(unit: Unit, gang: Gang | null, gangs: readonly ExposedGang[]): Shown {
    const key = deviceKey({ unit: unit.id, gang: gang?.gang ?? null })
    const { name, room: lies, light } = gang ?? unit
    const room = lies !== null && this.#visible.rooms.has(lies) ? this.#house.rooms.get(lies) : undefined
    const onlyGangs = this.#visible.onlyGangs.has(key)
    return {
      id: this.ids.device(key),
      key,
      address: unit.address,
      name,
      model: unit.model,
      room: room ? this.ids.of('room', room.id) : null,
      floor: this.#floorId(room?.floor ?? null),
      light: light ?? null,
      reportSources: [...(onlyGangs ? [] : [key]), ...gangs.map((gang) => gang.key)],
      onlyGangs,
    }
  }

  #exposeRoom(room: Room, inside: ReadonlyMap<string | null, readonly ExposedUnit[]>): ExposedRoom {
    const id = this.ids.of('room', room.id)
    return this.#keep({
      type: 'room',
      id,
      local: room.id,
      name: room.name,
      floor: this.#floorId(room.floor),
      units: inside.get(id) ?? [],
    })
  }

  #exposeScene(scene: Scene): ExposedScene {
    const room = scene.room !== null && this.#visible.rooms.has(scene.room) ? this.ids.of('room', scene.room) : null
    return this.#keep({
      type: 'scene',
      id: this.ids.of('scene', scene.id),
      local: scene.id,
      name: scene.name,
      room,
      floor: this.#floorId(scene.floor),
    })
  }

  #floorId(floor: string | null): string | null {
    return floor !== null && this.#visible.floors.has(floor) ? this.ids.of('floor', floor) : null
  }

  #keep<T extends ExposedThing>(thing: T): T {
    this.#byId.set(thing.id, thing)
    return thing
  }

  #keepDevice<T extends ExposedDevice>(device: T): T {
    this.#byKey.set(device.key, device)
    return this.#keep(device)
  }
}
