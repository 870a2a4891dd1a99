import type { HomeMessage } from '../home/model/messages.ts'
import { type RuleScope, showsAll } from './visible-rules.ts'

/** True if an integration sees a message: one for everyone that names nothing hidden. */
export function isMessageVisible({ to, subjects }: Pick<HomeMessage, 'to' | 'subjects'>, view: RuleScope): boolean {
  return to === 'everyone' && showsAll(subjects, view)
}
