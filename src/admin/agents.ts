import { isIP } from 'node:net'
import type { AgentRequest } from '../auth/agents/agent-request.ts'
import type { Sender } from '../auth/agents/request-senders.ts'
import { shownCode, typedCode } from '../auth/agents/spoken-codes.ts'
import type { Confirmation } from '../auth/agents/confirmation.ts'
import type { Confirmations, PendingConfirmation } from '../auth/agents/confirmations.ts'
import { credentialLabel } from '../auth/credentials/credentials.ts'
import type { Pairing, PendingRequest } from '../auth/agents/pairing.ts'
import type { PairingProblem } from '../auth/agents/token-handout.ts'
import { type Opening, openingsOf } from '../home/words/openings.ts'
import type { Clock } from '../lib/clock.ts'
import type { Result } from '../lib/result.ts'
import { TokenBuckets } from '../lib/token-bucket.ts'
import type { Refuse } from '../api/errors.ts'
import { sceneSubject } from '../api/unlocking.ts'
import { isClaimed, isOwnAgent, isOwnOpening, isOwnRequest, type OwnView, ownViewOf } from './own-agents.ts'
import {
  clientOf,
  type CredentialParts,
  newCredentialFields,
  integrationBy,
  keyOf,
  refuseUnknown,
  revoked,
} from './credentials.ts'
import type {
  agents,
  ConfirmationView,
  OpeningView,
  PendingRequestView,
  RequestView,
  SenderView,
} from './contract/agents.ts'
import type { AdminCaller, AdminHandlersOf } from './dispatch.ts'

export interface AgentParts extends CredentialParts {
  readonly pairing: Pick<Pairing, 'pending' | 'accept' | 'deny' | 'senders' | 'unblock' | 'reserve'>
  readonly confirmations: Pick<Confirmations, 'pending' | 'answer'>
  readonly clock: Clock
}

type Handlers = AdminHandlersOf<typeof agents>

/**
 * Handlers for agents: requests for access, credentials, and calls that wait for a confirmation. Limits for agents do
 * not bind administrators. Members decide about agents of their own record.
 */
export function agentAdminHandlers(parts: AgentParts): Handlers {
  return {
    ...requestHandlers(parts),
    'agents.list': ({ by }) => {
      const view = ownViewOf(by)
      const all = parts.credentials.list().filter((credential) => isOwnAgent(credential, view))
      return { agents: all.map((credential) => keyOf(credential, parts)) }
    },
    'agents.create': ({ body, cause, refuse }) => {
      const integration = integrationBy(body.integration, parts, refuse)
      const { name, platform, session } = body
      const { token, credential } = parts.credentials.create(
        { integration: integration.id, kind: session ? 'session' : 'agent', name, platform },
        cause,
      )
      const suspended = integration.knobs.agent_access === 'off'
      return { ...newCredentialFields(token, credential, parts), suspended }
    },
    'agents.revoke': ({ params, by, cause, refuse }) => {
      const credential = parts.credentials.get(params.id)
      if (!isOwnAgent(credential, ownViewOf(by))) return refuseUnknown('agent', params.id, 'agent list', refuse)
      return revoked(credential, parts, cause)
    },
    ...senderHandlers(parts),
    ...confirmationHandlers(parts),
  }
}

const ADMINISTRATORS_BLOCK = 'Only an administrator can block a sender.'
const OWN_RECORD = 'You can accept an agent for your own access only.'

