import { parseJson } from '@hm-gateway/lib/json.ts'
import { type Bus, BusUnavailable, MESSAGE_BYTES_MAX, type BusMessageHandler } from './bus.ts'

/** Connects the buses of one process. */
export class MemoryHub {
  readonly nodes = new Set<MemoryBus>()
  /** Tests set it to false. */
  isUp = true

  reconnect(): void {
    this.isUp = true
    for (const node of this.nodes) node.reconnected()
  }
}

/** The bus of a relay with one node, and of several nodes in one process. */
export class MemoryBus implements Bus {
  readonly #hub: MemoryHub
  readonly #handlers = new Map<string, Set<BusMessageHandler>>()
  readonly #onReconnect: (() => void)[] = []

  constructor(hub = new MemoryHub()) {
    this.#hub = hub
    hub.nodes.add(this)
  }

  get isUp(): boolean {
    return this.#hub.isUp
  }

  publish(subject: string, message: object): void {
    if (this.isUp) void this.#deliver(subject, message)
  }

  async request(subject: string, message: object, accept: (reply: unknown) => boolean = () => true): Promise<unknown> {
    if (!this.isUp) throw new BusUnavailable('The bus is disconnected.')
    const replies = await this.#deliver(subject, message)
    if (replies.length > 0 && replies.every((reply) => reply === undefined))
      throw new BusUnavailable('No subscriber replies.')
    return replies.find((reply) => reply !== undefined && accept(reply)) ?? null
  }

  subscribe(subject: string, handler: BusMessageHandler): () => void {
    const handlers = this.#handlers.get(subject) ?? new Set()
    this.#handlers.set(subject, handlers.add(handler))
    return () => {
      handlers.delete(handler)
      if (handlers.size === 0 && this.#handlers.get(subject) === handlers) this.#handlers.delete(subject)
    }
  }

  onReconnect(callback: () => void): void {
    this.#onReconnect.push(callback)
  }

  async settled(): Promise<void> {}

  reconnected(): void {
    for (const callback of this.#onReconnect) callback()
  }

  /** Calls the current handlers at other nodes and returns their replies. */
  async #deliver(subject: string, message: object): Promise<unknown[]> {
    const text = JSON.stringify(message)
    if (text.length > MESSAGE_BYTES_MAX) return []
    const handlers = [...this.#hub.nodes].flatMap((node) => (node === this ? [] : node.#handlersOf(subject)))
    await Promise.resolve()
    return handlers.map((handle) => copyOf(JSON.stringify(handle(copyOf(text), subject))))
  }

  #handlersOf(subject: string): readonly BusMessageHandler[] {
    const wildcard = `${subject.slice(0, subject.lastIndexOf('.'))}.*`
    return [...(this.#handlers.get(subject) ?? []), ...(this.#handlers.get(wildcard) ?? [])]
  }
}

function copyOf(text: string | undefined): unknown {
  const parsed = parseJson(text ?? '')
  return parsed.ok ? parsed.value : undefined
}
