import { effect, signal } from '@preact/signals'
import type { AgentRequest, AgentsAcceptBody, Confirmation, DecidedRequest } from '../lib/admin-contract.ts'
import { connected } from './home.ts'
import { keptReading } from './kept-reading.ts'
import { onPushed } from './pushed.ts'
import { admin, signedIn } from './session.ts'

/** What waits for a person's word, the oldest first: agents that ask for access, and openings to be confirmed. */
export const requests = signal<readonly AgentRequest[]>([])
export const confirmations = signal<readonly Confirmation[]>([])

/** What the stream told of since it is there; the rest ended while nobody listened. */
let told = new Set<string>()

effect(() => {
  if (!connected.value || !signedIn.value) told = new Set()
  if (signedIn.value !== false) return
  requests.value = []
  confirmations.value = []
})

onPushed('access', (event) => {
  switch (event.kind) {
    case 'agent_request':
      if (isPending(event.request)) requests.value = withNew(requests.value, event.request, idOfRequest)
      return
    case 'agent_request_ended':
      return removeRequest(event.request)
    case 'confirmation':
      confirmations.value = withNew(confirmations.value, event.confirmation, idOfConfirmation)
      return
    case 'confirmation_ended':
      return removeConfirmation(event.confirmation)
    case 'watching':
      requests.value = requests.value.filter((each) => told.has(idOfRequest(each)))
      confirmations.value = confirmations.value.filter((each) => told.has(idOfConfirmation(each)))
      return
    case 'agent_ended':
    case 'changed':
      return
  }
})

/** Lets an agent in, in the way that was chosen. @throws HmError with the gateway's own sentence */
export async function accept(request: AgentRequest, choice: AgentsAcceptBody): Promise<void> {
  await admin.call('post', '/admin/v1/agents/requests/{id}/accept', { path: { id: request.request }, body: choice })
  removeRequest(request)
}

/** Turns an agent away; with `block` everything that its sender asks, for a day. @throws HmError */
export async function deny(request: AgentRequest, block: boolean): Promise<void> {
  await admin.call('post', '/admin/v1/agents/requests/{id}/deny', { path: { id: request.request }, body: { block } })
  removeRequest(request)
}

/** Confirms one call of an agent, or declines it: until it was used also after it was confirmed. @throws HmError */
export async function answer(confirmation: Confirmation, confirm: boolean): Promise<void> {
  await admin.call('post', '/admin/v1/confirmations/{id}', { path: { id: confirmation.id }, body: { confirm } })
  removeConfirmation(confirmation)
}

const idOfRequest = ({ request }: AgentRequest): string => request
const idOfConfirmation = ({ id }: Confirmation): string => id

function removeRequest({ request }: Pick<AgentRequest, 'request'>): void {
  requests.value = requests.value.filter((each) => each.request !== request)
}

function removeConfirmation({ id }: Pick<Confirmation, 'id'>): void {
  confirmations.value = confirmations.value.filter((each) => each.id !== id)
}

/** One that was decided already has no end to wait for. */
const isPending = (request: DecidedRequest): request is AgentRequest =>
  request.expiresAt !== undefined && request.known !== undefined

/** The list with a thing that was told of: in the place where it stood, else last. */
function withNew<T>(list: readonly T[], fresh: T, idOf: (each: T) => string): readonly T[] {
  const id = idOf(fresh)
  told.add(id)
  return list.some((each) => idOf(each) === id)
    ? list.map((each) => (idOf(each) === id ? fresh : each))
    : [...list, fresh]
}

const senders = keptReading(async () => (await admin.call('get', '/admin/v1/agents/senders')).blocked)

/** Whose requests are not heard for a day, kept right while somebody reads it; null before it was read. */
export const blocked = senders.value

onPushed('access', ({ kind }) => {
  if (kind === 'agent_request_ended') senders.readIfShown()
})

/** Takes requests of an address again that was turned away. @throws HmError */
export async function hearAgain(address: string): Promise<void> {
  await admin.call('delete', '/admin/v1/agents/senders/{id}', { path: { id: address } })
  await senders.read()
}
