import type { z } from 'zod'
import type { ExposedDevice, ExposedGroup, ExposedHouse } from '../../exposure/exposed-house.ts'
import { groupNow, operationsNow } from '../../exposure/operations.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { OPERATIONS, opensEntrance, possibleOperations } from '../../home/model/device.ts'
import { type GroupWord, isGroupWord, isOfWholePlace, isUnsaid, operationsOfGroup } from '../../home/model/groups.ts'
import { isOperation } from '../../home/rules/problems.ts'
import { type CONTROL_FORMS, CONTROLS_MAX } from '../contract/control.ts'
import type { Refuse } from '../errors.ts'
import { NO_GROUP } from './saving.ts'

/** A call for the devices of a room, a floor or a group. */
export type PlaceBody = z.output<(typeof CONTROL_FORMS)['room' | 'floor' | 'group']>
type RefusePlace = Refuse<'not_found'>

interface Place {
  /** Devices that take the operation, in the order of the house. */
  readonly devices: readonly ExposedDevice[]
  /** Switch gangs with an unknown load; undefined for calls that are not about such gangs. */
  readonly unsaid: readonly string[] | undefined
}

/** Message for one code with several openings, because it would be a wrong guess for all but one of them. */
const CODE_OF_ONE =
  'code: it is for one opening, and this call has several. Send `controls`, where each entry has its own code.'

const ONE_PLACE = 'The body may have only one of these fields: `room`, `floor`.'
const TOO_MANY = `This call is for more than ${CONTROLS_MAX} devices: name a class, or send one call for each room.`

/** Devices that a call for a place is about. */
export function placeOfCall(body: PlaceBody, view: ExposedHouse, live: LiveHome, refuse: RefusePlace): Place {
  const isInside = insideOf(body, view, refuse)
  const { op } = body
  const kind = 'group' in body ? groupOfCall(body.group, view, refuse) : body.class
  const possible = operationsOf(kind)
  if (!isOperation(op) || !possible.includes(op))
    return refuse('validation', { message: `op: must be one of ${possible.join(', ')}.` })
  const taking = [...view.stateful()].filter((device) => isInside(device) && operationsNow(device, live).includes(op))
  const devices = taking.filter((device) => isOfKind(device, kind, live))
  if (devices.length > CONTROLS_MAX) refuse('validation', { message: TOO_MANY })
  const openings = devices.filter((device) => opensEntrance(device.class, op))
  if ('code' in body && body.code !== undefined && openings.length > 1) refuse('validation', { message: CODE_OF_ONE })
  const asksForLights = kind === undefined || kind === 'light'
  return { devices, unsaid: asksForLights ? taking.filter(isUnsaid).map(({ id }) => id) : undefined }
}

/** A class, a group word or a named group. */
type Kind = Extract<PlaceBody, { class?: unknown }>['class'] | ExposedGroup

function groupOfCall(group: string, view: ExposedHouse, refuse: RefusePlace): GroupWord | ExposedGroup {
  if (isGroupWord(group)) return group
  return view.group(group) ?? refuse('not_found', { field: 'group', message: NO_GROUP })
}

function operationsOf(kind: Kind): readonly string[] {
  if (kind === undefined) return OPERATIONS
  if (typeof kind === 'object')
    return kind.members.length === 0
      ? OPERATIONS
      : [...new Set(kind.members.flatMap((device) => possibleOperations(device.class)))]
  return isGroupWord(kind) ? operationsOfGroup(kind) : possibleOperations(kind)
}

function isOfKind(device: ExposedDevice, kind: Kind, live: LiveHome): boolean {
  if (kind === undefined) return isOfWholePlace(device, operationsNow(device, live))
  if (typeof kind === 'object') return kind.members.includes(device)
  return isGroupWord(kind) ? groupNow(device, live) === kind : device.class === kind
}

function insideOf(body: PlaceBody, view: ExposedHouse, refuse: RefusePlace): (device: ExposedDevice) => boolean {
  const { room, floor } = { room: undefined, floor: undefined, ...body }
  if (room !== undefined && floor !== undefined) return refuse('validation', { message: ONE_PLACE })
  if (room !== undefined) {
    const { id } = view.room(room) ?? refuse('not_found', { field: 'room' })
    return (device) => device.room === id
  }
  if (floor === undefined) return () => true
  const { id } = view.floor(floor) ?? refuse('not_found', { field: 'floor' })
  return (device) => device.floor === id
}
