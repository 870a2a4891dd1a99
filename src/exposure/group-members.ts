import type { Device, House } from '../home/house/house.ts'
import type { DeviceKey } from '../home/model/device.ts'
import { ANY_DEVICE, type GroupTarget, isGroupWord, isMember, mayBeIn } from '../home/model/groups.ts'
import type { Author } from '../home/model/house.ts'
import type { Integration, IntegrationReader } from './integration.ts'
import { visibleIn } from './visible.ts'

type Integrations = Pick<IntegrationReader, 'get'>

/** Devices of one author, and its groups as far as they were asked for. */
interface Scope {
  /** Undefined for administrators, and for a deleted integration. */
  readonly integration: Integration | undefined
  readonly revision: number
  readonly devices: readonly Device[]
  readonly groups: Map<string, ReadonlySet<DeviceKey>>
}

/** Groups of rules by the structure of the house and the exposure of the rule's author, whatever the states are. */
export class GroupMembers {
  readonly #house: House
  readonly #integrations: Integrations
  readonly #scopes = new Map<string | null, Scope>()

  constructor(house: House, integrations: Integrations) {
    this.#house = house
    this.#integrations = integrations
  }

  /** Devices that are in a group now or may come into it by a change of their state. */
  of(target: GroupTarget, author: Author): ReadonlySet<DeviceKey> {
    const { devices, groups } = this.#scopeOf(author)
    const key = JSON.stringify([target.group, target.room, target.floor])
    const known = groups.get(key)
    if (known !== undefined) return known
    const members = new Set(devices.filter((device) => this.#isIn(device, target)).map((device) => device.key))
    groups.set(key, members)
    return members
  }

  /** The present object of an integration; its exposure may have changed if it is another one. */
  integration(id: string): Integration | undefined {
    return this.#integrations.get(id)
  }

  #isIn(device: Device, { group, room, floor }: GroupTarget): boolean {
    if (room !== undefined && device.room !== room) return false
    if (floor !== undefined && this.#floorOf(device) !== floor) return false
    if (group === ANY_DEVICE) return true
    if (isGroupWord(group)) return mayBeIn({ class: device.class, light: lightOf(device) }, group)
    return isMember(device.class) && this.#house.groups.get(group)?.members.includes(device.key) === true
  }

  #floorOf({ room }: Device): string | null {
    return room === null ? null : (this.#house.rooms.get(room)?.floor ?? null)
  }

  #scopeOf(author: Author): Scope {
    const id = author === null ? null : author.integration
    const integration = id === null ? undefined : this.#integrations.get(id)
    const { revision } = this.#house
    const known = this.#scopes.get(id)
    if (known !== undefined && known.integration === integration && known.revision === revision) return known
    const scope = { integration, revision, devices: this.#devicesOf(author, integration), groups: new Map() }
    // A deleted integration does not stay.
    if (author !== null && integration === undefined) this.#scopes.delete(id)
    else this.#scopes.set(id, scope)
    return scope
  }

  #devicesOf(author: Author, integration: Integration | undefined): readonly Device[] {
    const all = [...this.#house.devices.values()]
    if (author === null) return all
    if (integration === undefined) return []
    const { devices, onlyGangs } = visibleIn(this.#house, integration.exposure)
    return all.filter(({ key }) => devices.has(key) && !onlyGangs.has(key))
  }
}

/** Load of a switch, null if unknown. */
export const lightOf = ({ unit, gang }: Device): boolean | null => (gang ?? unit).light ?? null
