import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Confirmation } from '../lib/admin-contract.ts'
import { gatewayNow, secondsLeft, type Span } from '../stores/gateway-clock.ts'
import { confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'

/** Who waits for a person's word, as one sentence; null where nobody does. */
export function waitingText(): string | null {
  const [request, confirmation] = [requests.value[0], confirmations.value[0]]
  const count = requests.value.length + confirmations.value.length
  if (count > 1) return words.several(count)
  if (confirmation) return openingWords(confirmation)
  return request ? words.asksForAccess(words.via(request.name, request.platform)) : null
}

/** Who wants to open what, each by its name in quotes; in the gateway's words where it is there no more. */
export function openingWords({ label, what, scene, opens = [] }: Confirmation): string {
  const names = opens.map(({ name }) => name)
  if (scene !== undefined) return words.wantsToRun(label, scene, names)
  return names.length === 0 ? words.wants(label, what) : words.wantsToOpen(label, names)
}

/** How long something waits still, `9:12 left`, by the gateway's clock. */
export function TimeLeft({ from, until }: Span): JSX.Element {
  const seconds = secondsLeft({ from, until }, gatewayNow.value)
  if (seconds <= 0) return <span class="left">{words.over}</span>
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return <span class="left">{words.left(time)}</span>
}

/** What appears under a finger that was on its way elsewhere is not meant yet. */
const ASLEEP_MS = 700

/** False for a moment after something appeared: nobody can have meant to press it. */
export function useAwake(): boolean {
  const isAwake = useSignal(false)
  useEffect(() => {
    const timer = window.setTimeout(() => (isAwake.value = true), ASLEEP_MS)
    return () => window.clearTimeout(timer)
  }, [isAwake])
  return isAwake.value
}
