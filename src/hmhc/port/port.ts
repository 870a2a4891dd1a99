import { type Result, fail } from '../../lib/result.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'

/**
 * A line to an adapter, for one use: opened once, lost once, never reopened. Each attempt uses a new port, because a
 * lost serial port object keeps its lock and swallows writes.
 */
export interface Port {
  /** Opens the line; the error is a plain reason (`ENOENT: …`). Called at most once. */
  open(): Promise<Result<null, string>>
  /** Writes bytes to the line. Only the protocol's ACK confirms their arrival. */
  write(bytes: Uint8Array): void
  /** Closes the line in any state. Afterwards it calls no listener. */
  close(): void
  readonly listeners: PortListeners
}

/** The listeners of one port: called once at its end, and never afterwards. */
export class PortListeners {
  readonly #data: ((bytes: Uint8Array) => void)[] = []
  readonly #down: ((reason: string) => void)[] = []
  #ended = false

  get ended(): boolean {
    return this.#ended
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#data.push(listener)
  }

  /** Called once with a plain reason when an opened line is lost. */
  onDown(listener: (reason: string) => void): void {
    this.#down.push(listener)
  }

  data(bytes: Uint8Array): void {
    if (!this.#ended) for (const listener of this.#data) listener(bytes)
  }

  /** The line is lost. Only the first call reaches the listeners. */
  down(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    for (const listener of this.#down) listener(reason)
  }

  /** The line was closed on purpose: no listener is called any more. */
  end(): void {
    this.#ended = true
  }
}

/** Delays of the first attempts, for a line that was only replugged. */
const QUICK_DELAYS_MS = [200, 400, 800] as const
/** Approximate delay in the first minutes, while someone may be plugging in the adapter. */
const STEADY_DELAY_MS = 1_200
const STEADY_FOR_MS = 5 * 60_000
const SLOWEST_DELAY_MS = 30_000
const OPEN_WAIT_MS = 5_000

export interface LineOptions {
  /** Creates a new port for each attempt. */
  readonly openPort: () => Port
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

interface PortLoopOptions extends LineOptions {
  readonly onUp: () => void
  readonly onData: (bytes: Uint8Array) => void
  /** The line was lost or closed; called once for each `onUp`, and for each failed attempt. */
  readonly onDown: (reason: string) => void
}

/** Keeps a line open for ever: it reports every loss once, and every attempt uses a new port. */
export class PortLoop {
  readonly #options: PortLoopOptions
  #port: Port | null = null
  #isOpen = false
  #running = false
  #tries = 0
  #troubleSince: number | null = null
  #lastReason = ''
  #cancelTimer = (): void => {}
  /** By the monotonic clock; null during an attempt or while the line is open. */
  #nextTry: number | null = null
  #opened = 0

  constructor(options: PortLoopOptions) {
    this.#options = options
  }

  /** Number of times a line was opened. */
  get opened(): number {
    return this.#opened
  }

  /** Time until the next attempt; null if none is scheduled. */
  get retryMs(): number | null {
    return this.#nextTry === null ? null : Math.max(0, this.#nextTry - this.#options.clock.monotonic())
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#try()
  }

  stop(): void {
    this.#running = false
    this.#nextTry = null
    this.#cancelTimer()
    this.#letGo()
  }

  write(bytes: Uint8Array): void {
    if (this.#isOpen) this.#port?.write(bytes)
  }

  /** Closes the present line and opens a new one after the usual delay: for a line that is open but dead. */
  reopen(reason: string): void {
    if (this.#running && this.#port !== null) this.#lost(this.#port, reason)
  }

  /** The line works: the next loss starts again with quick attempts. */
  settled(): void {
    this.#tries = 0
    this.#troubleSince = null
    this.#lastReason = ''
  }

  #try(): void {
    this.#nextTry = null
    const port = this.#options.openPort()
    this.#port = port
    port.listeners.onData((bytes) => {
      if (port === this.#port && this.#isOpen) this.#options.onData(bytes)
    })
    port.listeners.onDown((reason) => this.#lost(port, reason))
    this.#cancelTimer = this.#options.clock.after(OPEN_WAIT_MS, () => this.#lost(port, 'opening takes too long'))
    void this.#openOne(port)
  }

  async #openOne(port: Port): Promise<void> {
    const opening = await port
      .open()
      .catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))
    if (opening.ok) this.#up(port)
    else this.#lost(port, opening.error)
  }

  #up(port: Port): void {
    if (port !== this.#port) return port.close()
    this.#cancelTimer()
    this.#isOpen = true
    this.#opened += 1
    this.#options.onUp()
  }

  #lost(port: Port, reason: string): void {
    if (port !== this.#port) return
    this.#cancelTimer()
    this.#letGo()
    this.#warnOnce(reason)
    this.#options.onDown(reason)
    if (this.#running) this.#tryLater()
  }

  #tryLater(): void {
    const { clock } = this.#options
    const ms = this.#delay()
    this.#nextTry = clock.monotonic() + ms
    this.#cancelTimer = clock.after(ms, () => this.#try())
  }

  #letGo(): void {
    const port = this.#port
    this.#port = null
    this.#isOpen = false
    port?.close()
  }

  /** Half to all of the delay: quick steps, then steady ones, then longer and longer. */
  #delay(): number {
    const { clock, random } = this.#options
    const now = clock.monotonic()
    this.#troubleSince ??= now
    const tries = this.#tries++
    const late = now - this.#troubleSince - STEADY_FOR_MS
    const full =
      QUICK_DELAYS_MS[tries] ?? (late <= 0 ? STEADY_DELAY_MS : Math.min(SLOWEST_DELAY_MS, STEADY_DELAY_MS + late / 10))
    return full * (0.5 + random.bytes(2).readUInt16BE() / 0x1_ff_fe)
  }

  #warnOnce(reason: string): void {
    if (reason === this.#lastReason) return
    this.#lastReason = reason
    this.#options.log.warn({ reason }, 'The line to the adapter is not open; the gateway keeps trying')
  }
}
