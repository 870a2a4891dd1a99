import { DAY_MS } from '../../lib/durations.ts'

export const PRESENCES = ['home', 'away', 'unknown'] as const
export type PresenceState = (typeof PRESENCES)[number]

/** Presences that rules ask for. */
export const TESTED_PRESENCES = ['home', 'away'] as const satisfies readonly PresenceState[]
export type TestedPresence = (typeof TESTED_PRESENCES)[number]

/** Stands for all persons: home while one of them is, away when all are, else unknown. No person has this id. */
export const ANYONE = 'anyone'
/** Age at which entries of presence are deleted. */
export const PRESENCE_KEPT_MS = 7 * DAY_MS
/** Name of the cause of a presence that a console in the home network showed. */
export const CONSOLE_USED = 'console'

/** A person of the home. */
export interface HomePerson {
  readonly id: string
  readonly name: string
}

/** A changed presence of a person or of `anyone`. */
export interface PresenceChange {
  readonly person: string
  readonly is: PresenceState
  readonly before: PresenceState
}

/** The presence of `anyone`. Without persons it is unknown. */
export function anyoneOf(states: readonly PresenceState[]): PresenceState {
  if (states.includes('home')) return 'home'
  return states.length > 0 && states.every((state) => state === 'away') ? 'away' : 'unknown'
}

/** A person, or `anyone`, is home or away from now on, and stays so for `for` seconds if given. */
export interface PresenceTrigger {
  readonly person: string
  readonly is: TestedPresence
  readonly for?: number
}

/** A person, or `anyone`, is home or away. An unknown presence passes no test. */
export interface PresenceCondition {
  readonly person: string
  readonly is: TestedPresence
}
