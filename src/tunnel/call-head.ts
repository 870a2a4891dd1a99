import type { IncomingHttpHeaders } from 'node:http2'
import { isIP } from 'node:net'
import { parse } from 'node:querystring'
import type { CallHead } from '../api/call.ts'
import { bearer } from '../lib/request-head.ts'
import { PEER_HEADER } from '../wire/tunnel.ts'

/** Head of a relayed request, read from its headers. */
export interface RelayedHead extends CallHead {
  readonly path: string
}

/** Reads the head; null if the relay did not name the client's address. */
export function headOf(headers: IncomingHttpHeaders): RelayedHead | null {
  const peer = peerIn(headers)
  if (peer === null) return null
  const [path = '/', query] = (headers[':path'] ?? '/').split(/\?(.*)/s, 2)
  return {
    method: headers[':method'] ?? 'GET',
    path,
    // A repeated parameter becomes a list, which the pipeline refuses.
    query: query === undefined ? {} : (parse(query) as Record<string, string>),
    token: bearer({ headers, rawHeaders: [] }),
    via: 'cloud',
    peer,
    idempotencyKey: headers['idempotency-key']?.toString(),
    ifNoneMatch: headers['if-none-match'],
    acceptEncoding: headers['accept-encoding']?.toString(),
  }
}

/** Client's address as reported by the relay, or null. */
export function peerIn(headers: IncomingHttpHeaders): string | null {
  const peer = headers[PEER_HEADER]
  return typeof peer === 'string' && isIP(peer) !== 0 ? peer : null
}
