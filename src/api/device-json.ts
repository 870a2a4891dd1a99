import type { ExposedDevice, ExposedGang, ExposedScene, ExposedUnit } from '../exposure/exposed-house.ts'
import { lastSeenOf } from '../exposure/last-seen.ts'
import { operationsNow, shownCapabilities } from '../exposure/operations.ts'
import { switchesAnyLoad, type DeviceState } from '../home/model/device.ts'
import type { LiveHome } from '../home/live/live-home.ts'

/** A state with the time of its confirmation, or null before the unit's first message. */
type StateJson = (DeviceState & { readonly asOf: number }) | null

/** The parts of a device's JSON that its state decides: as values, or as slots to fill in later. */
export interface LiveFields<S, O> {
  state(device: ExposedDevice): S
  operations(device: ExposedDevice): O
  capabilities(device: ExposedDevice): O
  /** Reachability of a unit or module, and its last message. */
  reachable(unit: ExposedDevice): S | boolean
  lastSeen(unit: ExposedDevice): S | number | null
}

/** A unit in the house (Spec 2.3): a module has gangs and no state, all others have a state and no gangs. */
export function houseUnitOf<S, O>(unit: ExposedUnit, live: LiveFields<S, O>): object {
  const { id, name, model, room, floor } = unit
  const isModule = unit.class === 'gang_module'
  const head = {
    id,
    name,
    class: unit.class,
    kind: isModule ? 'module' : 'unit',
    model,
    room,
    floor,
    ...lightOf(unit),
    ...reachOf(unit, live),
  }
  return isModule
    ? { ...head, operations: [], gangs: unit.gangs.map((gang) => houseGangOf(gang, live)) }
    : { ...head, ...liveFieldsOf(unit, live) }
}

/** A gang inside its module, which has the other fields. */
function houseGangOf<S, O>(gang: ExposedGang, live: LiveFields<S, O>): object {
  const { id, name, gang: position, room, floor } = gang
  return { id, name, class: gang.class, gang: position, room, floor, ...lightOf(gang), ...liveFieldsOf(gang, live) }
}

/** An entry of the list of states. */
export function stateEntryOf<S>(device: ExposedDevice, live: Pick<LiveFields<S, unknown>, 'state'>): object {
  const { id, name } = device
  return { id, name, class: device.class, state: live.state(device) }
}

/**
 * A unit, module or gang in `GET /v1/devices/{id}` (docs/devices.md#classes): the fields of the house in another order.
 */
export function deviceOf<S, O>(device: ExposedDevice, live: LiveFields<S, O>): object {
  const { id, name, model, room, floor } = device
  const light = lightOf(device)
  const capabilities = live.capabilities(device)
  if (device.type === 'gang') {
    const { class: gangClass, gang } = device
    const own = { kind: 'gang', unit: unitIdOf(device), gang, capabilities }
    return { id, name, class: gangClass, model, room, floor, ...light, ...own, ...liveFieldsOf(device, live) }
  }
  const head = { id, name, class: device.class, model, room, floor, ...light }
  const reach = { ...reachOf(device, live), capabilities }
  if (device.class !== 'gang_module') return { ...head, kind: 'unit', ...reach, ...liveFieldsOf(device, live) }
  const gangs = device.gangs.map((gang) => gangOf(gang, live))
  return { ...head, kind: 'module', ...reach, operations: [], gangs }
}

function gangOf<S, O>(device: ExposedGang, live: LiveFields<S, O>): object {
  const { id, name, room, floor, gang } = device
  return { id, name, class: device.class, room, floor, gang, ...lightOf(device), ...liveFieldsOf(device, live) }
}

/** A scene in `GET /v1/devices/{id}`. */
export function sceneDeviceOf({ id, name, room, floor }: ExposedScene, running: boolean) {
  const sceneClass = 'scene' as const
  return {
    id,
    name,
    class: sceneClass,
    kind: sceneClass,
    room,
    floor,
    operations: ['run'] as const,
    state: { running },
  }
}

/** Current values of the fields that states decide. */
export function liveValues(home: LiveHome): LiveFields<StateJson, readonly string[]> {
  return {
    state: (device) => stateOf(device, home),
    operations: (device) => operationsNow(device, home),
    capabilities: (device) => shownCapabilities(device, home),
    reachable: (unit) => home.reachable(unit.key),
    lastSeen: (unit) => lastSeenOf(unit, home),
  }
}

export function stateOf(device: ExposedDevice, live: LiveHome): StateJson {
  const cached = live.states.get(device.key)
  return cached ? { ...cached.state, asOf: cached.asOf } : null
}

/** The `light` field of a switch; other devices have none. */
function lightOf(device: ExposedDevice): { readonly light?: boolean | null } {
  return switchesAnyLoad(device.class) ? { light: device.light } : {}
}

function reachOf<S>(unit: ExposedDevice, live: Pick<LiveFields<S, unknown>, 'reachable' | 'lastSeen'>): object {
  return { reachable: live.reachable(unit), lastSeen: live.lastSeen(unit) }
}

function liveFieldsOf<S, O>(device: ExposedDevice, live: LiveFields<S, O>): { operations: O; state: S } {
  return { operations: live.operations(device), state: live.state(device) }
}

/** Id of a gang's module: a gang's id is its module's id with the gang's position appended (Spec 2.2). */
function unitIdOf(gang: ExposedGang): string {
  return gang.id.slice(0, gang.id.lastIndexOf(':'))
}
