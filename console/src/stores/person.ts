import { effect, signal } from '@preact/signals'
import { connected } from './home.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

/** Who is signed in here, as the activity names them; null before that is known. */
export const person = signal<string | null>(null)

async function read(): Promise<void> {
  const { sessions } = await admin.call('get', '/admin/v1/sessions')
  person.value = sessions.find(({ own }) => own)?.name ?? null
}

const readOrLeave = (): void => void read().catch(() => undefined)

effect(() => {
  if (connected.value) readOrLeave()
})
onPushed('access', ({ kind }) => {
  if (kind === 'changed') readOrLeave()
})
