import type { GuessWait, GuessWaitStore, Confirmation, ConfirmationStore } from './confirmation.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import { createHash } from 'node:crypto'
import { type Cause, GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { ChangePart } from '../../home/ports/activity-log.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Random } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { TokenBuckets } from '../../lib/token-bucket.ts'
import type { CredentialReader } from '../credentials/credentials.ts'
import { type ExpiringParts, ExpiringRequests, type RequestChange } from './expiring-requests.ts'
import { randomCode, unusedLetters } from './spoken-codes.ts'

/** Wait after the first call declined by wrong codes; every further decline doubles it. */
const FIRST_WAIT_MS = 5 * 60_000
const WAIT_MS_MAX = 24 * 60 * 60_000

/**
 * Waiting times of credentials after wrong codes. A confirmation by a person resets the doubling. Waits are stored, so
 * a restart does not shorten them.
 */
class GuessWaits {
  readonly #store: GuessWaitStore
  readonly #steady: Pick<SteadyTime, 'now'>

  constructor(store: GuessWaitStore, steady: Pick<SteadyTime, 'now'>) {
    this.#store = store
    this.#steady = steady
  }

  /** Seconds until this credential may try another code; 0 if it may now. */
  secondsOf(link: string): number {
    const leftMs = (this.#store.wait(link)?.until ?? 0) - this.#steady.now()
    return leftMs > 0 ? Math.max(1, Math.ceil(leftMs / 1_000)) : 0
  }

  /** Starts a longer wait after three wrong codes; runs inside the transaction that declines the call. */
  extend(link: string): void {
    const declines = (this.#store.wait(link)?.declines ?? 0) + 1
    const wait: GuessWait = {
      declines,
      until: this.#steady.now() + Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (declines - 1)),
    }
    this.#store.setWait(link, wait)
  }

  /** Resets the wait after a person confirmed; runs inside the transaction that stores the confirmation. */
  reset(link: string): void {
    this.#store.endWait(link)
  }
}

/** Time that an administrator has to answer. */
export const CONFIRMATION_LIFE_MS = 10 * 60_000
/** Time in which a confirmed call can be repeated and passes (docs/agents.md#confirmation). */
export const CONFIRMED_MS = 2 * 60_000
/** Time for which a declined call is refused without a new confirmation request. */
export const DECLINED_MS = 5 * 60_000
/** Wrong codes after which the call is declined. */
export const WRONG_CODES_MAX = 3
export const PENDING_PER_CREDENTIAL_MAX = 5
const PENDING_MAX = 50
const ID_LETTERS = 4
/** Most pending confirmations of one credential that notify administrators, so that they are not flooded. */
const NOTICES_MAX = 3
/** Rate limit of new confirmations per credential. */
const REQUEST_RATE = { perSecond: 6 / 60, burst: 6, keysMax: 1_000 }
/** Rate limit of codes per credential over all calls, too slow to guess one of a million codes. */
const CODE_RATE = { perSecond: 1 / 300, burst: 6, keysMax: 1_000 }
/** Name in the activity for a confirmation by code, which identifies no person. */
const BY_CODE = "a person with the administrator's code"

/** Call that needs a confirmation; `args` is plain data, `what` a phrase for the administrator. */
export interface ConfirmedCall {
  /** A credential, or the record of a person. */
  readonly link: string
  readonly subject: string
  readonly op: string
  readonly args: unknown
  readonly what: string
}

export type ConfirmationCheck =
  /** The call may proceed, once; `by` names the person who confirmed. */
  | { readonly kind: 'confirmed'; readonly by: string }
  | { readonly kind: 'requested' | 'wrong_code'; readonly id: string }
  /**
   * `retryAfter` in seconds: no new confirmation request before that. `byCodes`: declined by wrong codes, not by a
   * person.
   */
  | { readonly kind: 'declined'; readonly id: string; readonly byCodes: boolean; readonly retryAfter: number }
  | { readonly kind: 'too_many'; readonly retryAfter: number }

/** A confirmation as administrators see it; `expiresAt` in epoch ms. */
export interface PendingConfirmation extends Confirmation {
  readonly expiresAt: number
}

interface ConfirmationsParts extends ExpiringParts {
  readonly store: ConfirmationStore
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly random: Random
}

/**
 * Confirmations of calls that agents, and records that ask, may not make alone (Spec 4 rule 2,
 * docs/agents.md#confirmation). The call itself requests one; after an administrator's approval the same call passes
 * once. Every step is stored at once, so a restart neither loses nor repeats a confirmation. Ages count in steady time.
 */
export class Confirmations {
  readonly #parts: ConfirmationsParts
  readonly #expiring: ExpiringRequests<Confirmation>
  readonly #requestLimits: TokenBuckets
  readonly #codeLimits: TokenBuckets
  readonly #waits: GuessWaits

  constructor(parts: ConfirmationsParts) {
    this.#parts = parts
    this.#requestLimits = new TokenBuckets(parts.clock, REQUEST_RATE)
    this.#codeLimits = new TokenBuckets(parts.clock, CODE_RATE)
    this.#waits = new GuessWaits(parts.store, parts.steady)
    this.#expiring = new ExpiringRequests(parts, {
      list: () => parts.store.list(),
      idOf: ({ id }) => id,
      endOf,
      expire: (confirmation, change) => {
        parts.store.remove(confirmation.id)
        // The event of a declined call was emitted when it was declined.
        if (confirmation.state !== 'declined') change.emit({ kind: 'confirmation_ended', confirmation, how: 'expired' })
      },
    })
  }

  /**
   * Uses the confirmation of a call, or requests one. One transaction, so only one of several simultaneous calls
   * passes.
   */
  useOrRequest(call: ConfirmedCall, code: string | null): ConfirmationCheck {
    return this.#expiring.change((change) => {
      const found = this.#find(call)
      if (found === undefined) return this.#request(call, change)
      switch (found.state) {
        case 'confirmed':
          return this.#use(found, confirmedBy(found), change)
        case 'declined':
          return this.#declinedCheck(found)
        case 'pending':
          return code === null ? { kind: 'requested', id: found.id } : this.#tryCode(found, code, change)
      }
    })
  }

  /** Result that `useOrRequest` would give without a code. Requests no confirmation and uses none. */
  peek(call: ConfirmedCall): ConfirmationCheck | { readonly kind: 'not_requested' } {
    const found = this.#find(call)
    switch (found?.state) {
      case undefined:
        return { kind: 'not_requested' }
      case 'confirmed':
        return { kind: 'confirmed', by: confirmedBy(found) }
      case 'declined':
        return this.#declinedCheck(found)
      case 'pending':
        return { kind: 'requested', id: found.id }
    }
  }

  /** Unanswered confirmations, oldest first. */
  pending(): readonly PendingConfirmation[] {
    // A link without a credential is the record of a person.
    const isActive = (link: string): boolean => (this.#parts.credentials.get(link)?.revokedAt ?? null) === null
    return this.#expiring
      .current()
      .filter(({ state, link }) => state === 'pending' && isActive(link))
      .map((confirmation) => ({ ...confirmation, expiresAt: this.#expiring.expiresAt(confirmation) }))
  }

  /**
   * Stores a person's answer. A confirmed, unused confirmation can still be declined. Those that the person may not
   * answer do not exist for them.
   */
  answer(
    id: string,
    confirmed: boolean,
    by: Cause,
    mayAnswer: (confirmation: Confirmation) => boolean = () => true,
  ): Result<Confirmation, 'not_found' | 'decided'> {
    return this.#expiring.change((change) => {
      const found = this.#expiring.current().find((confirmation) => confirmation.id === id.toUpperCase())
      if (found === undefined || !mayAnswer(found)) return fail('not_found')
      if (found.state === 'declined' || (found.state === 'confirmed' && confirmed)) return fail('decided')
      if (confirmed) this.#waits.reset(found.link)
      return ok(this.#decide(found, confirmed ? 'confirmed' : 'declined', by, change))
    })
  }

  /**
   * Unused confirmations whose subject matches, and the part of a change that ends them. After that change such a call
   * would open another unit.
   */
  endingFor(matches: (subject: string) => boolean): {
    readonly ending: readonly Confirmation[]
    readonly part: ChangePart
  } {
    const ending = this.#expiring.current().filter(({ state, subject }) => state !== 'declined' && matches(subject))
    return {
      ending,
      part: {
        store: () => {
          for (const { id } of ending) this.#parts.store.remove(id)
        },
        apply: () => {
          for (const confirmation of ending)
            this.#parts.events.emit({ kind: 'confirmation_ended', confirmation, how: 'expired' })
          this.#expiring.recheck()
        },
      },
    }
  }

  /** Ends the unused confirmations whose subject matches. */
  end(matches: (subject: string) => boolean): void {
    const { ending, part } = this.endingFor(matches)
    if (ending.length === 0) return
    this.#parts.work.change(part.store)
    part.apply()
  }

  stop(): void {
    this.#expiring.stop()
  }

  #find(call: ConfirmedCall): Confirmation | undefined {
    const callSha256 = hashOf(call)
    return this.#expiring.current().find((confirmation) => confirmation.callSha256.equals(callSha256))
  }

  #request(call: ConfirmedCall, change: RequestChange): ConfirmationCheck {
    const { clock, random, store } = this.#parts
    const all = store.list()
    const pending = all.filter((confirmation) => confirmation.state === 'pending')
    const own = pending.filter((confirmation) => confirmation.link === call.link)
    const [oldest] = own.length >= PENDING_PER_CREDENTIAL_MAX ? own : pending.length >= PENDING_MAX ? pending : []
    if (oldest) return { kind: 'too_many', retryAfter: this.#secondsTo(endOf(oldest)) }
    const wait = this.#requestLimits.take(call.link)
    if (wait > 0) return { kind: 'too_many', retryAfter: wait }
    const { link, subject, op, what } = call
    const confirmation: Confirmation = {
      id: unusedLetters(
        random,
        ID_LETTERS,
        all.map(({ id }) => id),
      ),
      link,
      subject,
      callSha256: hashOf(call),
      op,
      what,
      code: randomCode(random),
      wrongCodes: 0,
      askedAt: clock.now(),
      steadyAskedAt: change.steadyNow(),
      state: 'pending',
      decision: null,
    }
    store.insert(confirmation)
    change.emit({ kind: 'confirmation', confirmation, notice: own.length < NOTICES_MAX })
    return { kind: 'requested', id: confirmation.id }
  }

  #tryCode(found: Confirmation, code: string, change: RequestChange): ConfirmationCheck {
    const wait = this.#waits.secondsOf(found.link) || this.#codeLimits.take(found.link)
    if (wait > 0) return { kind: 'too_many', retryAfter: wait }
    if (code === found.code) {
      this.#waits.reset(found.link)
      return this.#use(found, BY_CODE, change)
    }
    const updated = { ...found, wrongCodes: found.wrongCodes + 1 }
    if (updated.wrongCodes >= WRONG_CODES_MAX) {
      this.#waits.extend(found.link)
      return this.#declinedCheck(this.#decide(updated, 'declined', GATEWAY_CAUSE, change))
    }
    this.#parts.store.update(updated)
    return { kind: 'wrong_code', id: found.id }
  }

  /** Removes the confirmation before the unit moves, so that a crash in between never opens twice. */
  #use(confirmation: Confirmation, by: string, change: RequestChange): ConfirmationCheck {
    this.#parts.store.remove(confirmation.id)
    change.emit({ kind: 'confirmation_ended', confirmation, how: 'used' })
    return { kind: 'confirmed', by }
  }

  #decide(found: Confirmation, state: 'confirmed' | 'declined', by: Cause, change: RequestChange): Confirmation {
    const confirmation: Confirmation = { ...found, state, decision: { steadyAt: change.steadyNow(), by } }
    this.#parts.store.update(confirmation)
    const integration = this.#parts.credentials.get(found.link)?.integration ?? found.link
    change.recordAccess(integration, `${state} for ${found.link}: ${found.what}`, by)
    change.emit({ kind: 'confirmation_ended', confirmation, how: state })
    return confirmation
  }

  #declinedCheck(found: Confirmation): ConfirmationCheck {
    const byCodes = found.wrongCodes >= WRONG_CODES_MAX
    return { kind: 'declined', id: found.id, byCodes, retryAfter: this.#secondsTo(endOf(found)) }
  }

  #secondsTo(steady: number): number {
    return Math.max(1, Math.ceil((steady - this.#parts.steady.now()) / 1000))
  }
}

function confirmedBy({ decision }: Confirmation): string {
  return decision?.by.name ?? GATEWAY_CAUSE.name
}

/** Steady ms at which a confirmation ends. */
function endOf({ state, steadyAskedAt, decision }: Confirmation): number {
  if (state === 'pending' || decision === null) return steadyAskedAt + CONFIRMATION_LIFE_MS
  return decision.steadyAt + (state === 'confirmed' ? CONFIRMED_MS : DECLINED_MS)
}

function hashOf({ link, subject, op, args }: ConfirmedCall): Buffer {
  return createHash('sha256')
    .update(canonicalJson([link, subject, op, args ?? null]))
    .digest()
}
