import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import { isWhole } from '../../exposure/visible-rules.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import { firstUnmapped, type MapReference, mapReferences, type Referring } from '../../home/model/rules.ts'
import type { Refuse } from '../errors.ts'
import type { RefusalDetails } from '../../wire/errors.ts'

/** A rule, or a part of one, with the integration's own ids of the devices and scenes that it names. */
export function withIds<T extends Referring>(rule: T, { ids }: Pick<ExposedHouse, 'ids'>): T {
  const mapped = mapReferences(
    rule,
    (key) => ids.device(key),
    (scene) => ids.of('scene', scene),
  )
  return mapped ?? rule
}

/** A body with device keys and local ids instead; what is not exposed is not found, and named by its place. */
export function withKeys<T extends Referring>(body: T, view: ExposedHouse, refuse: Refuse<'not_found'>): T {
  const mappings = [(id: string) => wholeKey(id, view), (id: string) => view.scene(id)?.local ?? null] as const
  return mapReferences(body, ...mappings) ?? refuse('not_found', missingIn(body, ...mappings))
}

/** How a body is refused that names something which is not there. */
export function missingIn(body: Referring, ...mappings: readonly [MapReference, MapReference]): RefusalDetails {
  const field = firstUnmapped(body, ...mappings)
  return field === null ? {} : { field }
}

function wholeKey(id: string, view: ExposedHouse): DeviceKey | null {
  const key = view.device(id)?.key
  return key !== undefined && isWhole(key, view) ? key : null
}
