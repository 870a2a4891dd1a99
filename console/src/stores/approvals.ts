import { effect, signal } from '@preact/signals'
import type { AgentRequest, AgentsAcceptBody, Confirmation, DecidedRequest } from '../lib/admin-contract.ts'
import { onAdminTopic } from './admin-topics.ts'
import { connected } from './home.ts'
import { words } from '../words/approvals.ts'
import { admin, signedIn } from './session.ts'
import { sharedResource } from './shared-resource.ts'

/** Agents' open requests for access, the oldest first. */
export const requests = signal<readonly AgentRequest[]>([])
/** Openings of locks and gates that wait for confirmation, the oldest first. */
export const confirmations = signal<readonly Confirmation[]>([])

/** Ids received since the stream connected. Older entries ended while the stream was down. */
let receivedIds = new Set<string>()

effect(() => {
  if (!connected.value || !signedIn.value) receivedIds = new Set()
  if (signedIn.value !== false) return
  requests.value = []
  confirmations.value = []
})

onAdminTopic('access', (event) => {
  switch (event.kind) {
    case 'agent_request':
      if (isPending(event.request)) requests.value = withEntry(requests.value, event.request, idOfRequest)
      return
    case 'agent_request_ended':
      return removeRequest(event.request)
    case 'confirmation':
      confirmations.value = withEntry(confirmations.value, event.confirmation, idOfConfirmation)
      return
    case 'confirmation_ended':
      return removeConfirmation(event.confirmation)
    case 'watching':
      requests.value = requests.value.filter((request) => receivedIds.has(idOfRequest(request)))
      confirmations.value = confirmations.value.filter((waiting) => receivedIds.has(idOfConfirmation(waiting)))
      return
    case 'agent_ended':
    case 'changed':
      return
  }
})

/** Shows the request with this matching code, which a member has typed. @throws Error with a message for the page */
export async function findRequest(typed: string): Promise<void> {
  const letters = (code: string): string => code.toUpperCase().replaceAll(/[^A-Z]/g, '')
  const { requests: known } = await admin.call('get', '/admin/v1/agents/requests', { query: { code: typed } })
  const found = known.find(({ code }) => letters(code) === letters(typed))
  if (found === undefined) throw new Error(words.noneWithCode)
  requests.value = withEntry(requests.value, found, idOfRequest)
}

/** Accepts an agent with the chosen access. @throws HmError with the gateway's message */
export async function acceptAgent(request: AgentRequest, choice: AgentsAcceptBody): Promise<void> {
  await admin.call('post', '/admin/v1/agents/requests/{id}/accept', { path: { id: request.code }, body: choice })
  removeRequest(request)
}

/** Denies an agent; `block` also ignores all requests from its address for a day. @throws HmError */
export async function denyAgent(request: AgentRequest, block: boolean): Promise<void> {
  await admin.call('post', '/admin/v1/agents/requests/{id}/deny', { path: { id: request.code }, body: { block } })
  removeRequest(request)
}

/** Confirms or declines an opening. A confirmed one can be declined until the agent uses it. @throws HmError */
export async function answerConfirmation(confirmation: Confirmation, confirm: boolean): Promise<void> {
  await admin.call('post', '/admin/v1/confirmations/{id}', { path: { id: confirmation.id }, body: { confirm } })
  removeConfirmation(confirmation)
}

const idOfRequest = ({ request }: AgentRequest): string => request
const idOfConfirmation = ({ id }: Confirmation): string => id

function removeRequest({ request: ended }: Pick<AgentRequest, 'request'>): void {
  requests.value = requests.value.filter(({ request }) => request !== ended)
}

function removeConfirmation({ id: ended }: Pick<Confirmation, 'id'>): void {
  confirmations.value = confirmations.value.filter(({ id }) => id !== ended)
}

/** A decided request has no expiry. */
const isPending = (request: DecidedRequest): request is AgentRequest =>
  request.expiresAt !== undefined && request.known !== undefined

/** Replaces the entry with the same id, or appends the new one. */
function withEntry<T>(list: readonly T[], fresh: T, idOf: (entry: T) => string): readonly T[] {
  const id = idOf(fresh)
  receivedIds.add(id)
  return list.some((entry) => idOf(entry) === id)
    ? list.map((entry) => (idOf(entry) === id ? fresh : entry))
    : [...list, fresh]
}

const senders = sharedResource(async () => (await admin.call('get', '/admin/v1/agents/senders')).blocked)

/** Addresses whose requests are ignored for a day, current while a page shows them; null before the first answer. */
export const blockedSenders = senders.value

onAdminTopic('access', ({ kind }) => {
  if (kind === 'agent_request_ended') senders.reloadIfShown()
})

/** Accepts requests from a blocked address again. @throws HmError */
export async function unblockSender(address: string): Promise<void> {
  await admin.call('delete', '/admin/v1/agents/senders/{id}', { path: { id: address } })
  await senders.reload()
}
