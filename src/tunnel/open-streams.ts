import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Clock } from '../lib/clock.ts'
import { BODY_MS, DUPLICATES_MAX, DUPLICATES_MS, REQUEST_ID, UNLINKED_END_MS } from '../wire/tunnel.ts'
import { refuseStream } from './answering.ts'

/** Handler of the streams of one authority. */
export interface Streams {
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void
  /** Ends a stream because this way to the home was closed, with a protocol message if there is one. */
  end(stream: ServerHttp2Stream): void
}

/** Clients' open streams in all tunnels, including retired ones. */
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

  /** Limits the time of a request body. The relay's own timeout is shorter, but the relay is not trusted. */
  #boundBody(stream: ServerHttp2Stream): void {
    const cancel = this.#clock.after(BODY_MS, () => refuseStream(stream, constants.NGHTTP2_CANCEL))
    stream.once('end', cancel).once('close', cancel)
  }

  /** Ends the streams of these handlers, or all; cancels those that are still open after a grace period. */
  end(which?: readonly Streams[]): void {
    const open = [...this.#open].filter(([, streams]) => which?.includes(streams) ?? true)
    if (open.length === 0) return
    for (const [stream, streams] of open) streams.end(stream)
    this.#clock.after(UNLINKED_END_MS, () => {
      for (const [stream] of open) refuseStream(stream, constants.NGHTTP2_CANCEL)
    })
  }
}

/** Ids of recent requests, so that a request repeated by the relay over any tunnel is not carried out twice. */
export class DuplicateRequests {
  readonly #clock: Clock
  readonly #seen = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True for the first request with this id within `DUPLICATES_MS`; false for an invalid id. */
  isFirst(id: string | undefined): boolean {
    if (id === undefined || !REQUEST_ID.test(id)) return false
    const now = this.#clock.monotonic()
    for (const [oldId, at] of this.#seen) {
      if (now - at <= DUPLICATES_MS && this.#seen.size < DUPLICATES_MAX) break
      this.#seen.delete(oldId)
    }
    if (this.#seen.has(id)) return false
    this.#seen.set(id, now)
    return true
  }
}
