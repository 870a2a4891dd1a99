import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { SESSION_COOKIE } from '../api/console/enter.ts'
import type { ConsoleSessions, PersonSession } from '../auth/persons/console-sessions.ts'

/** On the WebSocket, whose headers no page can set, the second half is the name of a protocol behind this. */
export const HALF_PROTOCOL = 'hm-session.'

/**
 * The session that a request shows, by both its halves and from the console's own pages; null where there is none. A
 * request with a bearer token is a program's, never a person's.
 */
export function sessionOf(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  sessions: Pick<ConsoleSessions, 'of'>,
): PersonSession | null {
  if (headers.authorization !== undefined) return null
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isFromOwnPage(headers, isRead)) return null
  const half = headers['x-hm-session']
  return typeof half === 'string' ? shown(headers, half, sessions) : null
}

/** The same for an upgrade; browsers say of each from which page it comes. */
export function sessionOfUpgrade(
  { headers }: Pick<IncomingMessage, 'headers'>,
  sessions: Pick<ConsoleSessions, 'of'>,
): PersonSession | null {
  if (headers.authorization !== undefined || !isFromOwnPage(headers, false)) return null
  const offered = headers['sec-websocket-protocol']?.split(',').map((each) => each.trim()) ?? []
  const halves = offered.filter((each) => each.startsWith(HALF_PROTOCOL))
  const [half] = halves
  return half === undefined || halves.length > 1 ? null : shown(headers, half.slice(HALF_PROTOCOL.length), sessions)
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
  sessions: Pick<ConsoleSessions, 'of'>,
): PersonSession | null {
  const secret = cookieOf(cookie)
  return secret === null ? null : sessions.of(secret, half)
}

/** The session's own cookie among those that were sent; null where there is none. */
export function cookieOf(cookies: string | undefined): string | null {
  const prefix = `${SESSION_COOKIE}=`
  const own = (cookies ?? '').split(';').filter((each) => each.trim().startsWith(prefix))
  const [first] = own
  // Two of the name are of somebody who would like to choose whose session this is.
  return first === undefined || own.length > 1 ? null : first.trim().slice(prefix.length)
}
