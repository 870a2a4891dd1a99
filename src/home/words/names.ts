/**
 * What stands for everything that the reader may not see: always the same, so that it tells nothing about what it
 * stands for.
 */
export const OUTSIDE = 'something outside this integration'

/** Names for people; null for what the reader may not see or what is no longer there. */
export interface Names {
  device(key: string): string | null
  scene(id: string): string | null
}

export function deviceName(key: string, names: Names): string {
  return names.device(key) ?? OUTSIDE
}

export function sceneName(id: string, names: Names): string {
  return names.scene(id) ?? OUTSIDE
}
