import type { JSX } from 'preact'
import { gatewayNow } from '../stores/gateway-clock.ts'
import { words } from '../words/approvals.ts'

/** How long something waits still, `9:12 left`, by the gateway's clock. `until` in epoch milliseconds. */
export function TimeLeft({ until }: { readonly until: number }): JSX.Element {
  const seconds = Math.ceil((until - gatewayNow.value) / 1000)
  if (seconds <= 0) return <span class="left">{words.over}</span>
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return <span class="left">{words.left(time)}</span>
}
