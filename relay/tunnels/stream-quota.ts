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
import { FairShares } from '../limits/fair-shares.ts'

/** Admitted credentials remembered for one tunnel; the least recently added is dropped first. */
export const ADMITTED_MAX = 512
/**
 * After this time an end-to-end connection counts as authenticated, because the gateway closes others after
 * `END_TO_END_PROOF_MS`. The remaining 5 s cover the gateway's timer and the network.
 */
export const AUTHENTICATED_AFTER_MS = 20_000

/** Limits of concurrent streams. */
export interface StreamLimits {
  readonly streams: number
  /** Requests whose credential the home has not admitted. */
  readonly strangers: number
  readonly endToEnd: number
  /** End-to-end connections younger than `AUTHENTICATED_AFTER_MS`. */
  readonly unauthenticated: number
}

/** Strangers leave 64 streams of a gateway's tunnel free. */
export const TUNNEL_STREAM_LIMITS: StreamLimits = {
  streams: STREAMS_MAX,
  strangers: STREAMS_OF_STRANGERS_MAX,
  endToEnd: STREAMS_END_TO_END_MAX,
  unauthenticated: STREAMS_END_TO_END_UNPROVED_MAX,
}

export type ExhaustedQuota = 'all' | 'strangers' | 'end_to_end' | 'credential'

/**
 * Bounds the concurrent streams of one session. Strangers, whose credential the home has not admitted, share a
 * separate quota: when it is exhausted, the address with the most streams loses one.
 */
export class StreamQuota {
  readonly #limits: StreamLimits
  readonly #clock: Clock
  readonly #streams = new Set<ClientHttp2Stream>()
  readonly #ofCredential = new Counts()
  readonly #strangers = new FairShares<ClientHttp2Stream>()
  readonly #unauthenticated = new FairShares<ClientHttp2Stream>()
  readonly #endToEnd = new Set<ClientHttp2Stream>()
  readonly #admitted = new AdmittedCredentials(ADMITTED_MAX)

  constructor(limits: StreamLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  get streams(): ReadonlySet<ClientHttp2Stream> {
    return this.#streams
  }

  /** Makes room for a request, if necessary by ending a stranger's stream. Returns the exhausted quota, or null. */
  makeRoom(headers: OutgoingHttpHeaders): ExhaustedQuota | null {
    const { streams, strangers, endToEnd, unauthenticated } = this.#limits
    const peer = peerIn(headers)
    const credential = credentialOf(headers)
    if (credential !== null && this.#ofCredential.of(credential) >= STREAMS_OF_CREDENTIAL_MAX) return 'credential'
    const quota = this.#quotaOf(headers, credential)
    const endToEndFull = this.#endToEnd.size >= endToEnd || this.#unauthenticated.size >= unauthenticated
    if (quota === 'end_to_end' && endToEndFull && !this.#evict(this.#unauthenticated, peer)) return quota
    if (quota === 'strangers' && this.#strangers.size >= strangers && !this.#evict(this.#strangers, peer)) return quota
    if (this.#streams.size < streams) return null
    // An admitted credential takes the stream of a stranger when the session is full.
    if (quota === null && (this.#evict(this.#strangers, '') || this.#evict(this.#unauthenticated, ''))) return null
    return 'all'
  }

  /** Counts a stream until it closes. */
  add(stream: ClientHttp2Stream, headers: OutgoingHttpHeaders): void {
    const credential = credentialOf(headers)
    const quota = this.#quotaOf(headers, credential)
    this.#streams.add(stream)
    stream.once('close', () => this.#release(stream))
    if (credential !== null) stream.once('close', this.#ofCredential.add(credential))
    if (quota === 'end_to_end') this.#addEndToEnd(stream, peerIn(headers))
    if (quota === 'strangers') this.#strangers.add(stream, peerIn(headers))
    if (credential === null) return
    stream.once('response', ({ ':status': status = 0 }) => {
      if (!this.#streams.has(stream)) return
      if (isAdmission(status)) this.#strangers.delete(stream)
      this.#admitted.noteStatus(credential, status)
    })
  }

  #addEndToEnd(stream: ClientHttp2Stream, peer: string): void {
    this.#endToEnd.add(stream)
    this.#unauthenticated.add(stream, peer)
    const cancel = this.#clock.after(AUTHENTICATED_AFTER_MS, () => this.#unauthenticated.delete(stream))
    stream.once('close', cancel)
  }

  /** Ends one stream of the address with the most, to make room for this peer; false if the peer has as many. */
  #evict(shares: FairShares<ClientHttp2Stream>, peer: string): boolean {
    const victim = shares.victimFor(peer)
    if (victim === null) return false
    this.#release(victim)
    abandon(victim, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    return true
  }

  #release(stream: ClientHttp2Stream): void {
    this.#streams.delete(stream)
    this.#strangers.delete(stream)
    this.#unauthenticated.delete(stream)
    this.#endToEnd.delete(stream)
  }

  /** The separate quota of a request; null for an admitted credential and for the relay's own requests. */
  #quotaOf(headers: OutgoingHttpHeaders, credential: string | null): 'strangers' | 'end_to_end' | null {
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

/** Address of the client, as reported by the node that accepted its connection. */
function peerIn(headers: OutgoingHttpHeaders): string {
  return String(headers[PEER_HEADER] ?? '')
}

function credentialOf({ authorization }: OutgoingHttpHeaders): string | null {
  return authorization === undefined ? null : digestOf(authorization)
}
