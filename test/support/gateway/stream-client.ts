import { once } from 'node:events'
import type { WebSocket } from 'ws'
import { checkAnswer, checkEvent } from './conformance.ts'

export interface StreamAnswer {
  readonly id: string | null
  readonly status: number
  /** Fields of a successful subscription; tests of other responses compare the whole. */
  readonly body: { readonly subscribed: readonly string[]; readonly seq: number; readonly gap?: boolean }
}

export interface StreamEventMessage {
  readonly at: number
  readonly event: string
  readonly house: string
  readonly device: string | null
  readonly class: string | null
  readonly state: Readonly<Record<string, unknown>> | null
  readonly seq: number
  readonly intents?: readonly string[]
}

/** A client of the stream for tests: sends requests and awaits messages. */
export class TestStreamClient {
  readonly socket: WebSocket
  /** All received messages as text, in order. */
  readonly texts: string[] = []
  readonly answers: StreamAnswer[] = []
  readonly events: StreamEventMessage[] = []
  /** Bare errors: the last message before the gateway closes a socket. */
  readonly errors: { readonly code: string }[] = []
  closed: { readonly code: number; readonly reason: string } | null = null
  readonly #waiting = new Set<() => void>()
  #ids = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => this.#take((data as Buffer).toString()))
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
      this.#wake()
    })
    socket.on('error', () => this.#wake())
  }

  async opened(): Promise<void> {
    if (this.socket.readyState === this.socket.CONNECTING) await once(this.socket, 'open')
  }

  say(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Sends a message under a new id and waits for its response, which it checks against the documents. */
  async ask(message: Record<string, unknown>): Promise<StreamAnswer> {
    this.#ids += 1
    const id = `test-${this.#ids}`
    this.say({ ...message, id })
    await this.until(() => this.answers.some((answer) => answer.id === id))
    const answer = this.answers.find((answer) => answer.id === id)!
    const { method, path } = message
    if (typeof method === 'string' && typeof path === 'string') checkAnswer(method, path, answer.status, answer.body)
    return answer
  }

  subscribe(...topics: string[]): Promise<StreamAnswer> {
    return this.ask({ subscribe: topics })
  }

  get(path: string, query?: Record<string, unknown>): Promise<StreamAnswer> {
    return this.ask({ method: 'GET', path, ...(query ? { query } : {}) })
  }

  async until(done: () => boolean): Promise<void> {
    while (!done()) {
      if (this.closed && !done())
        throw new Error(`The socket was closed with ${this.closed.code} ${this.closed.reason}.`)
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  async ended(): Promise<{ readonly code: number; readonly reason: string }> {
    await this.until(() => this.closed !== null)
    return this.closed!
  }

  /**
   * Resolves when everything sent to this client so far has arrived, because messages written before a response arrive
   * before it.
   */
  async settled(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    await this.get('/v1/about')
  }

  #take(text: string): void {
    this.texts.push(text)
    const message = JSON.parse(text) as Record<string, unknown>
    if ('event' in message) checkEvent(message)
    if ('event' in message) this.events.push(message as unknown as StreamEventMessage)
    else if ('status' in message) this.answers.push(message as unknown as StreamAnswer)
    else this.errors.push(message['error'] as { code: string })
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
