import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { sessionCookieName, SHARED_COOKIE } from '../admin/console-entry.ts'
import { peerOf } from './reply.ts'
import type { ConsoleSessions, PersonSession } from '../auth/persons/console-sessions.ts'

/**
 * Prefix of a WebSocket protocol name that carries the half of a session: pages cannot set headers of an upgrade. The
 * half is the secret that scripts hold; the cookie is the other secret.
 */
export const HALF_PROTOCOL_PREFIX = 'hm-session.'

export interface SessionParts {
  /** Serial of the gateway. */
  readonly gateway: string
  readonly sessions: Pick<ConsoleSessions, 'of' | 'state'>
  /** True for an address in the networks of the home, or of this machine. */
  readonly isAtHome: (peer: string) => boolean
}

/**
 * Session of a request with both secrets from one of the console's own pages, or null. A request with a bearer token
 * comes from a program, never from a person.
 */
export function sessionOf(
  { method = 'GET', headers, socket }: Pick<IncomingMessage, 'method' | 'headers' | 'socket'>,
  parts: SessionParts,
): PersonSession | null {
  if (headers.authorization !== undefined) return null
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isFromOwnPage(headers, isRead)) return null
  const half = headers['x-hm-session']
  return typeof half === 'string' ? sessionBySecrets({ headers, socket }, half, parts) : null
}

/** Like `sessionOf`, for an upgrade, whose origin browsers always send. */
export function sessionOfUpgrade(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  parts: SessionParts,
): PersonSession | null {
  if (headers.authorization !== undefined || !isFromOwnPage(headers, false)) return null
  const offered = headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? []
  const halves = offered.filter((protocol) => protocol.startsWith(HALF_PROTOCOL_PREFIX))
  const [half] = halves
  return half === undefined || halves.length > 1
    ? null
    : sessionBySecrets({ headers, socket }, half.slice(HALF_PROTOCOL_PREFIX.length), parts)
}

/**
 * True if a page of exactly this origin sent the request. The port matters: cookies ignore ports, so pages of other
 * services on the same host send our cookie too.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, mayOmitOrigin: boolean): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return mayOmitOrigin
  return host !== undefined && origin.toLowerCase() === `https://${host.toLowerCase()}`
}

/** The session of both secrets; that of a wall tablet only from the networks of the home. */
function sessionBySecrets(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  half: string,
  { gateway, sessions, isAtHome }: SessionParts,
): PersonSession | null {
  const secret = cookieOf(headers.cookie, gateway)
  const session = secret === null ? null : sessions.of(secret, half)
  const isTablet = session !== null && (sessions.state(session)?.stored.integration ?? null) !== null
  return isTablet && !isAtHome(peerOf({ socket })) ? null : session
}

/** Value of the session cookie, or null. */
export function cookieOf(cookies: string | undefined, gateway: string): string | null {
  const own = valuesOf(cookies, sessionCookieName(gateway))
  const [first, ...duplicates] = own.length > 0 ? own : valuesOf(cookies, SHARED_COOKIE)
  // A second cookie with this name could be an attack that chooses the session.
  return first === undefined || duplicates.length > 0 ? null : first
}

/** True if no cookie has the current name, so that the session is in a cookie of an earlier version, if anywhere. */
export function lacksOwnCookie(cookies: string | undefined, gateway: string): boolean {
  return valuesOf(cookies, sessionCookieName(gateway)).length === 0
}

function valuesOf(cookies: string | undefined, name: string): readonly string[] {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}
