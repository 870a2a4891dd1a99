import type { IncomingMessage } from 'node:http'
import { bearer } from '@hm-gateway/lib/request-head.ts'
import { SERIAL } from '@hm-gateway/wire/relay-messages.ts'

/** A real token has about 115 characters. */
const TOKEN_LENGTH_MAX = 200
/** Form of a token (Spec 5 point 2). The relay reads only the gateway's serial; the gateway checks the rest. */
const TOKEN = /^hm_(?:key|agent|session)_([a-z0-9]{12})\.[^.]+\.[^.]+\.[^.]+$/

/** Serial of a token's gateway; null if the token is malformed. */
export function gatewayOf(token: string | null): string | null {
  return token === null || token.length > TOKEN_LENGTH_MAX ? null : (TOKEN.exec(token)?.[1] ?? null)
}

/** Serial in a code of the device flow, `{serial}.{secret}`; null if the code is malformed. */
export function gatewayOfCode(code: string): string | null {
  const [serial = '', secret] = code.split('.', 2)
  return secret !== undefined && SERIAL.test(serial) ? serial : null
}

export interface RequestTarget {
  readonly path: string
  /** Includes the question mark; empty if there is no query. */
  readonly query: string
}

export function addressOf({ url = '/' }: Pick<IncomingMessage, 'url'>): RequestTarget {
  // Asterisk form (RFC 9112 section 3.2.4), which belongs to no endpoint.
  if (!url.startsWith('/')) return { path: '/*', query: '' }
  const question = url.indexOf('?')
  return question < 0 ? { path: url, query: '' } : { path: url.slice(0, question), query: url.slice(question) }
}

/**
 * Reads the token of the stream from its query (Spec 5 point 1) or header, and removes it from the query, so that the
 * token goes no further in an address. Different tokens in one request count as none.
 */
export function streamToken(
  request: IncomingMessage,
  { query }: RequestTarget,
): { token: string | null; query: string } {
  const parameters = new URLSearchParams(query)
  const inQuery = parameters.getAll('token')
  const tokens = [...inQuery, ...(bearer(request) === null ? [] : [bearer(request)])]
  parameters.delete('token')
  const [token = null] = tokens
  const rest = parameters.toString()
  const isUnique = inQuery.length < 2 && tokens.every((other) => other === token)
  return { token: isUnique ? token : null, query: rest === '' ? '' : `?${rest}` }
}
