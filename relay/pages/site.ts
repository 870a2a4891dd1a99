import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@hm-gateway/wire/errors.ts'
import { isAborted } from '@hm-gateway/lib/request-head.ts'
import { refuse } from '../edge/refusals.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import { account, deleteAccount, endSessions, invite } from './account-page.ts'
import { reset, signIn, signOut, signUp } from './account-pages.ts'
import { connect } from './connect-pages.ts'
import { link, listHomes, unlink } from './home-pages.ts'
import { addPasskey, creationOptions, passkey, passkeySignIn, proofOptions, signInOptions } from './passkey-pages.ts'
import { html } from './html.ts'
import { go, isPlain, type OwnVisit, type PageParts, readForm, send, sessionOf, type Visit, visitorOf } from './http.ts'
import type { PageContent } from './page.ts'

type Method = Visit['method']
/** `open` pages are public; `own` pages require a session. */
type Route = { readonly methods: readonly Method[] } & (
  | { readonly open: (visit: Visit) => Promise<void> }
  | { readonly own: (visit: OwnVisit) => Promise<void> }
)

const BOTH: readonly Method[] = ['GET', 'POST']
const POST: readonly Method[] = ['POST']

const ROUTES: Readonly<Record<string, Route>> = {
  '/signin': { methods: BOTH, open: signIn },
  '/signup': { methods: BOTH, open: signUp },
  '/signout': { methods: POST, open: signOut },
  '/reset': { methods: BOTH, open: reset },
  '/signin/options': { methods: POST, open: signInOptions },
  '/signin/passkey': { methods: POST, open: passkeySignIn },
  '/account': { methods: BOTH, own: account },
  '/account/proof': { methods: POST, own: proofOptions },
  '/account/passkey': { methods: BOTH, own: passkey },
  '/account/passkeys': { methods: BOTH, own: addPasskey },
  '/account/passkeys/options': { methods: POST, own: creationOptions },
  '/account/sessions': { methods: POST, own: endSessions },
  '/account/delete': { methods: BOTH, own: deleteAccount },
  '/invites': { methods: POST, own: invite },
  '/': { methods: ['GET'], own: listHomes },
  '/link': { methods: BOTH, own: link },
  '/unlink': { methods: POST, own: unlink },
}
const CONNECT = /^\/connect\/[\w-]{1,64}$/
const CONNECT_ROUTE: Route = { methods: BOTH, own: connect }

/** Path patterns of the pages. */
export const PAGE_ROUTES: readonly string[] = [...Object.keys(ROUTES), '/connect/{id}']

const routeOf = (path: string): Route | undefined => (CONNECT.test(path) ? CONNECT_ROUTE : ROUTES[path])

export const isPage = (path: string): boolean => routeOf(path) !== undefined

/** Serves a page. @throws never. */
export async function servePage(relay: PageParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await serve(relay, request, response)
  } catch (error) {
    if (isAborted(request)) return
    const isStore = error instanceof RelayUnavailable
    if (!isStore) relay.log.error({ err: error }, 'A page failed.')
    if (response.headersSent) return void response.destroy()
    send(response, isStore ? UNAVAILABLE : FAILED)
  }
}

async function serve(relay: PageParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', relay.origin)
  const route = routeOf(path)
  if (route === undefined) return send(response, NOT_FOUND)
  const method = route.methods.find((allowed) => allowed === request.method)
  if (method === undefined) {
    response.setHeader('allow', route.methods.join(', '))
    return refused(response, 'method_not_allowed')
  }
  // Protects against forged forms: browsers send the origin of the form's page.
  if (method === 'POST' && request.headers.origin !== relay.origin) return refused(response, 'origin_not_allowed')
  const form = method === 'POST' ? await readForm(request) : new URLSearchParams()
  if (form === 'no_form') return refused(response, 'unsupported_media_type', 'Send a form, as browsers do.')
  if (form === 'too_large') return refused(response, 'payload_too_large', 'The form is too large: 8 KiB at most.')
  if (!isPlain(form) || !isPlain(query))
    return refused(response, 'validation', 'A field is repeated or contains control characters.')
  const peer = relay.peerOf(request)
  await run(route, { relay, request, response, method, path, query, form, peer, account: null })
}

async function run(route: Route, visit: Visit): Promise<void> {
  if ('open' in route) return route.open(visit)
  const { relay, request, response, path, query } = visit
  const session = sessionOf(request)
  const owner = session === null ? null : await relay.accounts.sessions.account(session, visitorOf(visit))
  if (owner !== null) return route.own({ ...visit, account: owner })
  const code = path === '/link' ? query.get('code') : null
  const next = code === null ? path : `/link?code=${code}`
  go(response, path === '/' ? '/signin' : `/signin?next=${encodeURIComponent(next)}`)
}

/** Errors that browsers do not cause, in the Error shape for programs. */
function refused(response: ServerResponse, code: ErrorCode, message?: string): void {
  refuse(response, code, {
    details: message === undefined ? {} : { message },
    headers: { 'cache-control': 'no-store' },
  })
}

const NOT_FOUND: PageContent = {
  status: 404,
  title: 'Not found',
  body: html`<h1>Page not found</h1>
    <p><a href="/">Your homes</a></p>`,
}

const UNAVAILABLE: PageContent = {
  status: 503,
  headers: { 'retry-after': '15' },
  title: 'Not available',
  body: html`<h1>Not available right now</h1>
    <p>The relay cannot read or store its data. Homes are not affected. Try again in a few minutes.</p>`,
}

const FAILED: PageContent = {
  status: 500,
  title: 'Something went wrong',
  body: html`<h1>Something went wrong</h1>
    <p>The relay made a mistake. Try again. If it happens again, tell its operator.</p>`,
}

/** Page of a failed authorization, if the error must not be sent to the agent. */
export const errorPage = (sentence: string, status: number): PageContent =>
  TEMPORARY.has(status)
    ? {
        status,
        title: 'Not available',
        body: html`<h1>Not available right now</h1>
          <p>${sentence}</p>`,
      }
    : {
        status,
        title: 'This did not work',
        body: html`<h1>This did not work</h1>
          <p>The agent's request is not valid: ${sentence.replace(/\.$/, '')}.</p>
          <p class="soft">Start again from the agent. If it happens again, tell its maker.</p>`,
      }

/** Statuses of temporary problems, which are no fault of the agent's request. */
const TEMPORARY = new Set([429, 503])