function requestHandlers(parts: AgentParts): Pick<Handlers, 'agents.requests' | 'agents.accept' | 'agents.deny'> {
  const { pairing } = parts
  const requestsFor = requestsOf(parts)
  return {
    'agents.requests': ({ query: { code = '' }, by, refuse }) => {
      const view = ownViewOf(by)
      return { requests: requestsFor(code, by, view, refuse).map((request) => pendingView(request, view, parts)) }
    },
    'agents.accept': ({ params, body, by, cause, refuse }) => {
      const view = ownViewOf(by)
      const { session, replace, add } = body
      const integration = view === null ? body.integration : view.integration.id
      if (body.integration !== integration && body.integration !== undefined)
        refuse('validation', { message: OWN_RECORD })
      const kind = session ? 'session' : 'agent'
      const choice = { kind, add, ...(integration !== undefined && { integration }) } as const
      const id = decidable(params.id, requestsFor(params.id, by, view, refuse), view, refuse)
      const replaced = replace === undefined ? choice : { ...choice, replaces: replace }
      const accepted = decidedRequest(pairing.accept(id, replaced, cause), refuse)
      const grant = accepted.decision?.grant
      return {
        accepted: requestView(accepted),
        integration: grant?.integration ?? null,
        session: grant?.kind === 'session',
        replaces: grant?.replaces ?? null,
      }
    },
    'agents.deny': ({ params, body, by, cause, refuse }) => {
      const view = ownViewOf(by)
      if (view !== null && body.block) refuse('validation', { message: ADMINISTRATORS_BLOCK })
      const id = decidable(params.id, requestsFor(params.id, by, view, refuse), view, refuse)
      return { denied: requestView(decidedRequest(pairing.deny(id, body, cause), refuse)), blocked: body.block }
    },
  }
}

/** Rate limit of the codes that a member types, too slow to guess the code of another's request. */
const TYPED_CODES = { perSecond: 1 / 60, burst: 10, keysMax: 1_000 }

type RequestsOf = (
  typed: string,
  by: AdminCaller,
  view: OwnView,
  refuse: Refuse<'rate_limited'>,
) => readonly PendingRequest[]

/** Finds the requests that a caller may decide: a member's own, and one whose matching code the member typed. */
function requestsOf({ pairing, clock }: AgentParts): RequestsOf {
  const typedCodes = new TokenBuckets(clock, TYPED_CODES)
  return (typed, { member }, view, refuse) => {
    const all = pairing.pending()
    const own = all.filter((request) => isOwnRequest(request, view))
    if (view === null || typed === '' || own.some((request) => isNamed(request, typed))) return own
    const retryAfter = typedCodes.take(member?.person ?? '')
    if (retryAfter > 0)
      refuse('rate_limited', { message: 'Too many codes were typed. Compare the code, and wait.', retryAfter })
    return [...own, ...all.filter((request) => isClaimed(request, typed))]
  }
}

const isNamed = ({ request, userCode }: PendingRequest, typed: string): boolean =>
  request === typed || userCode === typedCode(typed)

/** Id of the request that a caller may decide. To administrators the pairing itself says why they may not. */
function decidable(
  typed: string,
  requests: readonly PendingRequest[],
  view: OwnView,
  refuse: Refuse<'not_found'>,
): string {
  const found = requests.find((request) => isNamed(request, typed))
  if (view === null || found !== undefined) return found?.request ?? typed
  return refuse('not_found', { message: `No request ${typed} waits for your answer.` })
}

/** Form of an account at the relay; only the relay knows which accounts exist. */
const ACCOUNT = /^[^\s@]+@[^\s@]+$/

function senderHandlers({
  pairing,
}: AgentParts): Pick<Handlers, 'agents.senders' | 'agents.unblock' | 'agents.reserve'> {
  return {
    'agents.senders': () => {
      const { blocked, reserved } = pairing.senders()
      return { blocked: blocked.map(senderView), reserved: reserved && senderView(reserved) }
    },
    'agents.unblock': ({ params, cause, refuse }) => {
      if (pairing.unblock(params.id, cause)) return { unblocked: params.id }
      return refuse('not_found', {
        message: `${params.id} is not blocked; \`bin/hm agent blocks\` lists blocked senders.`,
      })
    },
    'agents.reserve': ({ body: { address, account }, cause, refuse }) => {
      if ((address === undefined) === (account === undefined))
        return refuse('validation', { message: 'Name either an address at home or an account at the relay.' })
      if (address !== undefined && isIP(address) === 0)
        return refuse('validation', { message: `"${address}" is not an IPv4 or IPv6 address.` })
      if (account !== undefined && !ACCOUNT.test(account))
        return refuse('validation', { message: `"${account}" is not an e-mail address of an account.` })
      const reserved =
        account === undefined
          ? pairing.reserve('home', address ?? '', cause)
          : pairing.reserve('cloud', account.toLowerCase(), cause)
      return { reserved: reserved && senderView(reserved) }
    },
  }
}

