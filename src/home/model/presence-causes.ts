import type { Cause, HeldPresence } from './events.ts'
import { ANYONE, type HomePerson } from './presence.ts'

/** Causes of everything that decides a presence: those of all persons for `anyone`. */
export function causesOf(person: string, persons: readonly (HomePerson & HeldPresence)[]): readonly Cause[] {
  return persons.flatMap(({ id, cause }) => ((person === ANYONE || id === person) && cause !== null ? [cause] : []))
}
