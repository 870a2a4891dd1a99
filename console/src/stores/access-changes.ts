import { signal } from '@preact/signals'
import { onPushed } from './pushed.ts'

/** Grows with each change of an integration, credential, person, passkey or session. */
export const accessChanges = signal(0)

onPushed('access', ({ kind }) => {
  if (kind === 'changed') accessChanges.value += 1
})
