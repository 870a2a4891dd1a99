import { type DeviceClass, type DeviceKey, parseDeviceKey } from '../model/device.ts'
import type { GroupTarget } from '../model/groups.ts'
import type { Author } from '../model/house.ts'
import type { DeviceCondition, GroupCondition } from '../model/rules.ts'
import type { GroupReader } from '../ports/group-reader.ts'
import type { StateReader } from '../ports/unit-bus.ts'
import { canTest } from './possible.ts'

export interface GroupTestParts {
  readonly groups: GroupReader
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  readonly states: StateReader
}

/** A condition about a group as conditions about its present devices that have the tested value. */
export function deviceConditions(
  condition: GroupCondition,
  author: Author,
  parts: GroupTestParts,
): readonly DeviceCondition[] {
  const { group: _, room: __, floor: ___, of: ____, ...test } = condition
  return testedDevices(condition, author, parts).map((device) => ({ ...test, device }))
}

/** Present devices of a group that have the tested value; each unit once if the test is about its contact. */
export function testedDevices(
  test: GroupTarget & Parameters<typeof canTest>[0],
  author: Author,
  { groups, classOf, states }: GroupTestParts,
): readonly DeviceKey[] {
  const members = groups.members(test, author)
  if ('reachable' in test) {
    const seen = new Set<string>()
    return members.filter((key) => {
      const { unit } = parseDeviceKey(key)
      return !seen.has(unit) && seen.add(unit)
    })
  }
  return members.filter((key) => {
    const deviceClass = classOf(key)
    if (deviceClass === undefined) return false
    return canTest(test, { class: deviceClass, name: key, readings: states.readings(key) ?? undefined })
  })
}
