import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** Each sentence is written at once, and then at most at this interval with its count. */
export const REPEAT_MS = 60_000

type Level = 'debug' | 'info' | 'warn' | 'error'

interface Repeated {
  /** Number of lines since the last written one. */
  count: number
  fields: object
  cancel: () => void
}

/**
 * A log for endless external events, such as a babbling adapter: a repeated sentence is written once a minute, with a
 * count.
 */
export class RateLimitedLog implements Disposable {
  readonly #log: Log
  readonly #clock: Clock
  readonly #sentences = new Map<string, Repeated>()

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** The log in the usual interface. */
  get log(): Log {
    return this.#with({})
  }

  [Symbol.dispose](): void {
    for (const { cancel } of this.#sentences.values()) cancel()
    this.#sentences.clear()
  }

  #with(own: object): Log {
    const at =
      (level: Level) =>
      (fields: object, sentence: string): void =>
        this.#say(level, { ...own, ...fields }, sentence)
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => this.#with({ ...own, ...fields }),
    }
  }

  #say(level: Level, fields: object, sentence: string): void {
    const repeated = this.#sentences.get(sentence)
    if (repeated) {
      repeated.count += 1
      repeated.fields = fields
      return
    }
    this.#log[level](fields, sentence)
    const first: Repeated = { count: 0, fields, cancel: () => {} }
    this.#sentences.set(sentence, first)
    const minuteOver = (): void => {
      const { count: again } = first
      if (again === 0) {
        this.#sentences.delete(sentence)
        return
      }
      this.#log[level]({ ...first.fields, again }, sentence)
      first.count = 0
      first.cancel = this.#clock.after(REPEAT_MS, minuteOver)
    }
    first.cancel = this.#clock.after(REPEAT_MS, minuteOver)
  }
}
