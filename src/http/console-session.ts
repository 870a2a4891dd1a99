import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { sessionCookieName, SHARED_COOKIE } from '../admin/console-entry.ts'
import type { ConsoleSessions, PersonSession } from '../auth/persons/console-sessions.ts'

/** On the WebSocket, whose headers no page can set, the second half is the name of a protocol behind this. */
export const HALF_PROTOCOL = 'hm-session.'

export interface SessionParts {
  /** The id of the gateway. */
  readonly gateway: string
  readonly sessions: Pick<ConsoleSessions, 'of'>
}

/**
 * The session that a request shows, by both its halves and from the console's own pages; null where there is none. A
 * request with a bearer token is a program's, never a person's.
 */
export function sessionOf(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  parts: SessionParts,
): PersonSession | null {
  if (headers.authorization !== undefined) return null
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isFromOwnPage(headers, isRead)) return null
  const half = headers['x-hm-session']
  return typeof half === 'string' ? shown(headers, half, parts) : null
}

/** The same for an upgrade; browsers say of each from which page it comes. */
export function sessionOfUpgrade(
  { headers }: Pick<IncomingMessage, 'headers'>,
  parts: SessionParts,
): PersonSession | null {
  if (headers.authorization !== undefined || !isFromOwnPage(headers, false)) return null
  const offered = headers['sec-websocket-protocol']?.split(',').map((each) => each.trim()) ?? []
  const halves = offered.filter((each) => each.startsWith(HALF_PROTOCOL))
  const [half] = halves
  return half === undefined || halves.length > 1 ? null : shown(headers, half.slice(HALF_PROTOCOL.length), parts)
}

/**
 * Whether a page of this very address sent it, port included: cookies ignore ports, so a page of another service on the
 * same host would have its requests sent with ours.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, mayBeSilent: boolean): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return mayBeSilent
  return host !== undefined && origin.toLowerCase() === `https://${host.toLowerCase()}`
}

function shown(
  { cookie }: IncomingHttpHeaders,
  half: string,
  { gateway, sessions }: SessionParts,
): PersonSession | null {
  const secret = cookieOf(cookie, gateway)
  return secret === null ? null : sessions.of(secret, half)
}

/** The session's own cookie among those that were sent; null where there is none. */
export function cookieOf(cookies: string | undefined, gateway: string): string | null {
  const own = valuesOf(cookies, sessionCookieName(gateway))
  const [first, ...more] = own.length > 0 ? own : valuesOf(cookies, SHARED_COOKIE)
  // Two of the name are of somebody who would like to choose whose session this is.
  return first === undefined || more.length > 0 ? null : first
}

/** Whether the session began before the cookie's name held the serial. */
export function hasSharedCookie(cookies: string | undefined, gateway: string): boolean {
  return valuesOf(cookies, sessionCookieName(gateway)).length === 0
}

function valuesOf(cookies: string | undefined, name: string): readonly string[] {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}
