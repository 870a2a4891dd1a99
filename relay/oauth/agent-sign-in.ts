import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { z } from 'zod'
import { fail, type Result } from '@hm-gateway/lib/result.ts'
import type { Account } from '../accounts/account.ts'
import { Counts } from '../limits/counts.ts'
import type { Enrolment } from '../enrolment/enrolment.ts'
import type { AgentRequestStatus, HomeFailure } from '../model/homes.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import type { AccessRequest, AccessRequestFailure } from './approvals.ts'
import { type ClientFacts, clientFacts } from './clients.ts'
import { audienceOf, integrationOf, resourceOf, SCOPE } from './protected-resources.ts'
import type { OAuthServer } from './server.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Pages that wait for a decision, per account and in total. Further pages get an immediate response. */
export const WAITS_OF_ACCOUNT_MAX = 4
export const WAITS_MAX = 2_000

const Params = z.looseObject({
  client_id: z.string(),
  redirect_uri: z.string(),
  code_challenge: z.string(),
  resource: z.union([z.string(), z.array(z.string()).length(1)]),
})

/** A running authorization in the browser that began it. */
export interface Flow {
  readonly id: string
  readonly client: ClientFacts
  readonly clientId: string
  readonly challenge: string
  readonly audience: string
  /** Id of the requested integration; null if the administrator chooses it. */
  readonly record: string | null
}

export interface AgentSignInParts extends Pick<RelayParts, 'origin' | 'clock'> {
  readonly oauth: OAuthServer
  readonly enrolment: Enrolment
  readonly homes: Homes
  /** Called when an OAuth client gets access for an account. */
  readonly onApproved: (account: string, client: string) => Promise<void>
}

/** Sign-in of an agent, for the pages: requests access from a home's administrators and returns their decision. */
export class AgentSignIn {
  readonly #parts: AgentSignInParts
  /** Waiting pages by account. */
  readonly #waits = new Counts()
  #waitsInAll = 0

  constructor(parts: AgentSignInParts) {
    this.#parts = parts
  }

  /** Returns the running authorization with this id; null if another browser began it or it has ended. */
  async current(id: string, request: IncomingMessage, response: ServerResponse): Promise<Flow | null> {
    const { provider } = this.#parts.oauth
    try {
      const interaction = await provider.interactionDetails(request, response)
      const params = Params.safeParse(interaction.params)
      if (interaction.uid !== id || !params.success) return null
      const client = await provider.Client.find(params.data.client_id)
      return client === undefined ? null : this.#flow(id, params.data, client.clientName)
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return null
      throw error
    }
  }

  /** The access request of this authorization; `asking` while it is being sent, null before. */
  requestOf(flow: Flow): Promise<AccessRequest | 'asking' | null> {
    return this.#parts.oauth.approvals.requestOf(flow.id)
  }

  /** Requests access from the administrators of the home that the person chose. */
  async requestAccess(
    flow: Flow,
    account: Account,
    gateway: string | null,
    peer: string,
  ): Promise<Result<AccessRequest, AccessRequestFailure | { readonly kind: 'not_linked' }>> {
    const linked = await this.#parts.enrolment.homesOf(account)
    if (gateway === null || !linked.includes(gateway)) return fail({ kind: 'not_linked' })
    return this.#parts.oauth.approvals.request(flow.id, account.id, gateway, {
      name: flow.client.name,
      platform: flow.client.redirectHost,
      record: flow.record,
      client: flow.clientId,
      redirectHost: flow.client.redirectHost,
      challenge: flow.challenge,
      door: flow.audience,
      account: account.email,
      peer,
    })
  }

  /** True if one more page may wait for the decision. */
  mayWait({ account }: AccessRequest): boolean {
    return this.#waits.of(account) < WAITS_OF_ACCOUNT_MAX && this.#waitsInAll < WAITS_MAX
  }

  /** Waits up to 25 s for the decision, unless too many pages wait already. */
  async decision(access: AccessRequest, signal: AbortSignal): Promise<Result<AgentRequestStatus, HomeFailure>> {
    const { homes, clock } = this.#parts
    if (clock.now() >= access.expiresAt) return { ok: true, value: 'expired' }
    if (!this.mayWait(access) || signal.aborted) return { ok: true, value: 'pending' }
    const release = this.#waits.add(access.account)
    this.#waitsInAll += 1
    try {
      return await homes.agentRequest(access.gateway, access.request, signal)
    } finally {
      release()
      this.#waitsInAll -= 1
    }
  }

  /** Grants the access and returns the redirect to the agent's platform. */
  async accept(flow: Flow, access: AccessRequest, request: IncomingMessage, response: ServerResponse): Promise<string> {
    const { origin, oauth } = this.#parts
    const grant = new oauth.provider.Grant({ accountId: access.account, clientId: flow.clientId })
    // The engine needs the scope twice, for itself and for the resource; otherwise it starts the interaction again.
    grant.addOIDCScope(`${SCOPE} offline_access`)
    grant.addResourceScope(resourceOf(origin, flow.audience), SCOPE)
    grant.addResourceScope(`${resourceOf(origin, flow.audience)}/`, SCOPE)
    const grantId = await grant.save()
    await oauth.approvals.grant(grantId, access)
    await oauth.keepClient(flow.clientId)
    await this.#parts.onApproved(access.account, flow.clientId)
    const login = { accountId: access.account, remember: false }
    return oauth.provider.interactionResult(request, response, { login, consent: { grantId } })
  }

  /** Returns the redirect to the agent's platform with the error `access_denied`. */
  refuse(sentence: string, request: IncomingMessage, response: ServerResponse): Promise<string> {
    const result = { error: 'access_denied', error_description: sentence }
    return this.#parts.oauth.provider.interactionResult(request, response, result)
  }

  #flow(id: string, params: z.infer<typeof Params>, clientName: string | undefined): Flow | null {
    const [resource = ''] = [params.resource].flat()
    const audience = audienceOf(this.#parts.origin, resource)
    if (audience === null) return null
    return {
      id,
      client: clientFacts({ clientId: params.client_id, clientName, redirectUri: params.redirect_uri }),
      clientId: params.client_id,
      challenge: params.code_challenge,
      audience,
      record: integrationOf(audience),
    }
  }
}
