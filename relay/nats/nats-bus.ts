import { type Msg, NoRespondersError, RequestError } from '@nats-io/transport-node'
import { parseJson } from '@hm-gateway/lib/json.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import { ASK_MS, type Bus, BusUnavailable, type Listening, MESSAGE_BYTES_MAX } from '../bus/bus.ts'
import type { NatsLink } from './connection.ts'

/** The bus of a relay of several nodes: subjects of NATS as they are. */
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

  tell(subject: string, message: object): void {
    if (this.isUp) this.#link.connection.publish(subject, JSON.stringify(message))
  }

  async ask(subject: string, message: object, accept?: (answer: unknown) => boolean): Promise<unknown> {
    if (!this.isUp) throw new BusUnavailable('NATS is away.')
    const text = JSON.stringify(message)
    try {
      return accept === undefined ? await this.#first(subject, text) : await this.#accepted(subject, text, accept)
    } catch (error) {
      if (isNobody(error)) return null
      if (error instanceof BusUnavailable) throw error
      throw new BusUnavailable('Nobody answers over NATS.', { cause: error })
    }
  }

  listen(subject: string, listening: Listening): () => void {
    const subscription = this.#link.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) this.#log.warn({ err: error, subject }, 'NATS does not let this node listen.')
        else this.#heard(message, listening)
      },
    })
    return () => {
      // A connection that was closed has no subscriptions any more.
      if (!subscription.isClosed()) subscription.unsubscribe()
    }
  }

  onReturn(returned: () => void): void {
    this.#link.onReturn(returned)
  }

  async settled(): Promise<void> {
    if (this.isUp) await this.#link.connection.flush()
  }

  #heard(message: Msg, { heard }: Listening): void {
    const content = contentOf(message)
    if (content === undefined) return
    try {
      const answer = heard(content, message.subject)
      if (answer !== undefined) message.respond(JSON.stringify(answer))
    } catch (error) {
      this.#log.error({ err: error, subject: message.subject }, 'What another node said was not taken.')
    }
  }

  async #first(subject: string, text: string): Promise<unknown> {
    return contentOf(await this.#link.connection.request(subject, text, { timeout: ASK_MS })) ?? null
  }

  async #accepted(subject: string, text: string, accept: (answer: unknown) => boolean): Promise<unknown> {
    let isAnswered = false
    const messages = await this.#link.connection.requestMany(subject, text, { strategy: 'timer', maxWait: ASK_MS })
    for await (const message of messages) {
      const answer = contentOf(message)
      isAnswered = true
      if (answer !== undefined && accept(answer)) return answer
    }
    if (!isAnswered) throw new BusUnavailable('Nobody who listens answers.')
    return null
  }
}

/** Undefined for what is no message of the relay's. */
function contentOf({ data }: Msg): unknown {
  if (data.length > MESSAGE_BYTES_MAX) return undefined
  const parsed = parseJson(Buffer.from(data).toString('utf8'))
  return parsed.ok ? parsed.value : undefined
}

function isNobody(error: unknown): boolean {
  return error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())
}
