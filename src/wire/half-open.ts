import type { Duplex } from 'node:stream'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { HALF_OPEN_MS } from './tunnel.ts'

/** An HTTP/2 stream of either end. */
type Stream = Duplex & { close(code?: number): void }

/** RFC 9113 section 7. */
const NO_ERROR = 0
const CANCEL = 8

/**
 * Frees a stream that this end no longer needs. Closing is not enough: Node keeps a closed stream until its bytes are
 * read and written, which may never happen.
 */
export function abandon(stream: Stream, code: number = CANCEL): void {
  stream.close(code)
  stream.destroy()
}

/**
 * Closes a stream as soon as its response is sent. Otherwise an incomplete request would keep its place in the tunnel.
 * NO_ERROR lets the other end read the rest of the response (RFC 9113 section 8.1).
 */
export function closeOnceSent(stream: Stream): void {
  stream.once('finish', () => closeSent(stream))
}

/** Closes the stream of an answered HEAD request, which Node finishes before the response. */
export function closeAnsweredHead(stream: Stream): void {
  if (stream.writableFinished) closeSent(stream)
}

/** Drops unread bytes of the request, which would keep the closed stream open. */
function closeSent(stream: Stream): void {
  stream.close(NO_ERROR)
  stream.unpipe()
  stream.resume()
}

/**
 * Frees a stream that stays open after its response has ended. The server normally closes it first, so this end seldom
 * sends a reset, which servers limit (`STREAM_RESETS`). Unsent bytes of the request would keep a closed stream open.
 */
export function boundHalfOpen(stream: Stream, clock: Clock): void {
  stream.once('end', () => {
    if (stream.closed) return abandon(stream)
    stream.once(
      'close',
      clock.after(HALF_OPEN_MS, () => abandon(stream)),
    )
  })
}
