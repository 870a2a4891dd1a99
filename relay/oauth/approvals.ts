import { z } from 'zod'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import type { NewAgentRequest, HomeFailure, HomeRefusal } from '../model/homes.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'

/** A home that is being asked for longer than this is not being asked any more: a node ended meanwhile. */
const ASKING_MS = 30_000

const Approval = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('asking'), account: z.string(), at: z.int() }),
  z.object({
    kind: z.literal('asked'),
    account: z.string(),
    gateway: z.string(),
    request: z.string(),
    /** What the administrators see as well, `XXXX-XXXX`. */
    code: z.string(),
    expiresAt: z.int(),
  }),
])
type Approval = z.infer<typeof Approval>
type Asking = Extract<Approval, { kind: 'asking' }>
/** What was asked of a home's administrators in one authorization. */
export type Asked = Extract<Approval, { kind: 'asked' }>

const Granted = z.object({ gateway: z.string(), request: z.string(), redeemed: z.boolean() })
type Granted = z.infer<typeof Granted>

/** `already_asking`: another click of the same person is under way. `unknown_record`: the home has no such integration. */
export type AccessRequestFailure = HomeFailure | HomeRefusal | { readonly kind: 'already_asking' | 'unknown_record' }

/** Requests of agents under way, by the id of their authorization; and what was granted, by the id of the grant. */
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

  /** What was asked in this authorization, that it is being asked just now, or null. */
  async asked(flow: string): Promise<Asked | 'asking' | null> {
    const approval = await this.#approvals.get(approvalId(flow))
    if (approval?.kind === 'asked') return approval
    return approval === null || this.#isStale(approval) ? null : 'asking'
  }

  /** Asks this home and no other; one authorization has at most one request under way. */
  async ask(
    flow: string,
    account: string,
    gateway: string,
    ask: NewAgentRequest,
  ): Promise<Result<Asked, AccessRequestFailure>> {
    if (!(await this.#begin(flow, account))) return fail({ kind: 'already_asking' })
    const asked = await this.#homes.requestAccess(gateway, ask)
    if (!asked.ok) {
      await this.#approvals.delete(approvalId(flow))
      const isUnknown = asked.error.kind === 'refused' && asked.error.code === 'not_found' && ask.record !== null
      return isUnknown ? fail({ kind: 'unknown_record' }) : asked
    }
    const approval: Asked = { kind: 'asked', account, gateway, ...asked.value }
    await this.#approvals.put(approvalId(flow), approval)
    return ok(approval)
  }

  /** The request was accepted: whoever comes with a code of this grant gets its tokens. */
  async grant(grant: string, { gateway, request }: Asked): Promise<void> {
    await this.#granted.put(grantId(grant), { gateway, request, redeemed: false })
  }

  /** The grant of a code, or null if it is over; `isFirst` for exactly one caller. */
  async redeem(grant: string): Promise<(Granted & { readonly isFirst: boolean }) | null> {
    const redeem = (granted: Granted): Granted | null => (granted.redeemed ? null : { ...granted, redeemed: true })
    const first = await this.#granted.change(grantId(grant), redeem)
    if (first !== null) return { ...first, isFirst: true }
    return this.redeemed(grant)
  }

  /** The grant of a code that was redeemed before; null if it was not, or is over. */
  async redeemed(grant: string): Promise<(Granted & { readonly isFirst: false }) | null> {
    const granted = await this.#granted.get(grantId(grant))
    return granted?.redeemed === true ? { ...granted, isFirst: false } : null
  }

  /** The gateway could not be asked: whoever comes next may try. */
  async release(grant: string): Promise<void> {
    await this.#granted.change(grantId(grant), (granted) => ({ ...granted, redeemed: false }))
  }

  async #begin(flow: string, account: string): Promise<boolean> {
    const asking: Approval = { kind: 'asking', account, at: this.#clock.now() }
    if (await this.#approvals.create(approvalId(flow), asking)) return true
    const stale = await this.#approvals.change(approvalId(flow), (now) =>
      now.kind === 'asking' && this.#isStale(now) ? asking : null,
    )
    return stale !== null
  }

  #isStale({ at }: Asking): boolean {
    return this.#clock.now() - at >= ASKING_MS
  }
}

const approvalId = (flow: string): string => hashedId(`approval ${flow}`)
const grantId = (grant: string): string => hashedId(`granted ${grant}`)
