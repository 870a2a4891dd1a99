import type { Result } from '../../lib/result.ts'

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
  onData(listener: (bytes: Uint8Array) => void): void
  /** Called once when an opened line was lost, with a plain reason. */
  onDown(listener: (reason: string) => void): void
}

/** The listeners of one port: they are called once for its end, and never afterwards. */
export class PortListeners {
  readonly #data: ((bytes: Uint8Array) => void)[] = []
  readonly #down: ((reason: string) => void)[] = []
  #ended = false

  get ended(): boolean {
    return this.#ended
  }

  addData(listener: (bytes: Uint8Array) => void): void {
    this.#data.push(listener)
  }

  addDown(listener: (reason: string) => void): void {
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
