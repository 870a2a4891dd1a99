/** The host's end of the line to a simulated adapter. */
export interface SimPort {
  write(bytes: Uint8Array): void
  /** Called with bytes from the adapter, never from inside `write`. */
  onData(listener: (bytes: Uint8Array) => void): void
  close(): void
  /** Called once when the adapter's end closes: unplugged, or replaced by another host. Not after `close`. */
  onClose(listener: () => void): void
}

/** Both ends of one connection. */
export class SimConnection implements SimPort {
  readonly #toAdapter: (bytes: Uint8Array) => void
  readonly #onHostClosed: () => void
  readonly #data: ((bytes: Uint8Array) => void)[] = []
  readonly #closed: (() => void)[] = []
  #open = true

  constructor(toAdapter: (bytes: Uint8Array) => void, onHostClosed: () => void) {
    this.#toAdapter = toAdapter
    this.#onHostClosed = onHostClosed
  }

  write(bytes: Uint8Array): void {
    if (this.#open) this.#toAdapter(bytes)
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#data.push(listener)
  }

  onClose(listener: () => void): void {
    this.#closed.push(listener)
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#onHostClosed()
  }

  /** Bytes for the host. */
  deliver(bytes: Uint8Array): void {
    if (this.#open) for (const listener of this.#data) listener(bytes)
  }

  /** The adapter's end is closed. */
  lose(): void {
    if (!this.#open) return
    this.#open = false
    for (const listener of this.#closed) listener()
  }
}
