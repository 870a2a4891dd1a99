import { createHash } from 'node:crypto'
import { type Cause, GATEWAY_CAUSE } from '../home/model/cause.ts'
import type { UnitOfWork } from '../home/ports/activity-log.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { Random } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { TokenBuckets } from '../lib/token-bucket.ts'
import type { AccessEvent } from './access-event.ts'
import type { Confirmation, ConfirmationStore } from './confirmation.ts'
import { randomCode, randomLetters } from './confirmation-words.ts'
import type { CredentialReader } from './credential.ts'
import type { SteadyTime } from './steady-time.ts'

/** How long an administrator has to answer. */
export const PENDING_MS = 10 * 60_000
/** D4: a confirmed call passes within this time. */
export const CONFIRMED_MS = 2 * 60_000
/** How long a declined call is declined without anybody being asked again. */
export const DECLINED_MS = 5 * 60_000
export const WRONG_CODES_MAX = 3
export const PENDING_PER_CREDENTIAL_MAX = 5
export const PENDING_MAX = 50
/** Of one credential so many pending ones call for attention: more would only wear the administrators out. */
const NOTICES_MAX = 3
/** New requests of one credential. */
const ASKING = { perSecond: 6 / 60, burst: 6, keysMax: 1_000 }
/** Codes that one credential may try, whatever the calls: a million codes are never gone through. */
const GUESSING = { perSecond: 1 / 300, burst: 6, keysMax: 1_000 }
/** Who spoke, where only the code tells that somebody did. */
const BY_CODE = "a person with the administrator's code"

/** The one call that a confirmation is for; `args` is plain data, `what` words for the administrator. */
export interface ConfirmedCall {
  readonly link: string
  readonly subject: string
  readonly op: string
  readonly args: unknown
  readonly what: string
}

export type Taken =
  /** It may go on now, and never again on the same word; `by` says whose word it is. */
  | { readonly kind: 'confirmed'; readonly by: string }
  | { readonly kind: 'asked' | 'wrong_code'; readonly id: string }
  /** `retryAfter`, in seconds: until then nobody is asked. */
  | { readonly kind: 'declined'; readonly id: string; readonly retryAfter: number }
  | { readonly kind: 'too_many'; readonly retryAfter: number }

/** A confirmation as administrators see it; `expiresAt` in epoch ms. */
export interface PendingConfirmation extends Confirmation {
  readonly expiresAt: number
}

type Ended = Extract<AccessEvent, { kind: 'confirmation_ended' }>['how']

/**
 * The words of persons that agents need for what they may not do alone (Spec 4 rule 2, D4): the call itself asks, an administrator
 * answers, and the very same call passes once. Everything is stored when it happens, so that a restart loses no word and doubles
 * none; ages are counted in steady time.
 */
export class Confirmations {
  readonly #store: ConfirmationStore
  readonly #credentials: Pick<CredentialReader, 'get'>
  readonly #work: UnitOfWork
  readonly #steady: Pick<SteadyTime, 'now' | 'save'>
  readonly #clock: Clock
  readonly #random: Random
  readonly #events: Pick<Emitter<AccessEvent>, 'emit'>
  readonly #asking: TokenBuckets
  readonly #guessing: TokenBuckets
  #cancel = (): void => {}

  constructor(parts: {
    store: ConfirmationStore
    credentials: Pick<CredentialReader, 'get'>
    work: UnitOfWork
    steady: Pick<SteadyTime, 'now' | 'save'>
    clock: Clock
    random: Random
    events: Pick<Emitter<AccessEvent>, 'emit'>
  }) {
    this.#store = parts.store
    this.#credentials = parts.credentials
    this.#work = parts.work
    this.#steady = parts.steady
    this.#clock = parts.clock
    this.#random = parts.random
    this.#events = parts.events
    this.#asking = new TokenBuckets(parts.clock, ASKING)
    this.#guessing = new TokenBuckets(parts.clock, GUESSING)
    this.#await()
  }

