import { effect, signal } from '@preact/signals'
import type { AgentRequest, Confirmation } from '../admin-contract.ts'
import { connected } from './home.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

/** What waits for a person's word: agents that ask for access, and openings to be confirmed. */
export const requests = signal<readonly AgentRequest[]>([])
export const confirmations = signal<readonly Confirmation[]>([])

/** Reads both again. */
export async function readWaiting(): Promise<void> {
  const [asking, opening] = await Promise.all([
    admin.call('get', '/admin/v1/agents/requests'),
    admin.call('get', '/admin/v1/confirmations'),
  ])
  requests.value = asking.requests
  confirmations.value = opening.confirmations
}

const readOrLeave = (): void => void readWaiting().catch(() => undefined)

// Whatever came or went while nobody listened is read once the stream is there.
effect(() => {
  if (connected.value) readOrLeave()
})
onPushed('access', ({ kind }) => {
  if (kind !== 'changed' && kind !== 'watching') readOrLeave()
})
