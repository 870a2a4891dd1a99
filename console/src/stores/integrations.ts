import { signal } from '@preact/signals'
import type { Integration } from '../admin-contract.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

let isShown = false
/** The newest reading that was begun; an older one that answers later says nothing new. */
let newest = 0

/** All integrations with their credentials, kept right while somebody reads them; null before they were read. */
export const integrations = signal<readonly Integration[] | null>(null, {
  watched: () => {
    isShown = true
    read()
  },
  unwatched: () => {
    isShown = false
  },
})

onPushed('access', ({ kind }) => {
  if (isShown && (kind === 'changed' || kind === 'watching')) read()
})

function read(): void {
  newest += 1
  const own = newest
  admin.call('get', '/admin/v1/integrations').then(
    (answered) => {
      if (own === newest) integrations.value = answered.integrations
    },
    // Without an answer the connection is lost, and what is there is read again once it is back.
    () => undefined,
  )
}
