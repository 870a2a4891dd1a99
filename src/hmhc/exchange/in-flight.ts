import { fail } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import type { Reply } from '../message/messages.ts'
import type { Exchange, ExchangeFailure } from './exchange.ts'

/** The requests that were handed to the link and have no reply yet. */
export class InFlight {
  readonly #byId = new Map<number, Exchange>()
  /** To be sent again, because the session broke before their reply. */
  #again: Exchange[] = []
  /** The one that the link has and the adapter did not acknowledge yet. */
  #sending: Exchange | null = null
  #lastId = 0

  get byId(): ReadonlyMap<number, Exchange> {
    return this.#byId
  }

  get sending(): Exchange | null {
    return this.#sending
  }

  /** An id that no request in flight has. */
  nextId(): number {
    do this.#lastId = (this.#lastId % 0xffff) + 1
    while (this.#byId.has(this.#lastId))
    return this.#lastId
  }

  /** The next one that is to be sent again, or null. */
  takeAgain(): Exchange | null {
    return this.#again.shift() ?? null
  }

  /** The link takes it, for the first time or again. */
  begin(exchange: Exchange): void {
    this.#byId.set(exchange.id, exchange)
    this.#sending = exchange
    exchange.setTimer(() => {})
  }

  /** The adapter has what was sent; answers which one, unless it is over already. */
  acked(): Exchange | null {
    const exchange = this.#sending
    this.#sending = null
    return exchange !== null && this.#byId.has(exchange.id) ? exchange : null
  }

  settle(exchange: Exchange, result: Result<Reply, ExchangeFailure>): void {
    this.#byId.delete(exchange.id)
    this.#again = this.#again.filter((other) => other !== exchange)
    exchange.settle(result)
  }

  /** The session is over: what was being sent is not, and a hello belongs to its session. */
  endSession(): void {
    this.#sending = null
    for (const exchange of [...this.#byId.values()])
      if (exchange.request.name === 'hello') this.settle(exchange, fail('link_lost'))
  }

  /** Keeps what was sent less than three times: it may be sent again with its id, if the same adapter is back soon. */
  keepForRejoin(): void {
    for (const exchange of [...this.#byId.values()]) {
      if (exchange.sendsLeft > 0) exchange.setTimer(() => {})
      else this.settle(exchange, fail('link_lost'))
    }
    this.#again = [...this.#byId.values()]
  }

  /** All fail, but a hello: it is what brings the session up. */
  failAll(failure: ExchangeFailure): void {
    const failed = [...this.#byId.values()].filter((exchange) => exchange.request.name !== 'hello')
    for (const exchange of failed) this.#byId.delete(exchange.id)
    this.#again = []
    for (const exchange of failed) exchange.settle(fail(failure))
  }
}
