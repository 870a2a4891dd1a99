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
import { randomCode, unusedLetters } from './agent-request.ts'

/** Wait after the first call declined by wrong codes; every further decline doubles it. */
const WAIT_MS = 5 * 60_000
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
  of(link: string): number {
    const leftMs = (this.#store.wait(link)?.until ?? 0) - this.#steady.now()
    return leftMs > 0 ? Math.max(1, Math.ceil(leftMs / 1_000)) : 0
  }

  /** Starts a wait after three wrong codes; runs inside the transaction that declines the call. */
  declined(link: string): void {
    const declines = (this.#store.wait(link)?.declines ?? 0) + 1
    const wait: GuessWait = {
      declines,
      until: this.#steady.now() + Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** (declines - 1)),
    }
    this.#store.setWait(link, wait)
  }

  /** Resets the wait after a person confirmed; runs inside the transaction that stores the confirmation. */
  confirmed(link: string): void {
    this.#store.endWait(link)
  }
}

/** Time that an administrator has to answer. */
export const PENDING_MS = 10 * 60_000
/** Time in which a confirmed call can be repeated and passes (docs/agents.md#confirmation). */
export const CONFIRMED_MS = 2 * 60_000
/** Time for which a declined call is refused without a new confirmation request. */
export const DECLINED_MS = 5 * 60_000
export const WRONG_CODES_MAX = 3
export const PENDING_PER_CREDENTIAL_MAX = 5
const PENDING_MAX = 50
const ID_LETTERS = 4
/** Most pending confirmations of one credential that notify administrators, so that they are not flooded. */
const NOTICES_MAX = 3
/** Rate limit of new confirmations per credential. */
const ASKING = { perSecond: 6 / 60, burst: 6, keysMax: 1_000 }
/** Rate limit of codes per credential over all calls; guessing a million codes takes far too long. */
const GUESSING = { perSecond: 1 / 300, burst: 6, keysMax: 1_000 }
/** Name in the activity for a confirmation by code, which identifies no person. */
const BY_CODE = "a person with the administrator's code"

/** Call that needs a confirmation; `args` is plain data, `what` a phrase for the administrator. */
export interface ConfirmedCall {
  readonly link: string
  readonly subject: string
  readonly op: string
  readonly args: unknown
  readonly what: string
}

export type ConfirmationCheck =
  /** The call may proceed, once; `by` names the person who confirmed. */
  | { readonly kind: 'confirmed'; readonly by: string }
  | { readonly kind: 'asked' | 'wrong_code'; readonly id: string }
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
 * Confirmations of calls that agents may not make alone (Spec 4 rule 2, docs/agents.md#confirmation). The call itself
 * requests one; after an administrator's approval the same call passes once. Every step is stored at once, so a restart
 * neither loses nor repeats a confirmation. Ages count in steady time.
 */
export class Confirmations {
  readonly #parts: ConfirmationsParts
  readonly #expiring: ExpiringRequests<Confirmation>
  readonly #asking: TokenBuckets
  readonly #guessing: TokenBuckets
  readonly #waits: GuessWaits

  constructor(parts: ConfirmationsParts) {
    this.#parts = parts
    this.#asking = new TokenBuckets(parts.clock, ASKING)
    this.#guessing = new TokenBuckets(parts.clock, GUESSING)
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
  take(call: ConfirmedCall, code: string | null): ConfirmationCheck {
    return this.#expiring.change((change) => {
      const known = this.#known(call)
      if (known === undefined) return this.#ask(call, change)
      switch (known.state) {
        case 'confirmed':
          return this.#use(known, confirmedBy(known), change)
        case 'declined':
          return this.#declined(known)
        case 'pending':
          return code === null ? { kind: 'asked', id: known.id } : this.#guess(known, code, change)
      }
    })
  }

  /** Result that `take` would give without a code. Requests no confirmation and uses none. */
  peek(call: ConfirmedCall): ConfirmationCheck | { readonly kind: 'not_asked' } {
    const known = this.#known(call)
    switch (known?.state) {
      case undefined:
        return { kind: 'not_asked' }
      case 'confirmed':
        return { kind: 'confirmed', by: confirmedBy(known) }
      case 'declined':
        return this.#declined(known)
      case 'pending':
        return { kind: 'asked', id: known.id }
    }
  }

  /** Unanswered confirmations, oldest first. */
  pending(): readonly PendingConfirmation[] {
    const isActive = (link: string): boolean => this.#parts.credentials.get(link)?.revokedAt === null
    return this.#expiring
      .current()
      .filter(({ state, link }) => state === 'pending' && isActive(link))
      .map((confirmation) => ({ ...confirmation, expiresAt: this.#expiring.expiresAt(confirmation) }))
  }

  /** Stores an administrator's answer. A confirmed, unused confirmation can still be declined. */
  answer(id: string, confirmed: boolean, by: Cause): Result<Confirmation, 'not_found' | 'decided'> {
    return this.#expiring.change((change) => {
      const known = this.#expiring.current().find((confirmation) => confirmation.id === id.toUpperCase())
      if (known === undefined) return fail('not_found')
      if (known.state === 'declined' || (known.state === 'confirmed' && confirmed)) return fail('decided')
      if (confirmed) this.#waits.confirmed(known.link)
      return ok(this.#decide(known, confirmed ? 'confirmed' : 'declined', by, change))
    })
  }

  /**
   * Unused confirmations for certain subjects, and the part of a change that ends them. After that change such a call
   * would open another unit.
   */
  endingFor(concerns: (subject: string) => boolean): {
    readonly ending: readonly Confirmation[]
    readonly part: ChangePart
  } {
    const ending = this.#expiring.current().filter(({ state, subject }) => state !== 'declined' && concerns(subject))
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

  /** Ends the unused confirmations for certain subjects. */
  end(concerns: (subject: string) => boolean): void {
    const { ending, part } = this.endingFor(concerns)
    if (ending.length === 0) return
    this.#parts.work.change(part.store)
    part.apply()
  }

  stop(): void {
    this.#expiring.stop()
  }

  #known(call: ConfirmedCall): Confirmation | undefined {
    const callSha256 = hashOf(call)
    return this.#expiring.current().find((confirmation) => confirmation.callSha256.equals(callSha256))
  }

  #ask(call: ConfirmedCall, change: RequestChange): ConfirmationCheck {
    const { clock, random, store } = this.#parts
    const all = store.list()
    const pending = all.filter((confirmation) => confirmation.state === 'pending')
    const own = pending.filter((confirmation) => confirmation.link === call.link)
    const [oldest] = own.length >= PENDING_PER_CREDENTIAL_MAX ? own : pending.length >= PENDING_MAX ? pending : []
    if (oldest) return { kind: 'too_many', retryAfter: this.#secondsTo(endOf(oldest)) }
    const wait = this.#asking.take(call.link)
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
    return { kind: 'asked', id: confirmation.id }
  }

  #guess(known: Confirmation, code: string, change: RequestChange): ConfirmationCheck {
    const wait = this.#waits.of(known.link) || this.#guessing.take(known.link)
    if (wait > 0) return { kind: 'too_many', retryAfter: wait }
    if (code === known.code) {
      this.#waits.confirmed(known.link)
      return this.#use(known, BY_CODE, change)
    }
    const guessed = { ...known, wrongCodes: known.wrongCodes + 1 }
    if (guessed.wrongCodes >= WRONG_CODES_MAX) {
      this.#waits.declined(known.link)
      return this.#declined(this.#decide(guessed, 'declined', GATEWAY_CAUSE, change))
    }
    this.#parts.store.update(guessed)
    return { kind: 'wrong_code', id: known.id }
  }

  /** Removed before the unit moves: a crash in between costs the confirmation but never opens twice. */
  #use(confirmation: Confirmation, by: string, change: RequestChange): ConfirmationCheck {
    this.#parts.store.remove(confirmation.id)
    change.emit({ kind: 'confirmation_ended', confirmation, how: 'used' })
    return { kind: 'confirmed', by }
  }

  #decide(known: Confirmation, state: 'confirmed' | 'declined', by: Cause, change: RequestChange): Confirmation {
    const confirmation: Confirmation = { ...known, state, decision: { steadyAt: change.steadyNow(), by } }
    this.#parts.store.update(confirmation)
    const integration = this.#parts.credentials.get(known.link)?.integration
    if (integration !== undefined) change.recordAccess(integration, `${state} for ${known.link}: ${known.what}`, by)
    change.emit({ kind: 'confirmation_ended', confirmation, how: state })
    return confirmation
  }

  #declined(known: Confirmation): ConfirmationCheck {
    const byCodes = known.wrongCodes >= WRONG_CODES_MAX
    return { kind: 'declined', id: known.id, byCodes, retryAfter: this.#secondsTo(endOf(known)) }
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
  if (state === 'pending' || decision === null) return steadyAskedAt + PENDING_MS
  return decision.steadyAt + (state === 'confirmed' ? CONFIRMED_MS : DECLINED_MS)
}

function hashOf({ link, subject, op, args }: ConfirmedCall): Buffer {
  return createHash('sha256')
    .update(canonicalJson([link, subject, op, args ?? null]))
    .digest()
}