function senderView({ source, until }: Sender): SenderView {
  const [via = '', address = ''] = source.split(' ', 2)
  return { address, via: via === 'cloud' ? 'cloud' : 'home', until }
}

function confirmationHandlers(parts: AgentParts): Pick<Handlers, `confirmations.${string}` & keyof Handlers> {
  return {
    'confirmations.list': ({ by }) => {
      const view = ownViewOf(by)
      const own = parts.confirmations.pending().filter((confirmation) => isOwnOpening(confirmation, view, parts))
      return { confirmations: own.map((confirmation) => confirmationView(confirmation, parts)) }
    },
    'confirmations.answer': ({ params, body, by, cause, refuse }) => {
      const view = ownViewOf(by)
      const answered = parts.confirmations.answer(params.id, body.confirm, cause, (confirmation) =>
        isOwnOpening(confirmation, view, parts),
      )
      if (answered.ok) return { [body.confirm ? 'confirmed' : 'declined']: confirmationView(answered.value, parts) }
      if (answered.error === 'decided')
        return refuse('validation', { message: `${params.id} has already been answered.` })
      return refuse('not_found', {
        message: `No confirmation ${params.id} is pending; \`bin/hm agent confirm\` lists them.`,
      })
    },
  }
}

/** The stored request after the decision, or a refusal in the decision's words. */
function decidedRequest(result: Result<AgentRequest, PairingProblem>, refuse: Refuse<'not_found'>): AgentRequest {
  if (result.ok) return result.value
  const { kind, message } = result.error
  return refuse(kind === 'not_found' || kind === 'no_integration' ? 'not_found' : 'validation', { message })
}

/** Public fields of a request, without the hash of the polling code and the challenge. */
export function requestView({
  request,
  userCode,
  name,
  platform,
  record,
  hosted,
  suggested,
  via,
  peer,
  askedAt,
}: AgentRequest): RequestView {
  return {
    request,
    code: shownCode(userCode),
    name,
    platform,
    record,
    hosted: hosted !== null,
    client: clientOf(hosted),
    suggested,
    via,
    peer,
    askedAt,
  }
}

/** A pending request, with the credentials that its reader may see. */
export function pendingView(
  pending: PendingRequest,
  view: OwnView,
  { credentials }: Pick<CredentialParts, 'credentials'>,
): PendingRequestView {
  const known = pending.known.filter((link) => isOwnAgent(credentials.get(link), view))
  return { ...requestView(pending), expiresAt: pending.expiresAt, known }
}

export function confirmationView(
  confirmation: Confirmation | PendingConfirmation,
  { credentials, integrations, house }: Pick<CredentialParts, 'credentials' | 'integrations' | 'house'>,
): ConfirmationView {
  const { id, link, what, code, askedAt } = confirmation
  const credential = credentials.get(link)
  const integration = integrations.get(credential?.integration ?? link)
  return {
    id,
    link,
    what,
    ...opened(confirmation, house),
    code,
    askedAt,
    label: credential ? credentialLabel(credential, integration?.name ?? '') : (integration?.name ?? link),
    integration: integration?.name ?? null,
    ...('expiresAt' in confirmation ? { expiresAt: confirmation.expiresAt } : {}),
  }
}

/** The locks and gates that would open now; empty if the scene has changed since the request. */
function opened(
  { subject }: Pick<Confirmation, 'subject'>,
  { devices, scenes }: CredentialParts['house'],
): Pick<ConfirmationView, 'scene' | 'opens'> {
  const device = devices.get(subject)
  if (device) return { opens: [openingView({ device, after: 0 })] }
  const scene = [...scenes.values()].find((candidate) => sceneSubject(candidate) === subject)
  if (!scene) return {}
  return { scene: scene.name, opens: openingsOf(scene.steps, (key) => devices.get(key)).map(openingView) }
}

const openingView = ({ device: { key, name, class: kind, unit }, after }: Opening): OpeningView => ({
  id: key,
  name,
  class: kind,
  model: unit.model,
  after,
})
