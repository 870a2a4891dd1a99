/** How long the event loop let nothing else in, in ms. */
export interface Held {
  /** As whoever waits sees it, with what other processes took of the core. */
  readonly ms: number
  /** Processor time of this thread in it. */
  readonly cpuMs: number
}

const LOOK_MS = 1

/** Watches the event loop of its own process from a timer that should come each millisecond. */
export class HeldLoop {
  #longest: Held = { ms: 0, cpuMs: 0 }
  #timer: NodeJS.Timeout | null = null

  /** Begins anew. */
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

/** Processor time of this thread in ms: what other processes take meanwhile does not count. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
