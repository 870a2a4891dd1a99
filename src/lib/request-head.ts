import type { IncomingMessage } from 'node:http'

type Head = Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders'>

const ABSOLUTE = /^(?<origin>[a-z][a-z0-9+.-]*:\/\/[^/?#]*)(?<rest>.*)$/i

/**
 * Reads an address in absolute form as it would be in origin form, with the host that it names in place of the Host
 * header (RFC 9112 section 3.2.2). Of another scheme than https the host is one that nobody has.
 */
export function originForm(request: Head): void {
  const { url = '/', headers } = request
  const parts = url.startsWith('/') ? null : ABSOLUTE.exec(url)?.groups
  if (!parts) return
  const { origin = '', rest = '' } = parts
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  // A request must have a Host header all the same.
  if (headers.host !== undefined) headers.host = origin.replace(/^https:\/\//i, '')
}

/** Node shows the first of several such headers; a proxy in front may have read another. */
export function isRepeated({ rawHeaders }: Pick<Head, 'rawHeaders'>, name: string): boolean {
  let found = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) found += 1
  return found > 1
}

/** Whether a body comes with a request (RFC 9112 section 6.3). */
export function hasBody({ headers }: Pick<Head, 'headers'>): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Whether the server took a request's wish to upgrade its connection. */
export function isUpgraded(request: IncomingMessage): boolean {
  return 'upgrade' in request && request.upgrade === true
}

/** Whether the client hung up, or took too long, before its request was whole: nobody waits for an answer. */
export function hasLeft({ destroyed, complete }: Pick<IncomingMessage, 'destroyed' | 'complete'>): boolean {
  return destroyed && !complete
}

/** The token of the `Authorization` header, or null where there is none of that kind, or more than one header. */
export function bearer(request: Pick<Head, 'headers' | 'rawHeaders'>): string | null {
  const header = request.headers.authorization
  if (header === undefined || !/^bearer /i.test(header) || isRepeated(request, 'authorization')) return null
  return header.slice('bearer '.length).trim()
}

/**
 * `WWW-Authenticate` of a 401. A caller that sent a token learns that the token is at fault (RFC 6750 section 3); a
 * caller without one learns only how to authenticate.
 *
 * @param token a bearer token as sent; anything else is no token
 * @param parameters of the challenge, as they stand in the header
 */
export function bearerChallenge(token: unknown, parameters: readonly string[] = []): string {
  const isWrong = typeof token === 'string' && token !== ''
  const all = [...parameters, ...(isWrong ? ['error="invalid_token"'] : [])]
  return all.length === 0 ? 'Bearer' : `Bearer ${all.join(', ')}`
}
