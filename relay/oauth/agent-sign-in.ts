import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { z } from 'zod'
import { fail, type Result } from '@hm-gateway/lib/result.ts'
import type { Account } from '../accounts/account.ts'
import { Counts } from '../limits/counts.ts'
import type { Enrolment } from '../enrolment/enrolment.ts'
import type { AgentRequestStatus, HomeFailure } from '../model/homes.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import type { Asked, AccessRequestFailure } from './approvals.ts'
import { type ClientFacts, clientFacts } from './clients.ts'
import { audienceOf, integrationOf, resourceOf, SCOPE } from './protected-resources.ts'
import type { OAuthServer } from './server.ts'
import type { RelayParts } from '../store/parts.ts'

/** Pages that wait for a decision at one time, of one account and altogether; more are answered at once. */
export const WAITS_OF_ACCOUNT_MAX = 4
export const WAITS_MAX = 2_000

const Params = z.looseObject({
  client_id: z.string(),
  redirect_uri: z.string(),
  code_challenge: z.string(),
  resource: z.union([z.string(), z.array(z.string()).length(1)]),
})

/** An authorization that waits for its person, in the browser that began it. */
export interface Flow {
  readonly id: string
  readonly client: ClientFacts
  readonly clientId: string
  readonly challenge: string
  readonly door: string
  /** The integration that the agent is to get, or null for whichever the administrator chooses. */
  readonly record: string | null
}

export interface AgentSignInParts extends Pick<RelayParts, 'origin' | 'clock'> {
  readonly oauth: OAuthServer
  readonly enrolment: Enrolment
  readonly homes: Homes
  /** An OAuth client may act for an account from now on. */
  readonly approved: (account: string, client: string) => Promise<void>
}

/** What the pages do for an agent that wants in: ask a home's administrators, wait for their word, bring the answer. */
export class AgentSignIn {
  readonly #parts: AgentSignInParts
  /** Pages that wait, by account. */
  readonly #waits = new Counts()
  #waiting = 0

  constructor(parts: AgentSignInParts) {
    this.#parts = parts
  }

  /** The authorization of this path, if this browser began it and it is not over. */
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

  /** What was asked in this authorization, that it is being asked just now, or null: nothing yet. */
  asked(flow: Flow): Promise<Asked | 'asking' | null> {
    return this.#parts.oauth.approvals.asked(flow.id)
  }

  /** Asks the administrators of the home that the person picked. */
  async ask(
    flow: Flow,
    account: Account,
    gateway: string | null,
    peer: string,
  ): Promise<Result<Asked, AccessRequestFailure | { readonly kind: 'not_linked' }>> {
    const linked = await this.#parts.enrolment.homesOf(account)
    if (gateway === null || !linked.includes(gateway)) return fail({ kind: 'not_linked' })
    return this.#parts.oauth.approvals.ask(flow.id, account.id, gateway, {
      name: flow.client.name,
      platform: flow.client.redirectHost,
      record: flow.record,
      client: flow.clientId,
      redirectHost: flow.client.redirectHost,
      challenge: flow.challenge,
      door: flow.door,
      account: account.email,
      peer,
    })
  }

  /** Whether one more page may wait for the decision. */
  mayWait({ account }: Asked): boolean {
    return this.#waits.of(account) < WAITS_OF_ACCOUNT_MAX && this.#waiting < WAITS_MAX
  }

  /** The decision as it is, waited for up to 25 s unless too many wait already. */
  async decision(asked: Asked, signal: AbortSignal): Promise<Result<AgentRequestStatus, HomeFailure>> {
    const { homes, clock } = this.#parts
    if (clock.now() >= asked.expiresAt) return { ok: true, value: 'expired' }
    if (!this.mayWait(asked) || signal.aborted) return { ok: true, value: 'pending' }
    const over = this.#waits.add(asked.account)
    this.#waiting += 1
    try {
      return await homes.agentRequest(asked.gateway, asked.request, signal)
    } finally {
      over()
      this.#waiting -= 1
    }
  }

  /** Where the browser goes with the administrators' yes. */
  async accepted(flow: Flow, asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<string> {
    const { origin, oauth } = this.#parts
    const grant = new oauth.provider.Grant({ accountId: asked.account, clientId: flow.clientId })
    // As scope of the engine and of the resource: with one of them alone the engine asks again and again.
    grant.addOIDCScope(`${SCOPE} offline_access`)
    grant.addResourceScope(resourceOf(origin, flow.door), SCOPE)
    grant.addResourceScope(`${resourceOf(origin, flow.door)}/`, SCOPE)
    const grantId = await grant.save()
    await oauth.approvals.grant(grantId, asked)
    await oauth.keepClient(flow.clientId)
    await this.#parts.approved(asked.account, flow.clientId)
    const login = { accountId: asked.account, remember: false }
    return oauth.provider.interactionResult(request, response, { login, consent: { grantId } })
  }

  /** Where the browser goes with a no: the agent is told in OAuth's form. */
  refused(sentence: string, request: IncomingMessage, response: ServerResponse): Promise<string> {
    const answer = { error: 'access_denied', error_description: sentence }
    return this.#parts.oauth.provider.interactionResult(request, response, answer)
  }

  #flow(id: string, params: z.infer<typeof Params>, clientName: string | undefined): Flow | null {
    const [resource = ''] = [params.resource].flat()
    const door = audienceOf(this.#parts.origin, resource)
    if (door === null) return null
    return {
      id,
      client: clientFacts({ clientId: params.client_id, clientName, redirectUri: params.redirect_uri }),
      clientId: params.client_id,
      challenge: params.code_challenge,
      door,
      record: integrationOf(door),
    }
  }
}
