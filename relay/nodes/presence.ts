import { type Clock, every } from '@hm-gateway/lib/clock.ts'
import { type Bus, BusUnavailable } from '../bus/bus.ts'
import { Here, SUBJECTS } from './messages.ts'

/** How often a node says that it is there, and after which silence it is not. */
export const HERE_EACH_MS = 5_000
export const GONE_MS = 16_000
/** More nodes than this are not counted. */
export const NODES_MAX = 512

export interface PresenceParts {
  readonly bus: Bus
  readonly node: string
  readonly clock: Clock
  /** There is more than one node from now on. */
  readonly severalNow: () => void
}

/** Which nodes the relay has now: each says so itself. */
export class Presence implements Disposable {
  readonly #parts: PresenceParts
  readonly #heardAt = new Map<string, number>()
  readonly #ends: (() => void)[]

  constructor(parts: PresenceParts) {
    this.#parts = parts
    const { bus, clock } = parts
    this.#ends = [
      bus.listen(SUBJECTS.nodes, {
        heard: (message) => {
          this.#heard(message)
          return { node: parts.node, isHere: true } satisfies Here
        },
      }),
      every(clock, HERE_EACH_MS, () => this.#look()),
    ]
    bus.onReturn(() => this.#returned())
    this.#say(true)
  }

  /**
   * Resolves once another node is known, or there is none that answers: whoever is told before that there is one node
   * gives up what it has at others.
   */
  async known(): Promise<void> {
    const { bus, node } = this.#parts
    try {
      this.#heard(await bus.ask(SUBJECTS.nodes, { node, isHere: true } satisfies Here))
    } catch (error) {
      if (!(error instanceof BusUnavailable)) throw error
    }
  }

  /** With this one. */
  get count(): number {
    return this.#heardAt.size + 1
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end()
    this.#say(false)
  }

  #heard(message: unknown): void {
    const here = Here.safeParse(message)
    if (!here.success) return
    const { node, isHere } = here.data
    if (!isHere) return void this.#heardAt.delete(node)
    const isNew = !this.#heardAt.has(node)
    if (isNew && this.#heardAt.size >= NODES_MAX) return
    this.#heardAt.set(node, this.#parts.clock.monotonic())
    // Who comes learns at once who is there.
    if (isNew) this.#say(true)
    if (isNew && this.#heardAt.size === 1) this.#parts.severalNow()
  }

  /** While the bus is away nobody is heard, which says nothing of who is there. */
  #look(): void {
    const { bus, clock } = this.#parts
    if (!bus.isUp) return
    this.#say(true)
    for (const [node, at] of this.#heardAt) if (clock.monotonic() - at > GONE_MS) this.#heardAt.delete(node)
  }

  #returned(): void {
    for (const node of this.#heardAt.keys()) this.#heardAt.set(node, this.#parts.clock.monotonic())
    this.#say(true)
  }

  #say(isHere: boolean): void {
    this.#parts.bus.tell(SUBJECTS.nodes, { node: this.#parts.node, isHere })
  }
}
