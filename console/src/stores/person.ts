import { computed, effect, signal } from '@preact/signals'
import type { ConsoleSession } from '../admin-contract.ts'
import { connected } from './home.ts'
import { onPushed } from './pushed.ts'
import { admin, signedIn } from './session.ts'

/** The session of this browser; null before it is known. Its `person` is null until somebody gave a name in it. */
export const session = signal<ConsoleSession | null>(null)

/** Who is signed in here, as the activity names them; null before that is known. */
export const person = computed(() => session.value?.name ?? null)

async function read(): Promise<void> {
  const { session: own } = await admin.call('get', '/admin/v1/session')
  if (signedIn.peek() !== false) session.value = own
}

/** Says whether this is a device of one's own, on which the session lasts longer. @throws HmError */
export async function setOwnDevice(ownDevice: boolean): Promise<void> {
  const { session: own } = await admin.call('patch', '/admin/v1/session', { body: { ownDevice } })
  session.value = own
}

const readOrLeave = (): void => void read().catch(() => undefined)

effect(() => {
  if (connected.value) readOrLeave()
})
effect(() => {
  if (signedIn.value === false) session.value = null
})
onPushed('access', ({ kind }) => {
  if (kind === 'changed') readOrLeave()
})
