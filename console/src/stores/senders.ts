import { signal } from '@preact/signals'
import type { Sender } from '../lib/admin-contract.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

let isShown = false

/** Whose requests are not heard for a day, kept right while somebody reads it. */
export const blocked = signal<readonly Sender[]>([], {
  watched: () => {
    isShown = true
    void readOrLeave()
  },
  unwatched: () => {
    isShown = false
  },
})

onPushed('access', ({ kind }) => {
  if (isShown && kind === 'agent_request_ended') void readOrLeave()
})

/** Takes requests of an address again that was turned away. @throws HmError */
export async function hearAgain(address: string): Promise<void> {
  await admin.call('delete', '/admin/v1/agents/senders/{id}', { path: { id: address } })
  if (isShown) await readOrLeave()
}

/** Without an answer the connection is lost, and what was there is shown on. */
async function readOrLeave(): Promise<void> {
  try {
    blocked.value = (await admin.call('get', '/admin/v1/agents/senders')).blocked
  } catch {
    return
  }
}
