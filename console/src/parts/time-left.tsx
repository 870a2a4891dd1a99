import type { JSX } from 'preact'
import { gatewayNow, secondsLeft, type Span } from '../stores/gateway-clock.ts'
import { words } from '../words/approvals.ts'

/** How long something waits still, `9:12 left`, by the gateway's clock. */
export function TimeLeft({ from, until }: Span): JSX.Element {
  const seconds = secondsLeft({ from, until }, gatewayNow.value)
  if (seconds <= 0) return <span class="left">{words.over}</span>
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return <span class="left">{words.left(time)}</span>
}
