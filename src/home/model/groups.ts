import { canonicalJson } from '../../lib/canonical-json.ts'
import { type DeviceClass, type DeviceKey, type Operation, possibleOperations } from './device.ts'
import { type Author, FIRST_EDIT, type Group, withEdit } from './house.ts'

/** Words for devices with the same kind of load; each device has at most one (docs/devices.md#groups). */
export const GROUP_WORDS = ['light', 'cover', 'socket', 'climate'] as const
export type GroupWord = (typeof GROUP_WORDS)[number]

export function isGroupWord(text: string): text is GroupWord {
  return GROUP_WORDS.some((word) => word === text)
}

/**
 * Devices of a rule's part: a group word, `any` for every device, or a named group; in a room, on a floor or anywhere.
 */
export interface GroupTarget {
  readonly group: string
  readonly room?: string
  readonly floor?: string
}

/** The group of every device, which no command takes. */
export const ANY_DEVICE = 'any'
/** Words that name a group, so that no named group may have one as its local id. */
export const RESERVED_GROUP_IDS: ReadonlySet<string> = new Set([...GROUP_WORDS, ANY_DEVICE])

/** The problem of a list with a group whose id is a word, or null. */
export function groupWordProblem(groups: readonly { readonly id: string; readonly name: string }[]): string | null {
  const named = groups.find(({ id }) => RESERVED_GROUP_IDS.has(id))
  if (named === undefined) return null
  return `The group ${named.name} has the id ${named.id}, which is a word for devices: it needs another one.`
}

/** Limit of named groups of a home, and of members of one group. */
export const GROUPS_MAX = 100
export const GROUP_MEMBERS_MAX = 100

const CLASSES_OF: Readonly<Record<GroupWord, readonly DeviceClass[]>> = {
  light: ['light_dimmer', 'light_switch', 'switch_gang', 'power_switch', 'sense_switch'],
  cover: ['shutter', 'curtain', 'shutter_gang'],
  socket: ['power_switch', 'sense_switch'],
  climate: ['power_switch', 'ac'],
}

/** Classes of the devices that may be in a group. */
export function classesOfGroup(group: GroupWord): readonly DeviceClass[] {
  return CLASSES_OF[group]
}

/** Operations that some device of a group may take. */
export function operationsOfGroup(group: GroupWord): readonly Operation[] {
  return [...new Set(CLASSES_OF[group].flatMap((deviceClass) => possibleOperations(deviceClass)))]
}

/** Members as a group stores them: each once, in the order of their keys. */
export function membersOf(devices: Iterable<DeviceKey>): readonly DeviceKey[] {
  return [...new Set(devices)].toSorted()
}

/** True for devices that may be members of a named group: those with a state or readings of their own. */
export function isMember(deviceClass: DeviceClass | undefined): boolean {
  return deviceClass !== undefined && deviceClass !== 'gang_module'
}

/** A new group with its first revision; its author is its origin. */
export function newGroup(draft: Pick<Group, 'id' | 'name' | 'members' | 'origin' | 'position'>): Group {
  return { ...draft, members: membersOf(draft.members), revision: 1, edits: [FIRST_EDIT], author: draft.origin }
}

/**
 * The group after an edit by `author`, one revision later, or the same group if nothing changes. Missing fields stay.
 */
export function editGroup(
  stored: Group,
  {
    name = stored.name,
    members,
  }: { readonly name?: string | undefined; readonly members?: readonly DeviceKey[] | undefined },
  author: Author,
): Group {
  const edited = { ...stored, name, members: members === undefined ? stored.members : membersOf(members) }
  if (canonicalJson(edited) === canonicalJson(stored)) return stored
  const [before, after] = [new Set(stored.members), new Set(edited.members)]
  const moved = [...new Set([...before, ...after])].filter((key) => before.has(key) !== after.has(key))
  const edits = withEdit(stored.edits, name === stored.name ? moved : null)
  return { ...edited, revision: stored.revision + 1, edits, author: moved.length > 0 ? author : stored.author }
}

interface Grouped {
  readonly class: DeviceClass
  /** True if it feeds a lamp, null if unknown. */
  readonly light: boolean | null
}

/**
 * Group of a device; null for gangs without a known lamp, locks, gates and the like. `operations` are the present ones,
 * because a power switch belongs to `climate` while it takes `set_temp`.
 */
export function groupOf({ class: deviceClass, light }: Grouped, operations: readonly Operation[]): GroupWord | null {
  switch (deviceClass) {
    case 'light_dimmer':
      return 'light'
    case 'light_switch':
      return light === false ? null : 'light'
    case 'switch_gang':
      return light === true ? 'light' : null
    case 'power_switch':
    case 'sense_switch':
      if (light === true) return 'light'
      return operations.includes('set_temp') ? 'climate' : 'socket'
    case 'ac':
      return 'climate'
    case 'shutter':
    case 'curtain':
    case 'shutter_gang':
      return 'cover'
    default:
      return null
  }
}

/** True if a device is in a group at some time: a power switch moves between `socket` and `climate`. */
export function mayBeIn(device: Grouped, group: GroupWord): boolean {
  return groupOf(device, []) === group || groupOf(device, ['set_temp']) === group
}

/** True for a gang whose load nobody named: it may be a lamp, but `light` leaves it out. */
export function isUnsaid({ class: deviceClass, light }: Grouped): boolean {
  return deviceClass === 'switch_gang' && light === null
}

/**
 * True for devices of a call for a whole room or floor. Appliances, heating, locks and gates need their class, so that
 * "kitchen off" does not stop the dishwasher (docs/api.md#why).
 */
export function isOfWholePlace(device: Grouped, operations: readonly Operation[]): boolean {
  if (device.class === 'lock' || device.class === 'gate') return false
  const group = groupOf(device, operations)
  return group !== 'socket' && group !== 'climate'
}
