import type { Device, House } from '../home/house/house.ts'
import { type DeviceClass, type DeviceKey, deviceKey } from '../home/model/device.ts'
import type { Scene } from '../home/model/house.ts'
import { type IdForm, idForm } from './device-id.ts'
import { type Integration, offersStructure } from './integration.ts'
import { type Visible, visibleIn } from './visible.ts'

/** A unit, module or gang that this integration shows; ids are the integration's own. */
export interface ExposedDevice {
  readonly type: 'unit' | 'gang'
  readonly id: string
  readonly key: DeviceKey
  readonly address: number
  readonly gang: number | null
  readonly name: string
  readonly class: DeviceClass
  readonly model: string | null
  readonly room: string | null
  readonly floor: string | null
  /** Of a switch: whether it feeds a lamp; null where nobody said. Of anything else null. */
  readonly light: boolean | null
  /** Visible gangs of a module, empty otherwise. */
  readonly gangs: readonly ExposedDevice[]
  /** Whose reports tell this integration that the unit is there: its own, unless only gangs are shown, and theirs. */
  readonly heardBy: readonly DeviceKey[]
  /** A module of which only gangs are shown. Requests may name it, but this integration may not rename it. */
  readonly onlyGangs: boolean
}

export interface ExposedScene {
  readonly type: 'scene'
  readonly id: string
  readonly local: string
  readonly name: string
  readonly room: string | null
  readonly floor: string | null
}

export interface ExposedRoom {
  readonly type: 'room'
  readonly id: string
  readonly local: string
  readonly name: string
  readonly floor: string | null
  readonly units: readonly ExposedDevice[]
}

export interface ExposedFloor {
  readonly type: 'floor'
  readonly id: string
  readonly local: string
  readonly name: string
  readonly rooms: readonly ExposedRoom[]
}

export type ExposedThing = ExposedDevice | ExposedScene | ExposedRoom | ExposedFloor

/**
 * The home as one integration sees it; handlers of the API have no other way to the house. What is not exposed is not
 * in here, so a request for it takes the same look-up and gets the same answer as one for what never existed (Spec 1
 * point 4).
 */
export class ExposedHouse {
  readonly integration: Integration
  readonly gateway: string
  readonly ids: IdForm
  readonly floors: readonly ExposedFloor[]
  /** Rooms on no visible floor. */
  readonly rooms: readonly ExposedRoom[]
  /** Units in no visible room. */
  readonly units: readonly ExposedDevice[]
  readonly scenes: readonly ExposedScene[]
  readonly #house: House
  readonly #visible: Visible
  readonly #byId = new Map<string, ExposedThing>()
  readonly #byKey = new Map<DeviceKey, ExposedDevice>()

  constructor(house: House, integration: Integration, gateway: string) {
    this.#house = house
    this.integration = integration
    this.gateway = gateway
    this.ids = idForm(gateway, integration.id)
    this.#visible = visibleIn(house, integration.exposure)
    const units = [...house.units.values()]
      .filter((unit) => this.#visible.devices.has(unit.id))
      .map((unit) => this.#exposeUnit(unit.id))
    const rooms = [...house.rooms.values()]
      .filter((room) => this.#visible.rooms.has(room.id))
      .map((room) => this.#exposeRoom(room.id, units))
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
  }

  /** The home's name, which every successful answer carries (Spec 1 point 5). */
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

  /** Looks up any id; `undefined` for what is hidden and for what never existed alike. */
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

  /** The exposed device behind a device key of the home, or `undefined` while it is hidden. */
  byKey(key: DeviceKey): ExposedDevice | undefined {
    return this.#byKey.get(key)
  }

  /** The stored scene behind an exposed one. */
  sceneContent(scene: ExposedScene): Scene | undefined {
    return this.#house.scenes.get(scene.local)
  }

  /** Every device that can have a state: units and gangs, not modules. */
  *stateful(): Generator<ExposedDevice> {
    for (const device of this.#byKey.values()) if (device.class !== 'gang_module') yield device
  }

  devices(): IterableIterator<ExposedDevice> {
    return this.#byKey.values()
  }

  showsScene(local: string): boolean {
    return this.#visible.scenes.has(local)
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
   * Spec 4 rule 7: a room or floor that is itself picked is the boundary of the exposure, which the integration may not
   * rename.
   */
  isBoundary(thing: ExposedRoom | ExposedFloor): boolean {
    const { exposure } = this.integration
    return (
      exposure.expose === 'Selected' &&
      exposure.picks.some((pick) => pick.kind === thing.type && pick.id === thing.local)
    )
  }

  #exposeUnit(unitId: string): ExposedDevice {
    const device = this.#house.devices.get(unitId) as Device
    const gangs = device.unit.gangs
      .filter((gang) => this.#visible.devices.has(deviceKey({ unit: unitId, gang: gang.gang })))
      .map((gang) =>
        this.#keepDevice(
          this.#describe(this.#house.devices.get(deviceKey({ unit: unitId, gang: gang.gang })) as Device, []),
        ),
      )
    return this.#keepDevice(this.#describe(device, gangs))
  }

  #describe(device: Device, gangs: readonly ExposedDevice[]): ExposedDevice {
    const room =
      device.room !== null && this.#visible.rooms.has(device.room) ? this.#house.rooms.get(device.room) : undefined
    const onlyGangs = this.#visible.onlyGangs.has(device.key)
    return {
      type: device.gang ? 'gang' : 'unit',
      id: this.ids.device(device.key),
      key: device.key,
      address: device.unit.address,
      gang: device.gang?.gang ?? null,
      name: device.name,
      class: device.class,
      model: device.unit.model,
      room: room ? this.ids.of('room', room.id) : null,
      floor: this.#floorId(room?.floor ?? null),
      light: (device.gang ?? device.unit).light ?? null,
      gangs,
      heardBy: [...(onlyGangs ? [] : [device.key]), ...gangs.map(({ key }) => key)],
      onlyGangs,
    }
  }

  #exposeRoom(roomId: string, units: readonly ExposedDevice[]): ExposedRoom {
    const room = this.#house.rooms.get(roomId) as NonNullable<ReturnType<House['rooms']['get']>>
    const id = this.ids.of('room', roomId)
    const inside = units.filter((unit) => unit.room === id)
    return this.#keep({
      type: 'room',
      id,
      local: roomId,
      name: room.name,
      floor: this.#floorId(room.floor),
      units: inside,
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

  #keepDevice(device: ExposedDevice): ExposedDevice {
    this.#byKey.set(device.key, device)
    return this.#keep(device)
  }
}
