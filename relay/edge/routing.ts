import type { IncomingMessage } from 'node:http'
import { bearer } from '@hm-gateway/lib/request-head.ts'
import { SERIAL } from '@hm-gateway/wire/control.ts'

/** A real token has about 115 characters. */
const TOKEN_LENGTH_MAX = 200
/** Token form (Spec 5 point 2), of which the relay reads nothing but the gateway's id; the gateway judges the rest. */
const TOKEN = /^hm_(?:key|agent|session)_([a-z0-9]{12})\.[^.]+\.[^.]+\.[^.]+$/

/** Which gateway a token is of, or null where it has not the form of one. */
export function gatewayOf(token: string | null): string | null {
  return token === null || token.length > TOKEN_LENGTH_MAX ? null : (TOKEN.exec(token)?.[1] ?? null)
}

/** Which gateway a code of the device flow is of, `{serial}.{secret}`, or null. */
export function gatewayOfCode(code: string): string | null {
  const [serial = '', secret] = code.split('.', 2)
  return secret !== undefined && SERIAL.test(serial) ? serial : null
}

/** Path and query of a request's address. */
export interface Address {
  readonly path: string
  /** With its question mark; empty where there is none. */
  readonly query: string
}

export function addressOf({ url = '/' }: Pick<IncomingMessage, 'url'>): Address {
  // Not a path, but a request all the same (RFC 9112 section 3.2.4): of no endpoint.
  if (!url.startsWith('/')) return { path: '/*', query: '' }
  const question = url.indexOf('?')
  return question < 0 ? { path: url, query: '' } : { path: url.slice(0, question), query: url.slice(question) }
}

/**
 * The token of the stream's address (Spec 5 point 1) and the query without it: a token must not travel in an address
 * any further. Several that differ, or one beside another in the header, are no credential.
 */
export function streamToken(request: IncomingMessage, { query }: Address): { token: string | null; query: string } {
  const parameters = new URLSearchParams(query)
  const inQuery = parameters.getAll('token')
  const given = [...inQuery, ...(bearer(request) === null ? [] : [bearer(request)])]
  parameters.delete('token')
  const [token = null] = given
  const rest = parameters.toString()
  const isOne = inQuery.length < 2 && given.every((each) => each === token)
  return { token: isOne ? token : null, query: rest === '' ? '' : `?${rest}` }
}