  /** Uses the word for a call up, or asks for it. One transaction: of calls at the same time only one passes. */
  take(call: ConfirmedCall, code: string | null): Taken {
    return this.#change((events, record) => {
      const callSha256 = hashOf(call)
      const known = this.#current(events).find((each) => each.callSha256.equals(callSha256))
      if (known === undefined) return this.#ask(call, callSha256, events)
      switch (known.state) {
        case 'confirmed':
          return this.#use(known, known.decision?.by.name ?? GATEWAY_CAUSE.name, events)
        case 'declined':
          return this.#declined(known)
        case 'pending':
          return code === null ? { kind: 'asked', id: known.id } : this.#guess(known, code, events, record)
      }
    })
  }

  /** Those that wait for an answer, the oldest first. */
  pending(): readonly PendingConfirmation[] {
    const steadyNow = this.#steady.now()
    const now = this.#clock.now()
    return this.#store
      .list()
      .filter(
        (each) =>
          each.state === 'pending' && endOf(each) > steadyNow && this.#credentials.get(each.link)?.revokedAt === null,
      )
      .map((each) => ({ ...each, expiresAt: now + endOf(each) - steadyNow }))
  }

  /** An administrator's answer; what was confirmed and not used yet may still be declined. */
  answer(id: string, confirmed: boolean, by: Cause): Result<Confirmation, 'not_found' | 'decided'> {
    return this.#change((events, record) => {
      const known = this.#current(events).find((each) => each.id === id.toUpperCase())
      if (known === undefined) return fail('not_found')
      if (known.state === 'declined' || (known.state === 'confirmed' && confirmed)) return fail('decided')
      return ok(this.#decide(known, confirmed ? 'confirmed' : 'declined', by, events, record))
    })
  }

  stop(): void {
    this.#cancel()
  }

  #ask(call: ConfirmedCall, callSha256: Buffer, events: AccessEvent[]): Taken {
    const all = this.#store.list()
    const pending = all.filter((each) => each.state === 'pending')
    const own = pending.filter((each) => each.link === call.link)
    const [oldest] = own.length >= PENDING_PER_CREDENTIAL_MAX ? own : pending.length >= PENDING_MAX ? pending : []
    if (oldest) return { kind: 'too_many', retryAfter: this.#secondsTo(endOf(oldest)) }
    const wait = this.#asking.take(call.link)
    if (wait > 0) return { kind: 'too_many', retryAfter: wait }
    const confirmation: Confirmation = {
      id: this.#newId(all),
      link: call.link,
      subject: call.subject,
      callSha256,
      op: call.op,
      what: call.what,
      code: randomCode(this.#random),
      wrongCodes: 0,
      askedAt: this.#clock.now(),
      steadyAskedAt: this.#steady.now(),
      state: 'pending',
      decision: null,
    }
    this.#steady.save()
    this.#store.insert(confirmation)
    events.push({ kind: 'confirmation', confirmation, notice: own.length < NOTICES_MAX })
    return { kind: 'asked', id: confirmation.id }
  }

  #guess(known: Confirmation, code: string, events: AccessEvent[], record: Note): Taken {
    const wait = this.#guessing.take(known.link)
    if (wait > 0) return { kind: 'too_many', retryAfter: wait }
    if (code === known.code) return this.#use(known, BY_CODE, events)
    const guessed = { ...known, wrongCodes: known.wrongCodes + 1 }
    if (guessed.wrongCodes >= WRONG_CODES_MAX)
      return this.#declined(this.#decide(guessed, 'declined', GATEWAY_CAUSE, events, record))
    this.#store.update(guessed)
    return { kind: 'wrong_code', id: known.id }
  }

  /** It is gone before anything moves: a crash in between costs the word, never a second opening. */
  #use(known: Confirmation, by: string, events: AccessEvent[]): Taken {
    this.#end(known, 'used', events)
    return { kind: 'confirmed', by }
  }

  #decide(
    known: Confirmation,
    state: 'confirmed' | 'declined',
    by: Cause,
    events: AccessEvent[],
    record: Note,
  ): Confirmation {
    const decided: Confirmation = { ...known, state, decision: { steadyAt: this.#steady.now(), by } }
    this.#steady.save()
    this.#store.update(decided)
    const integration = this.#credentials.get(known.link)?.integration
    if (integration !== undefined) {
      record({
        at: this.#clock.now(),
        kind: 'access',
        subject: { kind: 'integration', id: integration },
        what: `${state} for ${known.link}: ${known.what}`,
        cause: by,
      })
    }
    events.push({ kind: 'confirmation_ended', confirmation: decided, how: state })
    return decided
  }

  #declined(known: Confirmation): Taken {
    return { kind: 'declined', id: known.id, retryAfter: this.#secondsTo(endOf(known)) }
  }

  /** Those whose time is not over; the others end here and now. */
  #current(events: AccessEvent[]): readonly Confirmation[] {
    const now = this.#steady.now()
    const [ended, current] = [[], []] as [Confirmation[], Confirmation[]]
    for (const each of this.#store.list()) (endOf(each) <= now ? ended : current).push(each)
    for (const each of ended) {
      if (each.state === 'declined') this.#store.remove(each.id)
      else this.#end(each, 'expired', events)
    }
    return current
  }

  #end(confirmation: Confirmation, how: Ended, events: AccessEvent[]): void {
    this.#store.remove(confirmation.id)
    events.push({ kind: 'confirmation_ended', confirmation, how })
  }

  /** News is told once the change is on disk. */
  #change<T>(run: (events: AccessEvent[], record: Note) => T): T {
    const events: AccessEvent[] = []
    const answer = this.#work.change((record) => run(events, record))
    this.#await()
    for (const each of events) this.#events.emit(each)
    return answer
  }

  /** Waits for the next one whose time is over, so that administrators hear of it. */
  #await(): void {
    this.#cancel()
    const ends = this.#store.list().map(endOf)
    if (ends.length === 0) return
    this.#cancel = this.#clock.after(Math.max(0, Math.min(...ends) - this.#steady.now()), () =>
      this.#change((events) => this.#current(events)),
    )
  }

  #secondsTo(steady: number): number {
    return Math.max(1, Math.ceil((steady - this.#steady.now()) / 1000))
  }

  #newId(all: readonly Confirmation[]): string {
    for (;;) {
      const id = randomLetters(this.#random, 4)
      if (!all.some((each) => each.id === id)) return id
    }
  }
}

type Note = Parameters<Parameters<UnitOfWork['change']>[0]>[0]

/** The steady time at which a confirmation is over. */
function endOf({ state, steadyAskedAt, decision }: Confirmation): number {
  if (state === 'pending' || decision === null) return steadyAskedAt + PENDING_MS
  return decision.steadyAt + (state === 'confirmed' ? CONFIRMED_MS : DECLINED_MS)
}

function hashOf({ link, subject, op, args }: ConfirmedCall): Buffer {
  return createHash('sha256')
    .update(canonicalJson([link, subject, op, args ?? null]))
    .digest()
}
