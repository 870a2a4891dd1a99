import type { AuthFailure } from '../auth/authenticator.ts'
import type { Door } from '../auth/door.ts'
import type { ChannelLimits, ChannelOwner } from '../auth/open-channels.ts'

/** Requests under way at once, streams included: a client has few, and each holds a connection anyway. */
export const REQUEST_LIMITS: ChannelLimits = { all: 256, perCredential: 32 }

/** Who sends a request of the protocol. */
export interface RequestOwner extends ChannelOwner {
  readonly token: string
  readonly door: Door
}

/** A request that is being answered, its stream included; aborting it ends both. */
export interface OpenRequest extends RequestOwner {
  readonly abort: AbortController
  /** Why the gateway ended it; null unless it did. */
  ended: AuthFailure | 'stopping' | null
}

/**
 * The response with a body that ends when `signal` is aborted; `ended` is called once the body has ended for whatever
 * reason.
 */
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
