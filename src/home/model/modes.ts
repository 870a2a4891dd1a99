import { DAY_MS } from '../../lib/durations.ts'

/** A mode of the home, such as away or guest. Exactly one holds. */
export interface HomeMode {
  readonly id: string
  readonly name: string
}

/** Modes of every home. They can be renamed but not removed. */
export const BUILT_IN_MODES: readonly HomeMode[] = [
  { id: 'home', name: 'Home' },
  { id: 'away', name: 'Away' },
  { id: 'night', name: 'Night' },
  { id: 'vacation', name: 'Vacation' },
  { id: 'guest', name: 'Guest' },
]
export const FIRST_MODE = 'home'
/** Most modes of one home, with those of every home. */
export const MODES_MAX = 12
/** Longest time until a temporary mode ends. */
export const MODE_UNTIL_MS_MAX = 366 * DAY_MS

/** The modes with those of every home, which a house file may leave out. */
export function completeModes(modes: readonly HomeMode[]): readonly HomeMode[] {
  const named = new Map(modes.map((mode) => [mode.id, mode]))
  const builtIn = new Set(BUILT_IN_MODES.map(({ id }) => id))
  return [...BUILT_IN_MODES.map((mode) => named.get(mode.id) ?? mode), ...modes.filter(({ id }) => !builtIn.has(id))]
}

/** Modes that differ from those of every home. */
export function ownModes(modes: readonly HomeMode[]): readonly HomeMode[] {
  return modes.filter(({ id, name }) => BUILT_IN_MODES.find((mode) => mode.id === id)?.name !== name)
}
