import type { Refuse } from '../api/errors.ts'
import type { Cause } from '../home/model/events.ts'
import type { Removable } from '../home/model/missing.ts'
import type { ChangePart } from '../home/ports/activity-log.ts'
import type { Rules } from '../home/rules/rules.ts'
import { usersOf, usersOff } from '../home/rules/users.ts'

/** The rules whose references a removal checks. */
export type ReferringRules = Pick<Rules, 'automations' | 'schedules' | 'switches'>

/** A request to remove a thing that rules may name. */
interface Removing {
  readonly query: { readonly force?: 'true' | 'false' | undefined }
  readonly cause: Cause
  readonly refuse: Refuse
}

/** Rules that name a thing, as `automation Dusk (id)`. */
export function userWords(kind: Removable, id: string, rules: Pick<Rules, 'automations' | 'schedules'>): string[] {
  return usersOf(kind, id, rules).map((user) => `${user.kind} ${user.name} (${user.id})`)
}

/**
 * Refuses to remove a thing that rules name. With force it returns the changes that belong to the removal: these rules
 * are turned off, so that none runs without a part of it.
 *
 * @param what kind of thing, as in `The scene is used by …`
 */
export function releasedBy(
  { query, cause, refuse }: Removing,
  [kind, id, what]: readonly [kind: Removable, id: string, what: string],
  rules: ReferringRules,
): () => readonly ChangePart[] {
  const users = userWords(kind, id, rules)
  if (users.length > 0 && query.force !== 'true')
    refuse('validation', {
      message: `The ${what} is used by ${users.join(', ')}: change or delete them first, or repeat this with force (--force, in the API force=true), which turns them off.`,
    })
  return () => usersOff(usersOf(kind, id, rules), rules, cause)
}
