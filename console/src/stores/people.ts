import { computed, effect } from '@preact/signals'
import type { PresenceSetBody, PresenceShowAnswer } from '../lib/admin-contract.ts'
import { onAdminTopic, type PeopleView } from './admin-topics.ts'
import { isAdministrator, seesPeople, session } from './own-session.ts'
import { admin, owner } from './session.ts'
import { sharedResource } from './shared-resource.ts'

const HIDDEN: PeopleView = { anyone: { is: 'unknown', since: null }, persons: [] }
const resource = sharedResource(async (): Promise<PeopleView> =>
  seesPeople.peek() ? owner.call('get', '/v1/persons') : HIDDEN,
)

/** The presence of the home's people, current while a page shows it; null before the first answer. */
export const people = resource.value
/** Error of the last request; null if it succeeded. */
export const peopleError = resource.error

onAdminTopic('presence', (presences) => {
  people.value = presences
})

export type PresenceWord = PresenceSetBody['is']

/** True if the signed-in person may set the presence of this one: a member only their own. */
export const maySetPresence = (id: string): boolean => isAdministrator.value || id === signedInPerson.value

/** Sets the presence of a person by hand. */
export async function setPresence(id: string, is: PresenceWord): Promise<void> {
  if (isAdministrator.peek()) await admin.call('put', '/admin/v1/persons/{id}/presence', { path: { id }, body: { is } })
  else await owner.call('put', '/v1/persons/{id}/presence', { path: { id }, body: { is } })
}

/** The presence of a person, and its changes of the last 7 days; only for administrators. */
export function presenceOf(id: string): Promise<PresenceShowAnswer> {
  return admin.call('get', '/admin/v1/persons/{id}/presence', { path: { id } })
}

const signedInPerson = computed(() => session.value?.person ?? null)

/** Reports that a person looks at the console: in the home network they are home. */
function reportUse(): void {
  if (document.visibilityState !== 'visible' || signedInPerson.peek() === null) return
  void admin.call('post', '/admin/v1/session/use').catch(() => undefined)
}

effect(() => {
  if (signedInPerson.value !== null) reportUse()
})
document.addEventListener('visibilitychange', reportUse)
