import type { Device } from '../../../src/home/house/house.ts'
import { type DeviceClass, type DeviceKey, deviceKey } from '../../../src/home/model/device.ts'
import type { Gang, Scene, Unit } from '../../../src/home/model/house.ts'
import { unitOf } from '#support/homes/house-content.ts'

interface SmallUnit {
  readonly id: string
  readonly name: string
  readonly class: Unit['class']
  readonly room?: string | null
  readonly gangs?: readonly Gang[]
}

/** Units and scenes in house format, without a store. */
export function smallHouse(units: readonly SmallUnit[], scenes: readonly Scene[] = []) {
  const devices = new Map<DeviceKey, Device>()
  for (const [index, small] of units.entries()) {
    const unit = unitOf(small.id, index + 1, { model: null, ...small })
    const add = (gang: Gang | null, kind: DeviceClass, name: string, room: string | null): void => {
      const key = deviceKey({ unit: unit.id, gang: gang?.gang ?? null })
      devices.set(key, { key, unit, gang, class: kind, name, room })
    }
    add(null, unit.class, unit.name, unit.room)
    for (const gang of unit.gangs) add(gang, gang.class, gang.name, gang.room)
  }
  return { devices, scenes: new Map(scenes.map((scene) => [scene.id, scene])) }
}
