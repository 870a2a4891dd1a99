import { devicesOf, type House } from '../home/house/house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { DeviceKey } from '../home/model/device.ts'
import { type GroupTarget, isGroupWord, RESERVED_GROUP_IDS } from '../home/model/groups.ts'
import type { GroupReader } from '../home/ports/group-reader.ts'
import { type GroupMembers, lightOf } from './group-members.ts'
import { groupNow, operationsNow } from './operations.ts'

/** Groups of rules with the present states. */
export function groupReader(
  members: GroupMembers,
  house: Pick<House, 'devices' | 'units' | 'groups'>,
  live: Pick<LiveHome, 'states' | 'capabilities'>,
): GroupReader {
  const isNow = ({ group }: GroupTarget, key: DeviceKey): boolean => {
    const device = house.devices.get(key)
    if (!isGroupWord(group) || device === undefined) return device !== undefined
    return groupNow({ key, class: device.class, light: lightOf(device) }, live) === group
  }
  return {
    members: (target, author) => [...members.of(target, author)].filter((key) => isNow(target, key)),
    includes: (target, author, device) => members.of(target, author).has(device) && isNow(target, device),
    exists: ({ group }) => RESERVED_GROUP_IDS.has(group) || house.groups.has(group),
    author: ({ group }) => house.groups.get(group)?.author ?? null,
    devicesOf: (unit) => {
      const its = house.units.get(unit)
      return its === undefined ? [] : devicesOf(its).map(({ key }) => key)
    },
    operations: (key) => {
      const device = house.devices.get(key)
      return device === undefined ? [] : operationsNow(device, live)
    },
  }
}
