import type { HomeMessage } from '../home/model/messages.ts'
import { type RuleScope, showsAll } from './visible-rules.ts'

/** True if an integration sees a message: one for everyone that names nothing hidden. */
export function isMessageVisible(
  { to, subjects }: Pick<HomeMessage, 'to' | 'subjects'>,
  view: RuleScope & { showsRoom(local: string): boolean },
): boolean {
  const { rooms = [], ...named } = subjects
  return to === 'everyone' && showsAll(named, view) && rooms.every((room) => view.showsRoom(room))
}
