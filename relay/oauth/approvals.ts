import { z } from 'zod'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import type { NewAgentRequest, HomeFailure, HomeRefusal } from '../model/homes.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'

/** After this time a request that is still being sent counts as lost, because its node has stopped. */
const SENDING_MAX_MS = 30_000

const Approval = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('asking'), account: z.string(), at: z.int() }),
  z.object({
    kind: z.literal('asked'),
    account: z.string(),
    gateway: z.string(),
    request: z.string(),
    /** `XXXX-XXXX`; the administrators see the same code. */
    code: z.string(),
    expiresAt: z.int(),
  }),
])
type Approval = z.infer<typeof Approval>
type RequestBeingSent = Extract<Approval, { kind: 'asking' }>
/** An agent's request for access to a home, which its administrators decide on. */
export type AccessRequest = Extract<Approval, { kind: 'asked' }>

const Granted = z.object({ gateway: z.string(), request: z.string(), redeemed: z.boolean() })
type Granted = z.infer<typeof Granted>

/**
 * `already_asking`: the request is being sent after an earlier click. `unknown_record`: the integration is unknown.
 */
export type AccessRequestFailure = HomeFailure | HomeRefusal | { readonly kind: 'already_asking' | 'unknown_record' }

/** Access requests by the id of their authorization, and accepted ones by the id of their grant. */
export class Approvals {
  readonly #homes: Homes
  readonly #clock: Clock
  readonly #approvals: Table<Approval>
  readonly #granted: Table<Granted>

  constructor(parts: { readonly store: Store; readonly homes: Homes; readonly clock: Clock }) {
    this.#homes = parts.homes
    this.#clock = parts.clock
    this.#approvals = new Table(parts.store, 'flows', Approval)
    this.#granted = new Table(parts.store, 'flows', Granted)
  }

  /** The access request of an authorization; `asking` while it is being sent, null before. */
  async requestOf(flow: string): Promise<AccessRequest | 'asking' | null> {
    const approval = await this.#approvals.get(approvalId(flow))
    if (approval?.kind === 'asked') return approval
    return approval === null || this.#isStale(approval) ? null : 'asking'
  }

  /** Sends the request to this home. An authorization has at most one request. */
  async request(
    flow: string,
    account: string,
    gateway: string,
    agentRequest: NewAgentRequest,
  ): Promise<Result<AccessRequest, AccessRequestFailure>> {
    if (!(await this.#begin(flow, account))) return fail({ kind: 'already_asking' })
    const sent = await this.#homes.requestAccess(gateway, agentRequest)
    if (!sent.ok) {
      await this.#approvals.delete(approvalId(flow))
      const { error } = sent
      const isUnknown = error.kind === 'refused' && error.code === 'not_found' && agentRequest.record !== null
      return isUnknown ? fail({ kind: 'unknown_record' }) : sent
    }
    const access: AccessRequest = { kind: 'asked', account, gateway, ...sent.value }
    await this.#approvals.put(approvalId(flow), access)
    return ok(access)
  }

  /** Stores an accepted request. Its tokens can then be redeemed with the grant's code. */
  async grant(grant: string, { gateway, request }: AccessRequest): Promise<void> {
    await this.#granted.put(grantId(grant), { gateway, request, redeemed: false })
  }

  /** Redeems a grant; null if it has expired. `isFirst` is true for exactly one caller. */
  async redeem(grant: string): Promise<(Granted & { readonly isFirst: boolean }) | null> {
    const redeem = (granted: Granted): Granted | null => (granted.redeemed ? null : { ...granted, redeemed: true })
    const first = await this.#granted.change(grantId(grant), redeem)
    if (first !== null) return { ...first, isFirst: true }
    return this.redeemed(grant)
  }

  /** Returns a grant that was already redeemed; null if it was not or has expired. */
  async redeemed(grant: string): Promise<(Granted & { readonly isFirst: false }) | null> {
    const granted = await this.#granted.get(grantId(grant))
    return granted?.redeemed === true ? { ...granted, isFirst: false } : null
  }

  /** Makes the grant redeemable again, because the gateway did not respond. */
  async release(grant: string): Promise<void> {
    await this.#granted.change(grantId(grant), (granted) => ({ ...granted, redeemed: false }))
  }

  async #begin(flow: string, account: string): Promise<boolean> {
    const sending: Approval = { kind: 'asking', account, at: this.#clock.now() }
    if (await this.#approvals.create(approvalId(flow), sending)) return true
    const replaced = await this.#approvals.change(approvalId(flow), (stored) =>
      stored.kind === 'asking' && this.#isStale(stored) ? sending : null,
    )
    return replaced !== null
  }

  #isStale({ at }: RequestBeingSent): boolean {
    return this.#clock.now() - at >= SENDING_MAX_MS
  }
}

const approvalId = (flow: string): string => hashedId(`approval ${flow}`)
const grantId = (grant: string): string => hashedId(`granted ${grant}`)
