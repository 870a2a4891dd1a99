import type { ExposedDevice, ExposedScene } from '../exposure/exposed-house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import { operationsNow } from './house-json.ts'

/** A state with the moment of its confirmation inside, or null before the unit was heard. */
export function stateOf(device: ExposedDevice, live: LiveHome): (Record<string, unknown> & { asOf: number }) | null {
  const cached = live.states.get(device.key)
  return cached ? { ...cached.state, asOf: cached.asOf } : null
}

/** One unit, module or gang as `GET /v1/devices/{id}` shows it (D4): the shape of the house, with its class and kind. */
export function deviceOf(device: ExposedDevice, live: LiveHome): Record<string, unknown> {
  const common = {
    id: device.id,
    name: device.name,
    class: device.class,
    model: device.model,
    room: device.room,
    floor: device.floor,
  }
  if (device.type === 'gang') {
    return {
      ...common,
      kind: 'gang',
      unit: unitIdOf(device),
      gang: device.gang,
      operations: operationsNow(device, live),
      state: stateOf(device, live),
    }
  }
  if (device.class === 'gang_module') {
    const gangs = device.gangs.map((gang) => {
      const { kind: _kind, unit: _unit, model: _model, ...shown } = deviceOf(gang, live)
      return shown
    })
    return { ...common, kind: 'module', operations: [], gangs }
  }
  return { ...common, kind: 'unit', operations: operationsNow(device, live), state: stateOf(device, live) }
}

export function sceneDeviceOf(scene: ExposedScene, running: boolean): Record<string, unknown> {
  return {
    id: scene.id,
    name: scene.name,
    class: 'scene',
    kind: 'scene',
    room: scene.room,
    floor: scene.floor,
    operations: ['run'],
    state: { running },
  }
}

/** A gang's id is its module's id with the gang's position behind it (Spec 2.2). */
function unitIdOf(gang: ExposedDevice): string {
  return gang.id.slice(0, gang.id.lastIndexOf(':'))
}
