import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import type { PersonSession } from './console-sessions.ts'
import type { Passwords } from './password.ts'

/** A PIN of a wall tablet. */
export const PIN = /^\d{6}$/

/** Time for which a PIN opens, after it was entered. */
export const PIN_MS = 30_000
/** Wrong PINs of a tablet before it rests. */
export const WRONG_PINS_MAX = 5
/** Rest of a tablet's PIN after the last of them. */
export const PIN_REST_MS = 3_600_000

/** The PIN of a tablet's record as it is stored. */
export interface StoredPin {
  readonly integration: string
  /** Hash with salt and costs (`password.ts`). */
  readonly pin: string
  /** Tries since the last correct one or the last rest. */
  readonly tries: number
  /** Steady ms until which no try counts. */
  readonly steadyRestsUntil: number
}

/** Writes run inside `UnitOfWork.change`. */
export interface TabletPinStore {
  get(integration: string): StoredPin | undefined
  /** Stores a PIN, or removes it (null). Tries begin again. */
  set(integration: string, pin: string | null): void
  tried(integration: string, tries: number, steadyRestsUntil: number): void
}

interface TabletPinsParts {
  readonly pins: TabletPinStore
  readonly passwords: Passwords
  readonly work: UnitOfWork
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
}

/** Why a PIN does not open; `retryAfter` in seconds. */
export type PinFailure = 'no_pin' | 'wrong' | { readonly retryAfter: number }

/** Retry-After in seconds while the queue of hashes is full. */
const BUSY_RETRY_S = 5

/** PINs of wall tablets (docs/console.md#wall-tablets). */
export class TabletPins {
  readonly #parts: TabletPinsParts
  /** Correct PINs by session with steady times, in memory only: after a restart the PIN is needed again. */
  readonly #proofs = new Map<string, { readonly at: number; readonly pin: string }>()

  constructor(parts: TabletPinsParts) {
    this.#parts = parts
  }

  has(integration: string): boolean {
    return this.#parts.pins.get(integration) !== undefined
  }

  /** Stores the PIN of a tablet within a change; `hash` is null to remove it. */
  store(integration: string, hash: string | null): void {
    this.#parts.pins.set(integration, hash)
  }

  /** True for a session whose PIN was entered within `PIN_MS` and has not changed since. */
  isProved({ id }: Pick<PersonSession, 'id'>, integration: string): boolean {
    const proof = this.#proofs.get(id)
    if (proof === undefined || this.#parts.steady.now() - proof.at >= PIN_MS) return false
    return this.#parts.pins.get(integration)?.pin === proof.pin
  }

  /** Checks a PIN entered in a session. A try is stored before it is compared, so a power cut gives no free ones. */
  async prove({ id }: Pick<PersonSession, 'id'>, integration: string, pin: string): Promise<Result<null, PinFailure>> {
    const { passwords, steady } = this.#parts
    if (passwords.busy) return fail({ retryAfter: BUSY_RETRY_S })
    const stored = this.#parts.pins.get(integration)
    if (stored === undefined) return fail('no_pin')
    const wait = this.#take(stored)
    if (wait > 0) return fail({ retryAfter: wait })
    const matches = await passwords.matches(pin, stored.pin)
    if (!matches || this.#parts.pins.get(integration)?.pin !== stored.pin) return fail('wrong')
    this.#store(integration, 0, 0)
    const now = steady.now()
    for (const [session, { at }] of this.#proofs) if (now - at >= PIN_MS) this.#proofs.delete(session)
    this.#proofs.set(id, { at: now, pin: stored.pin })
    return ok(null)
  }

  /** Takes one try. Returns 0, or the seconds until the next one. */
  #take({ integration, tries, steadyRestsUntil }: StoredPin): number {
    const now = this.#parts.steady.now()
    if (now < steadyRestsUntil) return Math.ceil((steadyRestsUntil - now) / 1_000)
    const next = (tries >= WRONG_PINS_MAX ? 0 : tries) + 1
    this.#store(integration, next, next >= WRONG_PINS_MAX ? now + PIN_REST_MS : 0)
    return 0
  }

  #store(integration: string, tries: number, steadyRestsUntil: number): void {
    this.#parts.work.change(() => {
      this.#parts.pins.tried(integration, tries, steadyRestsUntil)
      this.#parts.steady.save()
    })
  }
}
