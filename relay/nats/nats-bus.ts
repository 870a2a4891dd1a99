import { type Msg, NoRespondersError, RequestError } from '@nats-io/transport-node'
import { parseJson } from '@hm-gateway/lib/json.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import { type Bus, BusUnavailable, MESSAGE_BYTES_MAX, type BusMessageHandler, REQUEST_TIMEOUT_MS } from '../bus/bus.ts'
import type { NatsLink } from './connection.ts'

/** The bus of a relay of several nodes. Its subjects are NATS subjects. */
export class NatsBus implements Bus {
  readonly #link: NatsLink
  readonly #log: Log

  constructor(link: NatsLink, log: Log) {
    this.#link = link
    this.#log = log
  }

  get isUp(): boolean {
    return this.#link.isUp
  }

  publish(subject: string, message: object): void {
    if (this.isUp) this.#link.connection.publish(subject, JSON.stringify(message))
  }

  async request(subject: string, message: object, accept?: (reply: unknown) => boolean): Promise<unknown> {
    if (!this.isUp) throw new BusUnavailable('NATS is disconnected.')
    const text = JSON.stringify(message)
    try {
      return accept === undefined ? await this.#first(subject, text) : await this.#accepted(subject, text, accept)
    } catch (error) {
      if (hasNoSubscriber(error)) return null
      if (error instanceof BusUnavailable) throw error
      throw new BusUnavailable('No node replies over NATS.', { cause: error })
    }
  }

  subscribe(subject: string, handler: BusMessageHandler): () => void {
    const subscription = this.#link.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) this.#log.warn({ err: error, subject }, 'NATS refused a subscription of this node.')
        else this.#handle(message, handler)
      },
    })
    return () => {
      // A closed connection has already ended its subscriptions.
      if (!subscription.isClosed()) subscription.unsubscribe()
    }
  }

  onReconnect(callback: () => void): void {
    this.#link.onReconnect(callback)
  }

  async settled(): Promise<void> {
    if (this.isUp) await this.#link.connection.flush()
  }

  #handle(message: Msg, handler: BusMessageHandler): void {
    const content = contentOf(message)
    if (content === undefined) return
    try {
      const reply = handler(content, message.subject)
      if (reply !== undefined) message.respond(JSON.stringify(reply))
    } catch (error) {
      this.#log.error({ err: error, subject: message.subject }, 'A message from another node could not be handled.')
    }
  }

  async #first(subject: string, text: string): Promise<unknown> {
    return contentOf(await this.#link.connection.request(subject, text, { timeout: REQUEST_TIMEOUT_MS })) ?? null
  }

  async #accepted(subject: string, text: string, accept: (reply: unknown) => boolean): Promise<unknown> {
    let hasReply = false
    const options = { strategy: 'timer', maxWait: REQUEST_TIMEOUT_MS } as const
    for await (const message of await this.#link.connection.requestMany(subject, text, options)) {
      const reply = contentOf(message)
      hasReply = true
      if (reply !== undefined && accept(reply)) return reply
    }
    if (!hasReply) throw new BusUnavailable('No subscriber replies.')
    return null
  }
}

/** Content of a message; undefined if it is too large or not JSON. */
function contentOf({ data }: Msg): unknown {
  if (data.length > MESSAGE_BYTES_MAX) return undefined
  const parsed = parseJson(Buffer.from(data).toString('utf8'))
  return parsed.ok ? parsed.value : undefined
}

function hasNoSubscriber(error: unknown): boolean {
  return error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())
}
