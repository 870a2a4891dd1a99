import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Clock } from '../lib/clock.ts'
import { BODY_MS, UNLINKED_END_MS } from '../wire/tunnel.ts'
import { refuseStream } from './stream-responses.ts'

/** Handler of the streams of one authority. */
export interface TunnelStreamHandler {
  /** Serves one stream; never throws. */
  handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void
  /** Ends a stream because this way to the home was closed, with a protocol message if there is one. */
  end(stream: ServerHttp2Stream): void
}

/** Clients' open streams in all tunnels, including retired ones. */
export class OpenStreams {
  readonly #clock: Clock
  readonly #open = new Map<ServerHttp2Stream, TunnelStreamHandler>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Tracks a stream until it closes, and passes it to its handler. */
  handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, handler: TunnelStreamHandler): void {
    this.#open.set(stream, handler)
    stream.once('close', () => this.#open.delete(stream))
    if (headers[':method'] !== 'CONNECT' && !stream.endAfterHeaders) this.#boundBody(stream)
    handler.handle(stream, headers)
  }

  /** Limits the time of a request body. The relay's own timeout is shorter, but the relay is not trusted. */
  #boundBody(stream: ServerHttp2Stream): void {
    const cancel = this.#clock.after(BODY_MS, () => refuseStream(stream, constants.NGHTTP2_CANCEL))
    stream.once('end', cancel).once('close', cancel)
  }

  /** Ends the streams of these handlers, or all. Cancels those that are still open after `UNLINKED_END_MS`. */
  end(handlers?: readonly TunnelStreamHandler[]): void {
    const open = [...this.#open].filter(([, handler]) => handlers?.includes(handler) ?? true)
    if (open.length === 0) return
    for (const [stream, handler] of open) handler.end(stream)
    this.#clock.after(UNLINKED_END_MS, () => {
      for (const [stream] of open) refuseStream(stream, constants.NGHTTP2_CANCEL)
    })
  }
}
