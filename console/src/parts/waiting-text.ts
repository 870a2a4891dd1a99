import { confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'

/** Who waits for a person's word, as one sentence; null where nobody does. */
export function waitingText(): string | null {
  const [request, confirmation] = [requests.value[0], confirmations.value[0]]
  const count = requests.value.length + confirmations.value.length
  if (count > 1) return words.several(count)
  if (confirmation) return words.wantsToOpen(confirmation.label)
  return request ? words.asksForAccess(words.via(request.name, request.platform)) : null
}
