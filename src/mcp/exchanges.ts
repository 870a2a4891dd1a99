import type { Via } from '../auth/credential.ts'

/** Exchanges under way at once: a client has few, and each holds a connection anyway. */
export const EXCHANGES_MAX = 256
export const CREDENTIAL_EXCHANGES_MAX = 32

/** Whose an exchange is, as it is asked again and again whether it may go on. */
export interface ExchangeOwner {
  readonly token: string
  readonly via: Via
  readonly link: string
}

/** The requests that are being answered, streams included; each can be ended at once. */
export class Exchanges {
  readonly #open = new Map<AbortController, ExchangeOwner>()

  /** Whether one more of this credential may begin. */
  full(link: string): boolean {
    const own = [...this.#open.values()].filter((owner) => owner.link === link)
    return this.#open.size >= EXCHANGES_MAX || own.length >= CREDENTIAL_EXCHANGES_MAX
  }

  begin(owner: ExchangeOwner): AbortController {
    const exchange = new AbortController()
    this.#open.set(exchange, owner)
    return exchange
  }

  end(exchange: AbortController): void {
    this.#open.delete(exchange)
  }

  /** Ends those whose owner is not to go on. */
  endWhere(over: (owner: ExchangeOwner) => boolean): void {
    for (const [exchange, owner] of this.#open) {
      if (!over(owner)) continue
      this.#open.delete(exchange)
      exchange.abort()
    }
  }
}

/** The response with a body that ends when `signal` says so, and says when it has ended, whoever ended it. */
export function endable(response: Response, signal: AbortSignal, ended: () => void): Response {
  if (response.body === null) {
    ended()
    return response
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
  const stop = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const finish = (): void => {
    signal.removeEventListener('abort', stop)
    ended()
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        // A reader that is cancelled is done.
        const piece = await reader.read()
        if (!piece.done) return controller.enqueue(piece.value)
        finish()
        controller.close()
      } catch (error) {
        finish()
        controller.error(error)
      }
    },
    cancel: () => {
      finish()
      stop()
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
