import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { trusting } from './callers.ts'
import type { ConsoleSecrets, ConsoleVisitor } from './console-visitor.ts'
import type { TestGateway } from './test-gateway.ts'

export interface PageMessage {
  readonly event?: string
  readonly id?: string | null
  readonly status?: number
  readonly state?: { readonly kind?: string; readonly [field: string]: unknown }
  readonly body?: { readonly [field: string]: unknown }
  readonly error?: { readonly [field: string]: unknown }
}

/** A page of the console that follows the stream. */
export class ConsolePage {
  readonly received: PageMessage[] = []
  readonly socket: WebSocket
  closed: { readonly code: number; readonly reason: string } | null = null
  readonly #running: TestGateway
  #wake: () => void = () => {}

  constructor(
    { running, visitor }: { readonly running: TestGateway; readonly visitor: ConsoleVisitor },
    secrets: ConsoleSecrets,
    more: { readonly origin?: string } = {},
  ) {
    this.#running = running
    this.socket = new WebSocket(`wss://${visitor.host}/admin/v1/stream`, ['hm', `hm-session.${secrets.half}`], {
      ...trusting(readFileSync(running.gateway.caFile, 'utf8')),
      headers: { origin: more.origin ?? visitor.origin, cookie: visitor.headersOf(secrets).cookie },
    })
    this.socket.on('message', (data) => {
      this.received.push(JSON.parse((data as Buffer).toString()) as PageMessage)
      this.#wake()
    })
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
      this.#wake()
    })
  }

  async until(there: () => boolean): Promise<void> {
    while (!there())
      await this.#running.hasten(
        new Promise<void>((resolve) => {
          this.#wake = resolve
        }),
      )
  }

  async hears(...topics: string[]): Promise<PageMessage> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open')
    const before = this.received.length
    this.socket.send(JSON.stringify({ id: 's', subscribe: topics }))
    await this.until(() => this.received.slice(before).some(({ id }) => id === 's'))
    return this.received.slice(before).find(({ id }) => id === 's') as PageMessage
  }

  of(event: string, kind?: string): PageMessage[] {
    return this.received.filter(
      (message) => message.event === event && (kind === undefined || message.state?.kind === kind),
    )
  }
}
