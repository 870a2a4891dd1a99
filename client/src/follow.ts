import type { Caller } from './caller.ts'
import type { Open, StreamEvent } from './contract.ts'
import { ConnectionError, HmError } from './error.ts'
import { type SessionItem, StreamSession } from './stream-session.ts'
import { pause } from './transport.ts'

/** The pause before the next try grows to so much, doubling from the first; each is drawn between nothing and that. */
export const FIRST_PAUSE_MS = 1_000
export const PAUSE_MAX_MS = 60_000

/** Close codes of a mistake in what was sent: trying again would repeat it. */
const OWN_MISTAKES: readonly number[] = [1007, 1009]

/** Read anew what you show: events were missed, or none was heard yet. */
export interface Resync {
  readonly event: 'resync'
}

/** The stream is there, or not; then why, and it is tried again. */
export interface ConnectionChange {
  readonly event: 'connection'
  readonly connected: boolean
  readonly error: Error | null
}

export type Followed = StreamEvent | Resync | ConnectionChange

export interface FollowOptions {
  /** Ends the following; without an error. */
  readonly signal?: AbortSignal
  /** The `seq` of the last event that was heard before, to go on from there. */
  readonly since?: number
}

/** A topic of the stream (docs/stream.md#subscribe); there may be others, as for the console. */
export type Topic = Open<StreamEvent['event'] | `device:${string}` | `room:${string}` | `floor:${string}` | '*'>

/**
 * Events as they come, over any number of sockets. The first thing, and the first after a gap, is `resync`; what is
 * read on hearing it and changed by the events after it is right in the end.
 * @throws HmError where the credential has ended or a topic does not exist, TrustError where another CA answers
 */
export async function* follow(
  caller: Caller,
  topics: readonly string[],
  { signal, since }: FollowOptions = {},
): AsyncGenerator<Followed, void, undefined> {
  const tries = new Tries(caller, signal)
  let last = since ?? null
  for (;;) {
    if (signal?.aborted) return
    const session = new StreamSession(caller.transport, caller.timing, topics, last)
    const stop = (): void => session.close()
    signal?.addEventListener('abort', stop)
    try {
      for (let item = await session.next(); ; item = await session.next()) {
        if (signal?.aborted) return
        if (item.kind === 'ended') {
          const error = await tries.reasonOf(item)
          if (signal?.aborted) return
          yield { event: 'connection', connected: false, error }
          await tries.wait(error)
          break
        }
        if (item.kind === 'subscribed') {
          tries.succeeded()
          yield { event: 'connection', connected: true, error: null }
        }
        if (isGap(item)) yield { event: 'resync' }
        last = seqOf(item) ?? last
        if (item.kind === 'event') yield item.event
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      tries.ended()
      session.close()
    }
  }
}

type Heard = Exclude<SessionItem, { readonly kind: 'ended' }>

const isGap = (item: Heard): boolean =>
  item.kind === 'dropped' || (item.kind === 'subscribed' && item.answer.gap !== false)

/** Where the events stand after this; of what is still to follow nothing counts yet. */
function seqOf(item: Heard): number | null {
  if (item.kind === 'event') return item.event.seq
  return item.kind === 'subscribed' && item.answer.gap !== false ? item.answer.seq : null
}

/** A line that held for so long was a good one: the next pause is the first again. */
const STEADY_MS = 30_000

/** How often it was tried in vain, and why. */
class Tries {
  readonly #caller: Caller
  readonly #signal: AbortSignal | undefined
  #count = 0
  #stopSteady: (() => void) | null = null

  constructor(caller: Caller, signal: AbortSignal | undefined) {
    this.#caller = caller
    this.#signal = signal
  }

  succeeded(): void {
    this.#stopSteady = this.#caller.timing.after(STEADY_MS, () => {
      this.#count = 0
    })
  }

  ended(): void {
    this.#stopSteady?.()
    this.#stopSteady = null
  }

  /**
   * Why a session ended. Of one that never opened only a request can tell.
   * @throws what makes further tries vain
   */
  async reasonOf({ code, refusal, isOpened }: Extract<SessionItem, { readonly kind: 'ended' }>): Promise<Error> {
    if (code === 4401 || (refusal !== null && isFinal(refusal)))
      throw refusal ?? new ConnectionError('The stream was closed: the credential has ended.', { isSent: true })
    if (OWN_MISTAKES.includes(code))
      throw new ConnectionError(`The stream was closed with ${code}: what was sent is no message.`, { isSent: true })
    return refusal ?? (isOpened ? broken() : this.#asked())
  }

  async wait(error: Error): Promise<void> {
    const bound = Math.min(FIRST_PAUSE_MS * 2 ** this.#count, PAUSE_MAX_MS)
    this.#count += 1
    const { timing } = this.#caller
    const seconds = error instanceof HmError ? (error.retryAfter ?? 0) : 0
    // What an administrator has switched off does not come back in a moment.
    const drawn = timing.random() * (isForbidden(error) ? PAUSE_MAX_MS : bound)
    await pause(timing, seconds * 1000 + drawn, this.#signal)
  }

  async #asked(): Promise<Error> {
    try {
      await this.#caller.call('get', '/v1/integration', this.#signal ? { signal: this.#signal } : {})
      return broken()
    } catch (error) {
      if (error instanceof ConnectionError || (error instanceof HmError && error.status !== 401)) return error
      if (this.#signal?.aborted) return broken()
      throw error
    }
  }
}

const broken = (): ConnectionError => new ConnectionError('The stream broke.', { isSent: true })

/** Whether a refusal stays one, so that asking again is vain: neither a rate nor a trouble of the gateway. */
export const isFinal = ({ status }: HmError): boolean => [400, 401, 404, 422].includes(status)
const isForbidden = (error: Error): boolean => error instanceof HmError && error.status === 403
