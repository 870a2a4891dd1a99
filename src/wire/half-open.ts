import type { Duplex } from 'node:stream'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { HALF_OPEN_MS } from './tunnel.ts'

/** A stream of HTTP/2, of either end. */
type Stream = Duplex & { close(code?: number): void }

/** RFC 9113 section 7. */
const NO_ERROR = 0
const CANCEL = 8

/**
 * Frees a stream that is of no further use to this end. Closing it is not enough: Node keeps a closed stream until its
 * bytes are read and written, which may never happen.
 */
export function abandon(stream: Stream, code: number = CANCEL): void {
  stream.close(code)
  stream.destroy()
}

/**
 * Closes a stream as soon as its answer has left. An incomplete request would otherwise keep its place in the tunnel; a
 * complete one has closed the stream already. NO_ERROR lets the other end read the rest of the answer (RFC 9113 section
 * 8.1).
 */
export function closeOnceSent(stream: Stream): void {
  stream.once('finish', () => closeSent(stream))
}

/** The same once a HEAD request has its answer: Node finishes such a stream before it is answered. */
export function closeAnsweredHead(stream: Stream): void {
  if (stream.writableFinished) closeSent(stream)
}

/** Unread bytes of the request would keep the closed stream open, so they are dropped. */
function closeSent(stream: Stream): void {
  stream.close(NO_ERROR)
  stream.unpipe()
  stream.resume()
}

/**
 * Ends a stream that stays open after its answer has ended. The server closes it first, so that this end seldom has to
 * send a reset: a server takes only so many (`STREAM_RESETS`). Bytes of the request that are not sent yet would keep a
 * closed stream open.
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
