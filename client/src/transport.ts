/** Carries requests and the stream: Node's sockets, a browser's fetch, or a test's recording. */
export interface Transport {
  /**
   * Sends one request and waits for its answer.
   * @throws ConnectionError without a response, TrustError for another CA, the reason of an aborted `signal`
   */
  readonly request: (request: HttpRequest) => Promise<HttpAnswer>
  /** Opens the stream. `closed` is called once, even if the stream never opened. */
  readonly stream: (listener: StreamListener) => StreamLine
}

/** Address (`host:port`) of a relay that passes connections on to the gateway; null for a direct connection. */
export type Through = string | null

export interface HttpRequest {
  /** In capitals. */
  readonly method: string
  /** From `/v1`, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON; null for none. */
  readonly body: string | null
  readonly signal: AbortSignal | undefined
  /** Timeout in a browser, in milliseconds. Default: a minute. */
  readonly waitMs?: number
}

export interface HttpAnswer {
  readonly status: number
  /** Value of a header, by its lower-case name; null if it is missing. */
  readonly header: (name: string) => string | null
  readonly text: string
}

export interface StreamListener {
  readonly opened: () => void
  /** A message, or null for a sign of life without one. */
  readonly heard: (text: string | null) => void
  /** @param code close code of the WebSocket; 1006 if the connection broke or never opened */
  readonly closed: (code: number) => void
}

export interface StreamLine {
  readonly send: (text: string) => void
  readonly close: () => void
}

/** Timers and random numbers. */
export interface Timing {
  /** Runs a function after a delay in milliseconds. Returns a function that cancels it. */
  readonly after: (delayMs: number, run: () => void) => () => void
  /** At least 0, below 1. */
  readonly random: () => number
}

export const systemTiming: Timing = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** Waits; ends early when `signal` is aborted. */
export function pause(timing: Timing, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = timing.after(delayMs, done)
    signal?.addEventListener('abort', done)
  })
}
