import type { DeviceKey } from './device.ts'

/**
 * Edits of a scene that concern the same: the devices whose steps changed, or null for everybody who sees the scene.
 * From them comes the revision that an integration is shown: edits of steps that it cannot see do not count.
 */
export interface SceneEdits {
  readonly devices: readonly DeviceKey[] | null
  readonly count: number
}

/** The creation concerns everybody. */
export const MADE: SceneEdits = { devices: null, count: 1 }

/** Devices named by the edits of a scene together. Of more, those that were edited longest ago count for everybody. */
export const EDIT_DEVICES_MAX = 256

/** The edits with one more, by which `devices` are concerned. */
export function withEdit(edits: readonly SceneEdits[], devices: readonly DeviceKey[] | null): readonly SceneEdits[] {
  const names = devices?.toSorted() ?? null
  const same = (each: SceneEdits): boolean => JSON.stringify(each.devices) === JSON.stringify(names)
  const count = (edits.find(same)?.count ?? 0) + 1
  const all = [...edits.filter((each) => !same(each)), { devices: names, count }]
  let room = EDIT_DEVICES_MAX
  const from = all.findLastIndex((each) => (room -= each.devices?.length ?? 0) < 0)
  return all.slice(Math.min(from + 1, all.length - 1))
}
