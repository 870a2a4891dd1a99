import type { DeviceKey, Operation } from '../model/device.ts'
import type { GroupTarget } from '../model/groups.ts'
import type { Author } from '../model/house.ts'

/** Groups of rules, which have the devices that are exposed to the rule's author (docs/automations.md#groups). */
export interface GroupReader {
  /** Present devices of a group, in the order of the house. Only `any` has modules. */
  members(target: GroupTarget, author: Author): readonly DeviceKey[]
  /** True if a device is in a group now. */
  includes(target: GroupTarget, author: Author, device: DeviceKey): boolean
  /** False for a named group that was deleted. */
  exists(target: GroupTarget): boolean
  /** The latest to change the members of a named group; null for administrators, and for words. */
  author(target: GroupTarget): Author
  /** A unit and its gangs. */
  devicesOf(unit: string): readonly DeviceKey[]
  /** Present operations of a device. */
  operations(device: DeviceKey): readonly Operation[]
}
