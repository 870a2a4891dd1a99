import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Account } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Passkeys } from '../accounts/passkeys.ts'
import type { SignedIn } from '../accounts/account-sessions.ts'
import type { Visitor } from '../accounts/visitor.ts'
import type { Enrolment } from '../enrolment/enrolment.ts'
import { readUpTo } from '../limits/read-up-to.ts'
import type { Homes } from '../tunnels/tunnel-homes.ts'
import type { AgentSignIn } from '../oauth/agent-sign-in.ts'
import { TABLES } from '../store/store.ts'
import { headersOf, PAGE_HEADERS, type PageContent, renderPage } from './page.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Size of a form; the largest has two passwords. */
export const FORM_BYTES_MAX = 8 * 1024
const SESSION_COOKIE = '__Host-hm-session'
const DEVICE_COOKIE = '__Host-hm-device'
/** A cookie carries the note for the next page, so that a link cannot make a page show one. */
const NOTE_COOKIE = '__Host-hm-note'
const NOTE_SECONDS = 60
/** Longest lifetime of a cookie in browsers. */
const DEVICE_SECONDS = 400 * 86_400

export interface PageParts extends Pick<RelayParts, 'origin' | 'clock' | 'log'> {
  readonly accounts: Accounts
  readonly passkeys: Passkeys
  readonly enrolment: Enrolment
  readonly homes: Homes
  readonly agents: AgentSignIn
  readonly peerOf: (request: IncomingMessage) => string
}

/** A parsed request of a browser. */
export interface Visit {
  readonly relay: PageParts
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query: URLSearchParams
  /** Fields of a POST; empty for a GET. */
  readonly form: URLSearchParams
  readonly peer: string
  /** The account that is signed in; null if the page is public. */
  readonly account: Account | null
}

/** A request of a signed-in person. */
export interface OwnVisit extends Visit {
  readonly account: Account
}

/** Value of a form field or query parameter; empty if it is missing. */
export const field = ({ method, form, query }: Visit, name: string): string =>
  (method === 'POST' ? form : query).get(name) ?? ''

export function send(response: ServerResponse, page: PageContent, account: Account | null = null): void {
  response.writeHead(page.status ?? page.error?.status ?? 200, headersOf(page))
  response.end(renderPage(page, account?.email))
}

/** Sends a page with the signed-in account in its header. */
export const show = ({ response, account }: Visit, page: PageContent): void => send(response, page, account)

/** Redirects with 303. */
export function go(response: ServerResponse, url: string): void {
  response.writeHead(303, { ...PAGE_HEADERS, location: url, 'content-length': 0 })
  response.end()
}

export const sessionOf = (request: IncomingMessage): string | null => cookieOf(request, SESSION_COOKIE)

/** Adds the port to a cookie's name, because cookies ignore ports and several relays may share a host name. */
function nameAt({ headers }: IncomingMessage, name: string): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1]
  return port === undefined ? name : `${name}-${port}`
}

export const visitorOf = ({ request, peer }: Visit): Visitor => ({
  peer,
  agent: request.headers['user-agent'] ?? '',
  device: cookieOf(request, DEVICE_COOKIE),
})

function cookieOf(request: IncomingMessage, name: string): string | null {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const valueOf = (own: string): string | undefined =>
    pairs.find((pair) => pair.startsWith(`${own}=`))?.slice(own.length + 1)
  // Cookies of earlier versions have no port in their name.
  return valueOf(nameAt(request, name)) ?? valueOf(name) ?? null
}

/** Sets the cookies of a new session and redirects to `next`. */
export function begin({ request, response }: Visit, { session, device }: SignedIn, next: string): void {
  // The store ends sessions. The cookie lives as long as a session can.
  const cookies = [setCookie(nameAt(request, SESSION_COOKIE), session, TABLES.sessions / 1_000)]
  cookies.push(setCookie(nameAt(request, DEVICE_COOKIE), device, DEVICE_SECONDS))
  response.appendHeader('set-cookie', cookies)
  go(response, next)
}

/** Sets a note for the next page that shows notes. */
export function leaveNote({ request, response }: Visit, note: string): void {
  response.appendHeader('set-cookie', setCookie(nameAt(request, NOTE_COOKIE), note, NOTE_SECONDS))
}

/** Reads and clears the note; null if there is none. */
export function takeNote({ request, response }: Visit): string | null {
  const note = cookieOf(request, NOTE_COOKIE)
  if (note !== null) response.appendHeader('set-cookie', setCookie(nameAt(request, NOTE_COOKIE), '', 0))
  return note
}

/** Clears the session cookie; the device cookie stays. */
export function endSession(response: ServerResponse): void {
  response.setHeader('set-cookie', setCookie(nameAt(response.req, SESSION_COOKIE), '', 0))
}

const setCookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`

/** True if no field is repeated or contains control characters, as browsers send our forms. */
export function isPlain(fields: URLSearchParams): boolean {
  const names = [...fields.keys()]
  return new Set(names).size === names.length && !/[^\P{Cc}\t]/u.test([...fields].flat().join(''))
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams | 'no_form' | 'too_large'> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return 'no_form'
  const form = await readUpTo(request.iterator({ destroyOnReturn: false }), FORM_BYTES_MAX)
  if (form !== null) return new URLSearchParams(form.toString('utf8'))
  // The rest is read and dropped, because closing the connection would also lose the response.
  request.resume()
  return 'too_large'
}

/** Path after a sign-in: only known pages are allowed; otherwise the start page. */
export function nextOf(text: string | null): string {
  return text !== null && /^\/(?:connect\/[\w-]{1,64}|link(?:\?code=[\w-]{1,16})?|account)$/.test(text) ? text : '/'
}
