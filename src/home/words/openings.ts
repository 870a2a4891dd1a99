import type { Device } from '../house/house.ts'
import { type DeviceKey, opensEntrance } from '../model/device.ts'
import type { Unit } from '../model/house.ts'
import type { SceneStep } from '../model/steps.ts'
import { durationWords } from './values.ts'

/** Names of an entrance in a confirmation; an agent that may rename can change only `name`. */
type Entrance = Pick<Device, 'key' | 'class' | 'name'> & Pick<Unit, 'model'>

/** A lock or gate for the person who confirms its opening: `lock "Front door" (HMLK front-door)`. */
export function entranceWords({ key, class: kind, name, model }: Entrance): string {
  return `${kind} ${JSON.stringify(name)} (${model === null ? '' : `${model} `}${key})`
}

/** A lock or gate that opens, and after how many seconds. */
export interface Opening {
  readonly device: Device
  readonly after: number
}

/** Openings by the steps of a scene, in their order. */
export function openingsOf(
  steps: readonly SceneStep[],
  deviceOf: (key: DeviceKey) => Device | undefined,
): readonly Opening[] {
  const openings: Opening[] = []
  let waited = 0
  for (const step of steps) {
    if ('delay' in step) waited += step.delay
    const device = 'device' in step ? deviceOf(step.device) : undefined
    if (!('device' in step) || !device || !opensEntrance(device.class, step.op)) continue
    openings.push({ device, after: waited })
  }
  return openings
}

/** Openings in words, with the waits before: `lock … at once, gate … after 5 min`. */
export function openingsWords(openings: readonly Opening[]): string {
  return openings
    .map(({ device, after }) => {
      const entrance = entranceWords({ ...device, model: device.unit.model })
      return `${entrance} ${after === 0 ? 'at once' : `after ${durationWords(after)}`}`
    })
    .join(', ')
}
