import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'
import {
  PEER_HEADER,
  STREAMS_END_TO_END_MAX,
  STREAMS_END_TO_END_UNPROVED_MAX,
  STREAMS_MAX,
  STREAMS_OF_CREDENTIAL_MAX,
  STREAMS_OF_STRANGERS_MAX,
} from '@hm-gateway/wire/tunnel.ts'
import { AdmittedCredentials, digestOf, isAdmission } from '../limits/admitted-credentials.ts'
import { Counts } from '../limits/counts.ts'
import { FairPlaces } from '../limits/fair-places.ts'

/** Credentials of one tunnel that are known to be admitted; the one admitted longest ago is forgotten first. */
export const ADMITTED_MAX = 512
/**
 * An end-to-end connection of this age has shown a credential: the gateway would have ended it otherwise, after
 * `END_TO_END_PROOF_MS`. The other seconds are for the gateway's next look at its clock, and for the way to the relay.
 */
export const PROVED_AFTER_MS = 20_000

/** How many streams a session takes at once: in all, without an admitted credential, and end to end. */
export interface PlacesBounds {
  readonly streams: number
  readonly strangers: number
  readonly endToEnd: number
  /** End-to-end connections that may be strangers'. */
  readonly unproved: number
}

/** Of a gateway's tunnel: 64 places are left if strangers take all of theirs. */
export const TUNNEL_PLACES: PlacesBounds = {
  streams: STREAMS_MAX,
  strangers: STREAMS_OF_STRANGERS_MAX,
  endToEnd: STREAMS_END_TO_END_MAX,
  unproved: STREAMS_END_TO_END_UNPROVED_MAX,
}

/** Which places are all taken. */
export type FullPlaces = 'all' | 'strangers' | 'end_to_end' | 'credential'

/**
 * The places for streams of one session. Streams whose credential the home has not admitted have places of their own,
 * which their addresses share: if those are short, the address with the most gives one up.
 */
export class Places {
  readonly #bounds: PlacesBounds
  readonly #clock: Clock
  readonly #streams = new Set<ClientHttp2Stream>()
  readonly #ofCredential = new Counts()
  readonly #strangers = new FairPlaces<ClientHttp2Stream>()
  readonly #unproved = new FairPlaces<ClientHttp2Stream>()
  readonly #endToEnd = new Set<ClientHttp2Stream>()
  readonly #admitted = new AdmittedCredentials(ADMITTED_MAX)

  constructor(bounds: PlacesBounds, clock: Clock) {
    this.#bounds = bounds
    this.#clock = clock
  }

  get streams(): ReadonlySet<ClientHttp2Stream> {
    return this.#streams
  }

  /** Makes room for a request of these headers; answers which places are too full for it, or null. */
  makeRoom(headers: OutgoingHttpHeaders): FullPlaces | null {
    const { streams, strangers, endToEnd, unproved } = this.#bounds
    const peer = peerIn(headers)
    const credential = credentialOf(headers)
    if (credential !== null && this.#ofCredential.of(credential) >= STREAMS_OF_CREDENTIAL_MAX) return 'credential'
    const kind = this.#kindOf(headers, credential)
    const areConnectionsShort = this.#endToEnd.size >= endToEnd || this.#unproved.size >= unproved
    if (kind === 'end_to_end' && areConnectionsShort && !this.#pushOut(this.#unproved, peer)) return kind
    if (kind === 'strangers' && this.#strangers.size >= strangers && !this.#pushOut(this.#strangers, peer)) return kind
    if (this.#streams.size < streams) return null
    // Strangers also make room for an admitted credential when all places are taken.
    if (kind === null && (this.#pushOut(this.#strangers, '') || this.#pushOut(this.#unproved, ''))) return null
    return 'all'
  }

  /** Counts a stream until it closes. */
  enter(stream: ClientHttp2Stream, headers: OutgoingHttpHeaders): void {
    const credential = credentialOf(headers)
    const kind = this.#kindOf(headers, credential)
    this.#streams.add(stream)
    stream.once('close', () => this.#leave(stream))
    if (credential !== null) stream.once('close', this.#ofCredential.add(credential))
    if (kind === 'end_to_end') this.#connect(stream, peerIn(headers))
    if (kind === 'strangers') this.#strangers.add(stream, peerIn(headers))
    if (credential === null) return
    stream.once('response', ({ ':status': status = 0 }) => {
      if (!this.#streams.has(stream)) return
      if (isAdmission(status)) this.#strangers.delete(stream)
      this.#admitted.answered(credential, status)
    })
  }

  #connect(stream: ClientHttp2Stream, peer: string): void {
    this.#endToEnd.add(stream)
    this.#unproved.add(stream, peer)
    const cancel = this.#clock.after(PROVED_AFTER_MS, () => this.#unproved.delete(stream))
    stream.once('close', cancel)
  }

  /** Ends the stream that has to give its place to this peer; false if none has to. */
  #pushOut(places: FairPlaces<ClientHttp2Stream>, peer: string): boolean {
    const rival = places.rivalOf(peer)
    if (rival === null) return false
    this.#leave(rival)
    abandon(rival, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    return true
  }

  #leave(stream: ClientHttp2Stream): void {
    this.#streams.delete(stream)
    this.#strangers.delete(stream)
    this.#unproved.delete(stream)
    this.#endToEnd.delete(stream)
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
}

/** The client's address, as the node says that the client connected to. */
function peerIn(headers: OutgoingHttpHeaders): string {
  return String(headers[PEER_HEADER] ?? '')
}

function credentialOf({ authorization }: OutgoingHttpHeaders): string | null {
  return authorization === undefined ? null : digestOf(authorization)
}
