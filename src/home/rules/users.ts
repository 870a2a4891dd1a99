import type { Cause } from '../model/events.ts'
import type { Removable } from '../model/missing.ts'
import { referencesOf } from '../model/rule-parts.ts'
import type { RuleKind } from '../model/rules.ts'
import type { ChangePart } from '../ports/activity-log.ts'
import { runKey } from '../ports/rule-store.ts'
import type { Rules } from './rules.ts'

/** The text names nothing: the removed thing may be hidden from the reader. */
const LOSES = 'turned off: something that it names was removed'

/** A rule that names a thing. */
interface RuleUser {
  readonly kind: RuleKind
  readonly id: string
  readonly name: string
  readonly enabled: boolean
}

/** The rules that name a thing, without the thing itself. */
export function usersOf(
  kind: Removable,
  id: string,
  rules: Pick<Rules, 'automations' | 'schedules'>,
): readonly RuleUser[] {
  return (['automation', 'schedule'] as const).flatMap((of) =>
    rules[`${of}s`]
      .list()
      .filter(
        (rule) => referencesOf(rule)[kind].has(id) && !(kind === 'rules' && runKey({ kind: of, id: rule.id }) === id),
      )
      .map(({ id: own, name, enabled }) => ({ kind: of, id: own, name, enabled })),
  )
}

/** Turns the users of a thing off for good, in the transaction that removes it. */
export function usersOff(
  users: readonly RuleUser[],
  { automations, schedules, switches }: Pick<Rules, 'automations' | 'schedules' | 'switches'>,
  cause: Cause,
): readonly ChangePart[] {
  const enabledOf = (of: RuleKind): readonly string[] =>
    users.filter(({ kind, enabled: runs }) => kind === of && runs).map(({ id }) => id)
  const stay: ChangePart = {
    store: () => {},
    apply: () => {
      for (const { kind, id } of users) switches.endAt({ kind, id }, false, null, cause)
    },
  }
  return [
    automations.switchedOff(enabledOf('automation'), LOSES, cause),
    schedules.switchedOff(enabledOf('schedule'), LOSES, cause),
    stay,
  ]
}
