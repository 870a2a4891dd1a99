import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Clock } from '../lib/clock.ts'
import { BODY_MS, REPEATS_MAX, REPEATS_MS, REQUEST_ID, UNLINKED_END_MS } from '../wire/tunnel.ts'
import { refuseStream } from './answering.ts'

/** What takes the streams of one authority. */
export interface Streams {
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void
  /**
   * The home is not reached in this way any more: ends what the stream carries, in words of its own where it has some.
   */
  end(stream: ServerHttp2Stream): void
}

/** What clients have open through any tunnel, also one that another has taken the place of. */
export class OpenStreams {
  readonly #clock: Clock
  readonly #open = new Map<ServerHttp2Stream, Streams>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, streams: Streams): void {
    this.#open.set(stream, streams)
    stream.once('close', () => this.#open.delete(stream))
    if (headers[':method'] !== 'CONNECT' && !stream.endAfterHeaders) this.#boundBody(stream)
    streams.take(stream, headers)
  }

  /** The relay gives up such a request sooner; this bound holds whatever the relay does. */
  #boundBody(stream: ServerHttp2Stream): void {
    const cancel = this.#clock.after(BODY_MS, () => refuseStream(stream, constants.NGHTTP2_CANCEL))
    stream.once('end', cancel).once('close', cancel)
  }

  /** Ends those of these, or all; what has not ended in time by itself is cut off. */
  end(which?: readonly Streams[]): void {
    const open = [...this.#open].filter(([, streams]) => which?.includes(streams) ?? true)
    if (open.length === 0) return
    for (const [stream, streams] of open) streams.end(stream)
    this.#clock.after(UNLINKED_END_MS, () => {
      for (const [stream] of open) refuseStream(stream, constants.NGHTTP2_CANCEL)
    })
  }
}

/**
 * The requests that came lately, by the relay's id: one that comes twice is not carried out twice, by whatever way.
 */
export class Repeats {
  readonly #clock: Clock
  readonly #seen = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this is the first request by this id within `REPEATS_MS`; an id of another form is none. */
  isFirst(id: string | undefined): boolean {
    if (id === undefined || !REQUEST_ID.test(id)) return false
    const now = this.#clock.monotonic()
    for (const [each, at] of this.#seen) {
      if (now - at <= REPEATS_MS && this.#seen.size < REPEATS_MAX) break
      this.#seen.delete(each)
    }
    if (this.#seen.has(id)) return false
    this.#seen.set(id, now)
    return true
  }
}
