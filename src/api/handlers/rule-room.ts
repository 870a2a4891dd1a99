import type { RuleKind } from '../../home/model/rules.ts'
import {
  type NoRoom,
  RULES_BYTES_MAX,
  RULES_BYTES_OF_ONE_MAX,
  RULES_OF_ONE_MAX,
} from '../../home/rules/rule-repository.ts'
import type { Refuse } from '../errors.ts'

const KIB = 1024

/** Says which bound is reached, and what helps: to wait does not. */
export function refuseNoRoom(kind: RuleKind, { of, by }: NoRoom, refuse: Refuse): never {
  const whose = of === 'home' ? `The ${kind}s of the home` : `The ${kind}s that this integration saved`
  if (by === 'bytes') {
    const most = (of === 'home' ? RULES_BYTES_MAX : RULES_BYTES_OF_ONE_MAX) / KIB
    return refuse('validation', {
      message: `${whose} take as much room as they may (${most} KiB): make some shorter, or an administrator has to delete one first.`,
    })
  }
  return refuse('validation', {
    message:
      of === 'home'
        ? `The home has as many ${kind}s as it can hold: an administrator has to delete one first.`
        : `${whose} are ${RULES_OF_ONE_MAX}, as many as one may have: an administrator has to delete one first.`,
  })
}
