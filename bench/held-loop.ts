/** A hold of the event loop in ms. */
export interface Held {
  /** Elapsed time, including other processes on the core. */
  readonly ms: number
  /** Processor time of this thread. */
  readonly cpuMs: number
}

const LOOK_MS = 1

/** Measures holds of this process's event loop by a timer of one millisecond. */
export class HeldLoop {
  #longest: Held = { ms: 0, cpuMs: 0 }
  #timer: NodeJS.Timeout | null = null

  /** Restarts the measurement. */
  watch(): void {
    this.stop()
    this.#longest = { ms: 0, cpuMs: 0 }
    this.#look(performance.now(), threadMs())
  }

  /** The longest hold since `watch`. */
  stop(): Held {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    return this.#longest
  }

  #look(before: number, cpuBefore: number): void {
    this.#timer = setTimeout(() => {
      const [now, cpu] = [performance.now(), threadMs()]
      const held = { ms: now - before - LOOK_MS, cpuMs: cpu - cpuBefore }
      if (held.ms > this.#longest.ms) this.#longest = held
      this.#look(now, cpu)
    }, LOOK_MS)
  }
}

/** Processor time of this thread in ms, without other processes. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
