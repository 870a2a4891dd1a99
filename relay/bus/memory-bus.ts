import { parseJson } from '@hm-gateway/lib/json.ts'
import { type Bus, BusUnavailable, type Listening, MESSAGE_BYTES_MAX } from './bus.ts'

/** What nodes of one process share. */
export class MemoryHub {
  readonly nodes = new Set<MemoryBus>()
  /** A test takes it away. */
  isUp = true

  returned(): void {
    this.isUp = true
    for (const node of this.nodes) node.returned()
  }
}

/** The bus of a relay of one process, and of several nodes within one. */
export class MemoryBus implements Bus {
  readonly #hub: MemoryHub
  readonly #listening = new Map<string, Set<Listening>>()
  readonly #returns: (() => void)[] = []

  constructor(hub = new MemoryHub()) {
    this.#hub = hub
    hub.nodes.add(this)
  }

  get isUp(): boolean {
    return this.#hub.isUp
  }

  tell(subject: string, message: object): void {
    if (this.isUp) void this.#delivered(subject, message)
  }

  async ask(subject: string, message: object, accept: (answer: unknown) => boolean = () => true): Promise<unknown> {
    if (!this.isUp) throw new BusUnavailable('The bus is away.')
    const answers = await this.#delivered(subject, message)
    if (answers.length > 0 && answers.every((answer) => answer === undefined))
      throw new BusUnavailable('Nobody who listens answers.')
    return answers.find((answer) => answer !== undefined && accept(answer)) ?? null
  }

  listen(subject: string, listening: Listening): () => void {
    const known = this.#listening.get(subject) ?? new Set()
    this.#listening.set(subject, known.add(listening))
    return () => {
      known.delete(listening)
      if (known.size === 0 && this.#listening.get(subject) === known) this.#listening.delete(subject)
    }
  }

  onReturn(returned: () => void): void {
    this.#returns.push(returned)
  }

  async settled(): Promise<void> {}

  /** The hub is there again. */
  returned(): void {
    for (const returned of this.#returns) returned()
  }

  /** What those at other nodes answer who listen now. */
  async #delivered(subject: string, message: object): Promise<unknown[]> {
    const text = JSON.stringify(message)
    if (text.length > MESSAGE_BYTES_MAX) return []
    const found = [...this.#hub.nodes].flatMap((node) => (node === this ? [] : node.#listeners(subject)))
    await Promise.resolve()
    return found.map((each) => copyOf(JSON.stringify(each.heard(copyOf(text), subject))))
  }

  #listeners(subject: string): readonly Listening[] {
    const wild = `${subject.slice(0, subject.lastIndexOf('.'))}.*`
    return [...(this.#listening.get(subject) ?? []), ...(this.#listening.get(wild) ?? [])]
  }
}

function copyOf(text: string | undefined): unknown {
  const parsed = parseJson(text ?? '')
  return parsed.ok ? parsed.value : undefined
}
