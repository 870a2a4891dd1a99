import type { StreamEvent, Subscribed } from './contract.ts'
import { type HmError, isObject, refusalIn } from './error.ts'
import type { StreamLine, Timing, Transport } from './transport.ts'

/** Silence, without message or ping, after which the client sends a request to test the connection. */
export const QUIET_MS = 40_000
/** Silence after which the connection counts as dead (docs/stream.md#heartbeat). */
export const DEAD_MS = 75_000
/** Longest queue for a slow reader. The next event replaces it by `dropped`, and the reader reads the home again. */
export const WAITING_EVENTS_MAX = 10_000

const SUBSCRIBE = 'subscribe'

/** An item of a session, in order; `ended` is the last. */
export type SessionItem =
  | { readonly kind: 'subscribed'; readonly answer: Subscribed }
  | { readonly kind: 'event'; readonly event: StreamEvent }
  /** Events were dropped. */
  | { readonly kind: 'dropped' }
  | { readonly kind: 'ended'; readonly code: number; readonly refusal: HmError | null; readonly isOpened: boolean }

/** One socket of the stream from its opening to its end: subscribes, and queues events until they are read. */
export class StreamSession {
  readonly #timing: Timing
  readonly #line: StreamLine
  #items: SessionItem[] = []
  #wake: (() => void) | null = null
  #stopWatch: (() => void) | null = null
  #refusal: HmError | null = null
  /** Error message that came before the close. */
  #lastWord: unknown = null
  #isOpened = false
  #isEnded = false

  /** @param since `seq` of the last received event; null to begin with new events */
  constructor(transport: Transport, timing: Timing, topics: readonly string[], since: number | null) {
    this.#timing = timing
    const subscribe = { id: SUBSCRIBE, subscribe: topics, ...(since === null ? {} : { since }) }
    this.#watch()
    this.#line = transport.stream({
      opened: () => {
        this.#isOpened = true
        this.#line.send(JSON.stringify(subscribe))
      },
      heard: (text) => {
        if (this.#isEnded) return
        this.#watch()
        if (text !== null) this.#take(text)
      },
      closed: (code) => this.#end(code),
    })
  }

  /** Waits for the next item. No item follows `ended`. */
  async next(): Promise<SessionItem> {
    for (;;) {
      const item = this.#items.shift()
      if (item) return item
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  close(): void {
    this.#line.close()
    this.#end(1006)
  }

  #take(text: string): void {
    const message: unknown = parsed(text)
    if (!isObject(message)) return
    // The contract declares the rest of the message.
    if ('event' in message) return this.#event(message as unknown as StreamEvent)
    const { id, status, body } = message
    if ('error' in message) this.#lastWord = message
    else if (id === SUBSCRIBE && status === 200) this.#put({ kind: 'subscribed', answer: body as Subscribed })
    else if (id === SUBSCRIBE && typeof status === 'number') this.#refused(refusalIn(status, body))
  }

  #event(event: StreamEvent): void {
    if (this.#items.length < WAITING_EVENTS_MAX) return this.#put({ kind: 'event', event })
    this.#items = this.#items.filter(({ kind }) => kind === 'subscribed')
    this.#put({ kind: 'dropped' })
    this.#put({ kind: 'event', event })
  }

  #refused(refusal: HmError): void {
    this.#refusal = refusal
    this.close()
  }

  #end(code: number): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#stopWatch?.()
    // The gateway's own close codes are 4000 plus the HTTP status of the same error.
    const refusal = this.#lastWord === null ? this.#refusal : refusalIn(code - 4000, this.#lastWord)
    this.#put({ kind: 'ended', code, refusal, isOpened: this.#isOpened })
  }

  #put(item: SessionItem): void {
    this.#items.push(item)
    this.#wake?.()
    this.#wake = null
  }

  /** Restarts the silence timer. A browser hears no pings, so a request has to prove that the gateway is there. */
  #watch(): void {
    this.#stopWatch?.()
    this.#stopWatch = this.#timing.after(QUIET_MS, () => {
      if (this.#isOpened) this.#line.send(JSON.stringify({ id: 'alive', method: 'GET', path: '/v1/about' }))
      this.#stopWatch = this.#timing.after(DEAD_MS - QUIET_MS, () => this.close())
    })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
