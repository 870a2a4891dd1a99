import { createHash } from 'node:crypto'
import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import {
  STREAMS_END_TO_END_MAX,
  STREAMS_MAX,
  STREAMS_OF_CREDENTIAL_MAX,
  STREAMS_OF_STRANGERS_MAX,
} from '../../src/wire/tunnel.ts'
import { Counts } from '../counts.ts'

/** Credentials of one tunnel that are known to be admitted; the one admitted longest ago is forgotten first. */
export const ADMITTED_MAX = 512

/** How many streams a session takes at once: in all, without an admitted credential, and end to end. */
export interface PlacesBounds {
  readonly streams: number
  readonly strangers: number
  readonly endToEnd: number
}

/** Of a gateway's tunnel: 64 places are left if strangers take all of theirs. */
export const TUNNEL_PLACES: PlacesBounds = {
  streams: STREAMS_MAX,
  strangers: STREAMS_OF_STRANGERS_MAX,
  endToEnd: STREAMS_END_TO_END_MAX,
}

/** Which places are all taken. */
export type FullPlaces = 'all' | 'strangers' | 'end_to_end' | 'credential'

/**
 * The places for streams of one session. Requests whose credential the home has not admitted have places of their own.
 */
export class Places {
  readonly #bounds: PlacesBounds
  readonly #streams = new Set<ClientHttp2Stream>()
  readonly #ofCredential = new Counts()
  readonly #ofKind = new Counts()
  /** Digests, so that no token is stored. */
  readonly #admitted = new Set<string>()

  constructor(bounds: PlacesBounds) {
    this.#bounds = bounds
  }

  get streams(): ReadonlySet<ClientHttp2Stream> {
    return this.#streams
  }

  /** Which places are too full for a request of these headers; null if there is room. */
  fullFor(headers: OutgoingHttpHeaders): FullPlaces | null {
    const { streams, strangers, endToEnd } = this.#bounds
    if (this.#streams.size >= streams) return 'all'
    const credential = credentialOf(headers)
    if (credential !== null && this.#ofCredential.of(credential) >= STREAMS_OF_CREDENTIAL_MAX) return 'credential'
    const kind = this.#kindOf(headers, credential)
    if (kind === 'end_to_end' && this.#ofKind.of(kind) >= endToEnd) return kind
    if (kind === 'strangers' && this.#ofKind.of(kind) >= strangers) return kind
    return null
  }

  /** Counts a stream until it closes. */
  enter(stream: ClientHttp2Stream, headers: OutgoingHttpHeaders): void {
    const credential = credentialOf(headers)
    const kind = this.#kindOf(headers, credential)
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
    if (credential !== null) stream.once('close', this.#ofCredential.add(credential))
    const leave = kind === null ? null : this.#ofKind.add(kind)
    if (leave !== null) stream.once('close', leave)
    if (credential === null) return
    stream.once('response', ({ ':status': status = 0 }) => {
      if (status === 401) this.#admitted.delete(credential)
      if (!isAdmission(status) || kind !== 'strangers' || leave === null || !this.#streams.has(stream)) return
      stream.off('close', leave)
      leave()
      this.#admit(credential)
    })
  }

  #kindOf(headers: OutgoingHttpHeaders, credential: string | null): 'strangers' | 'end_to_end' | null {
    switch (headers[':authority']) {
      case 'tls':
        return 'end_to_end'
      case 'api':
      case 'mcp':
        return credential !== null && this.#admitted.has(credential) ? null : 'strangers'
      default:
        return null
    }
  }

  #admit(credential: string): void {
    this.#admitted.add(credential)
    const [oldest] = this.#admitted
    if (this.#admitted.size > ADMITTED_MAX && oldest !== undefined) this.#admitted.delete(oldest)
  }
}

/** A digest of the token, which is a long random one. */
function credentialOf({ authorization }: OutgoingHttpHeaders): string | null {
  return authorization === undefined ? null : createHash('sha256').update(authorization).digest('base64')
}

/** Only a credential that the home admits gets such an answer. */
function isAdmission(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304
}
