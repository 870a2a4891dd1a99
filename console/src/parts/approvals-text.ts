import type { Confirmation } from '../lib/admin-contract.ts'
import { confirmations, requests } from '../stores/approvals.ts'
import { words } from '../words/approvals.ts'

/** One sentence about the waiting requests; null if there are none. */
export function approvalsText(): string | null {
  const [request, confirmation] = [requests.value[0], confirmations.value[0]]
  const count = requests.value.length + confirmations.value.length
  if (count > 1) return words.several(count)
  if (confirmation) return openingWords(confirmation)
  return request ? words.asksForAccess(words.via(request.name, request.platform)) : null
}

/** Names the agent and the locks in quotes; without locks it uses the gateway's description. */
export function openingWords({ label, what, scene, opens = [] }: Confirmation): string {
  const names = opens.map(({ name }) => name)
  if (scene !== undefined) return words.wantsToRun(label, scene, names)
  return names.length === 0 ? words.wants(label, what) : words.wantsToOpen(label, names)
}
