import { type Result, fail } from '../../lib/result.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'

/**
 * A line to an adapter, for one use: opened once, lost once, never reopened. A new try takes a new port, because a lost
 * serial port object keeps its lock and swallows writes.
 */
export interface Port {
  /** Opens the line; the error is a plain reason (`ENOENT: …`). Called at most once. */
  open(): Promise<Result<null, string>>
  /** Hands bytes to the line. Says nothing of their arrival: that is what the protocol's ACK is for. */
  write(bytes: Uint8Array): void
  /** Lets go of the line, opened or not. No listener is called afterwards. */
  close(): void
  readonly listeners: PortListeners
}

/** The listeners of one port: they are called once for its end, and never afterwards. */
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

  /** The listener is called once when an opened line was lost, with a plain reason. */
  onDown(listener: (reason: string) => void): void {
    this.#down.push(listener)
  }

  data(bytes: Uint8Array): void {
    if (!this.#ended) for (const listener of this.#data) listener(bytes)
  }

  /** The line is gone. The first call reaches the listeners, later ones do not. */
  down(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    for (const listener of this.#down) listener(reason)
  }

  /** Closed on purpose: no listener is called any more. */
  end(): void {
    this.#ended = true
  }
}

/** The first tries come quickly, for a line that was only replugged. */
const QUICK_DELAYS_MS = [200, 400, 800] as const
/** In the first minutes, while somebody may be plugging the adapter in, the line is tried about this often. */
const STEADY_DELAY_MS = 1_200
const STEADY_FOR_MS = 5 * 60_000
const SLOWEST_DELAY_MS = 30_000
const OPEN_WAIT_MS = 5_000

export interface LineOptions {
  /** Gives a port that was never opened before, each time the line is to be opened. */
  readonly openPort: () => Port
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

interface PortLoopOptions extends LineOptions {
  readonly onUp: () => void
  readonly onData: (bytes: Uint8Array) => void
  /** The line was lost or given up; called once for each `onUp`, and for each failed opening. */
  readonly onDown: (reason: string) => void
}

/** Keeps a line open for ever: every loss is reported once, and every new try takes a new port. */
export class PortLoop {
  readonly #options: PortLoopOptions
  #port: Port | null = null
  #isOpen = false
  #running = false
  #tries = 0
  #troubleSince: number | null = null
  #lastReason = ''
  #cancelTimer = (): void => {}
  /** On the monotonic clock; null while a try is under way or the line is open. */
  #nextTry: number | null = null
  #opened = 0

  constructor(options: PortLoopOptions) {
    this.#options = options
  }

  /** How often a line was opened. */
  get opened(): number {
    return this.#opened
  }

  /** How long until the line is tried again; null where no new try is waited for. */
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

  /** Gives the present line up and opens a new one after the usual delay: for a line that is open but dead. */
  reopen(reason: string): void {
    if (this.#running && this.#port !== null) this.#lost(this.#port, reason)
  }

  /** The line proved good: the next loss starts again with quick tries. */
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

  /** Half to all of: quick steps, then steady, then slower and slower. */
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
    this.#options.log.warn({ reason }, 'The line to the adapter is not open; it is tried again until it is')
  }
}
