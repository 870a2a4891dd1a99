import type { Caller } from './caller.ts'
import type { Open, StreamEvent } from './contract.ts'
import { ConnectionError, HmError } from './error.ts'
import { type SessionItem, StreamSession } from './stream-session.ts'
import { pause } from './transport.ts'

/** Backoff before a retry: doubles from the first to the longest, with full jitter. */
export const FIRST_PAUSE_MS = 1_000
export const PAUSE_MAX_MS = 60_000
/** Longest awaited `retryAfter`: a closed record may open days later, or sooner once an administrator extends it. */
export const RETRY_AFTER_MAX_S = 300

/** Close codes for a malformed message: a retry would repeat the mistake. */
const OWN_MISTAKES: readonly number[] = [1007, 1009]

/** Read the home again: events were missed, or this is the beginning. */
export interface Resync {
  readonly event: 'resync'
}

/** The stream connected, or broke with an error and reconnects. */
export interface ConnectionChange {
  readonly event: 'connection'
  readonly connected: boolean
  readonly error: Error | null
}

export type Followed = StreamEvent | Resync | ConnectionChange

export interface FollowOptions {
  /** Stops following, without an error. */
  readonly signal?: AbortSignal
  /** `seq` of the last event received earlier, to continue from there. */
  readonly since?: number
}

/** A topic of the stream (docs/stream.md#subscribe). The console subscribes to further ones. */
export type Topic = Open<StreamEvent['event'] | `device:${string}` | `room:${string}` | `floor:${string}` | '*'>

/**
 * Events in their order, across reconnects. `resync` comes first, and after every gap. A reader that reads the home on
 * `resync` and applies all later events ends with the right state.
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

type OpenItem = Exclude<SessionItem, { readonly kind: 'ended' }>

const isGap = (item: OpenItem): boolean =>
  item.kind === 'dropped' || (item.kind === 'subscribed' && item.answer.gap !== false)

/** `seq` to continue from after this item; null while replayed events are still to come. */
function seqOf(item: OpenItem): number | null {
  if (item.kind === 'event') return item.event.seq
  return item.kind === 'subscribed' && item.answer.gap !== false ? item.answer.seq : null
}

/** A connection this long resets the backoff. */
const STEADY_MS = 30_000

/** Counts failed attempts and waits between them. */
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
   * Reason for the end of a session. If the socket never opened, a request finds the reason.
   * @throws Error if retries are pointless
   */
  async reasonOf({ code, refusal, isOpened }: Extract<SessionItem, { readonly kind: 'ended' }>): Promise<Error> {
    if (code === 4401 || (refusal !== null && isFinal(refusal)))
      throw refusal ?? new ConnectionError('The stream was closed: the credential has ended.', { isSent: true })
    if (OWN_MISTAKES.includes(code))
      throw new ConnectionError(`The stream was closed with ${code}: the message was malformed.`, { isSent: true })
    return refusal ?? (isOpened ? broken() : this.#reasonByRequest())
  }

  async wait(error: Error): Promise<void> {
    const bound = Math.min(FIRST_PAUSE_MS * 2 ** this.#count, PAUSE_MAX_MS)
    this.#count += 1
    const { timing } = this.#caller
    const seconds = Math.min((error as Partial<HmError>).retryAfter ?? 0, RETRY_AFTER_MAX_S)
    // An administrator who switched something off does not switch it on again within seconds.
    const drawn = timing.random() * (isForbidden(error) ? PAUSE_MAX_MS : bound)
    await pause(timing, seconds * 1000 + drawn, this.#signal)
  }

  async #reasonByRequest(): Promise<Error> {
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

/** True if a retry cannot help: neither a rate limit nor a failure of the gateway. */
export const isFinal = ({ status }: HmError): boolean => [400, 401, 404, 422].includes(status)
const isForbidden = (error: Error): boolean => error instanceof HmError && error.status === 403
