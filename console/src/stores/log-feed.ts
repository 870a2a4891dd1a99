import { effect, signal } from '@preact/signals'
import type { LogLevelAnswer, LogLine, LogListAnswer } from '../lib/admin-contract.ts'
import { connected } from './home.ts'
import { admin } from './session.ts'

/** How often the gateway is asked for what is new. */
const EVERY_MS = 2_000
/** Lines that are kept here, as many as the gateway has in memory. */
const LINES_MAX = 2_000

/** A line with the start of the gateway that wrote it: each start counts its lines from one. */
export interface FeedLine extends LogLine {
  readonly run: string
}

type Lines = readonly FeedLine[]

/** The log of the gateway from one level on, the newest first, as long as a page shows it. */
export class LogFeed {
  /** Null before they were read. */
  readonly lines = signal<Lines | null>(null)
  /** Newer ones, which wait while somebody reads. */
  readonly held = signal<Lines>([])
  /** What is written to the log at all; null before it was read. */
  readonly written = signal<LogLevelAnswer['level'] | null>(null)
  /** Why it could not be read. */
  readonly error = signal<unknown>(null)

  /** From which level on lines are shown. */
  readonly level: LogLine['level']
  readonly #stops: readonly (() => void)[]
  #isHeld = false
  #isReading = false
  /** Of which start the lines are; null before they were read. */
  #run: string | null = null
  #after = 0

  constructor(level: LogLine['level']) {
    this.level = level
    const timer = setInterval(() => {
      if (connected.peek()) void this.read()
    }, EVERY_MS)
    this.#stops = [
      () => clearInterval(timer),
      effect(() => {
        if (connected.value) void this.read()
      }),
    ]
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  /** While somebody reads nothing moves: what is new waits, and what waits is shown when it is asked for. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
  }

  showHeld(): void {
    this.lines.value = [...this.held.peek(), ...(this.lines.peek() ?? [])].slice(0, LINES_MAX)
    this.held.value = []
  }

  async read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      const first = await this.#ask()
      const isAnew = this.#run !== null && this.#run !== first.run
      // Lines of an earlier start stay: they tell why it ended, and the gateway has them no more.
      if (isAnew) this.#after = 0
      const { run, level, lines } = isAnew ? await this.#ask() : first
      this.#run = run
      this.written.value = level
      this.error.value = null
      this.#add(run, lines)
    } catch (error) {
      this.error.value = error
    } finally {
      this.#isReading = false
    }
  }

  #ask(): Promise<LogListAnswer> {
    const query = { level: this.level, after: String(this.#after), limit: String(LINES_MAX) }
    return admin.call('get', '/admin/v1/log', { query })
  }

  #add(run: string, lines: readonly LogLine[]): void {
    this.#after = lines.at(-1)?.seq ?? this.#after
    const waits = this.#isHeld && this.lines.peek() !== null
    const fresh = lines.toReversed().map((line) => ({ ...line, run }))
    this.held.value = [...fresh, ...this.held.peek()].slice(0, LINES_MAX)
    if (!waits) this.showHeld()
  }
}
