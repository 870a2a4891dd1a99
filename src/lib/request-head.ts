import type { IncomingMessage } from 'node:http'

type Head = Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders'>

const ABSOLUTE = /^(?<origin>[a-z][a-z0-9+.-]*:\/\/[^/?#]*)(?<rest>.*)$/i

/**
 * Converts an absolute-form address to origin form; its host replaces the Host header (RFC 9112 section 3.2.2). A
 * scheme other than https gives an invalid host.
 */
export function originForm(request: Head): void {
  const { url = '/', headers } = request
  const parts = url.startsWith('/') ? null : ABSOLUTE.exec(url)?.groups
  if (!parts) return
  const { origin = '', rest = '' } = parts
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  // The request must have a Host header too.
  if (headers.host !== undefined) headers.host = origin.replace(/^https:\/\//i, '')
}

/** Node uses the first of several such headers; a proxy may have used another. */
export function isRepeated({ rawHeaders }: Pick<Head, 'rawHeaders'>, name: string): boolean {
  let found = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) found += 1
  return found > 1
}

/** True if the request has a body (RFC 9112 section 6.3). */
export function hasBody({ headers }: Pick<Head, 'headers'>): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** True if the server accepted a request's upgrade. */
export function isUpgraded(request: IncomingMessage): boolean {
  return 'upgrade' in request && request.upgrade === true
}

/** True if the client disconnected or timed out before its request was complete, so that a response is pointless. */
export function isAborted({ destroyed, complete }: Pick<IncomingMessage, 'destroyed' | 'complete'>): boolean {
  return destroyed && !complete
}

/** The token of the `Authorization` header; null for another scheme, or with more than one header. */
export function bearer(request: Pick<Head, 'headers' | 'rawHeaders'>): string | null {
  const header = request.headers.authorization
  if (header === undefined || !/^bearer /i.test(header) || isRepeated(request, 'authorization')) return null
  return header.slice('bearer '.length).trim()
}

/**
 * `WWW-Authenticate` of a 401. A caller with a token learns that it is invalid (RFC 6750 section 3); a caller without
 * one learns only how to authenticate. @param token a bearer token as sent; other values are not tokens @param
 * parameters of the challenge, in header format
 */
export function bearerChallenge(token: unknown, parameters: readonly string[] = []): string {
  const isWrong = typeof token === 'string' && token !== ''
  const all = [...parameters, ...(isWrong ? ['error="invalid_token"'] : [])]
  return all.length === 0 ? 'Bearer' : `Bearer ${all.join(', ')}`
}
