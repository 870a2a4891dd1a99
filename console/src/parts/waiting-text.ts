import type { Confirmation } from '../lib/admin-contract.ts'
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
