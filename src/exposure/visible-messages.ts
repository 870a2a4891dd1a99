import type { HomeMessage } from '../home/model/messages.ts'
import { type Integration, isOfPeople } from './integration.ts'
import { type RuleScope, showsAll } from './visible-rules.ts'

/**
 * True if an integration sees a message: one for everyone that names nothing hidden. The people of the home also see
 * those for the home.
 */
export function isMessageVisible(
  { to, subjects }: Pick<HomeMessage, 'to' | 'subjects'>,
  view: RuleScope & { readonly integration: Integration },
): boolean {
  return (to === 'everyone' || (to === 'home' && isOfPeople(view.integration))) && showsAll(subjects, view)
}
