import { computed, effect, signal } from '@preact/signals'
import type { ConsoleSession } from '../lib/admin-contract.ts'
import { connected } from './home.ts'
import { onPushed } from './pushed.ts'
import { admin, signedIn } from './session.ts'

/** The session of this browser; null before it is known. Its `person` is null until somebody gave a name in it. */
export const session = signal<ConsoleSession | null>(null)

/**
 * Whether nobody administers the home by name yet, as far as whoever has no name themselves is told: of a home that
 * somebody looks after nobody who came in by a link is offered to put another in its place.
 */
export const nobodyByName = signal(false)

/** Whether who is signed in here can come in again without a link, as far as is known. */
export const comesBack = signal(true)

/** Whether the session of this page was asked for: what it says stands above every page. */
export const isPersonRead = signal(false)

/** Who is signed in here, as the activity names them; null before that is known. */
export const person = computed(() => session.value?.name ?? null)

async function read(): Promise<void> {
  const { session: own, comesBack: canCome } = await admin.call('get', '/admin/v1/session')
  const isFirst = own?.person === null && (await admin.call('get', '/admin/v1/persons')).persons.length === 0
  if (signedIn.peek() === false) return
  session.value = own
  comesBack.value = canCome
  nobodyByName.value = isFirst
}

/** Says whether this is a device of one's own, on which the session lasts longer. @throws HmError */
export async function setOwnDevice(ownDevice: boolean): Promise<void> {
  const { session: own } = await admin.call('patch', '/admin/v1/session', { body: { ownDevice } })
  session.value = own
}

const readOrLeave = (): void =>
  void read()
    .catch(() => undefined)
    .finally(() => (isPersonRead.value = true))

effect(() => {
  if (connected.value) readOrLeave()
})
effect(() => {
  if (signedIn.value !== false) return
  isPersonRead.value = false
  session.value = null
  comesBack.value = true
  nobodyByName.value = false
})
onPushed('access', ({ kind }) => {
  if (kind === 'changed') readOrLeave()
})
