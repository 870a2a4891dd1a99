import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import { isWhole } from '../../exposure/visible-rules.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import { mapReferences, type Referring } from '../../home/rules/references.ts'

/** A rule, or a part of one, with the integration's own ids of the devices and scenes that it names. */
export function withIds<T extends Referring>(rule: T, { ids }: Pick<ExposedHouse, 'ids'>): T {
  const mapped = mapReferences(
    rule,
    (key) => ids.device(key),
    (scene) => ids.of('scene', scene),
  )
  return mapped ?? rule
}

/** A body with device keys and local ids instead; null where it names what is not exposed. */
export function withKeys<T extends Referring>(body: T, view: ExposedHouse): T | null {
  return mapReferences(
    body,
    (id) => wholeKey(id, view),
    (id) => view.scene(id)?.local ?? null,
  )
}

function wholeKey(id: string, view: ExposedHouse): DeviceKey | null {
  const key = view.device(id)?.key
  return key !== undefined && isWhole(key, view) ? key : null
}
