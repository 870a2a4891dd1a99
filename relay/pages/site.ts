import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, errorBody, ERRORS } from '@hm-gateway/wire/errors.ts'
import { hasLeft } from '@hm-gateway/lib/request-head.ts'
import type { Account } from '../accounts/account.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import { AccountPage } from './account-page.ts'
import { AccountPages } from './account-pages.ts'
import { ConnectPages } from './connect-pages.ts'
import { HomePages } from './home-pages.ts'
import { PasskeyPages } from './passkey-pages.ts'
import { html } from './html.ts'
import { go, isPlain, type PageParts, readForm, send, sessionOf, type Visit, visitorOf } from './http.ts'
import type { Page } from './page.ts'

type Open = (visit: Visit) => Promise<void>
type OfAccount = (visit: Visit, account: Account) => Promise<void>

interface Route {
  readonly methods: readonly string[]
  readonly answer: { readonly kind: 'open'; readonly run: Open } | { readonly kind: 'account'; readonly run: OfAccount }
}

const CONNECT = /^\/connect\/([\w-]{1,64})$/

/** The pages of the relay, for people in a browser. */
export class Site {
  readonly #parts: PageParts
  readonly #routes: ReadonlyMap<string, Route>
  readonly #connect: ConnectPages

  constructor(parts: PageParts) {
    this.#parts = parts
    const account = new AccountPages(parts)
    const passkey = new PasskeyPages(parts)
    const own = new AccountPage(parts)
    const home = new HomePages(parts)
    this.#connect = new ConnectPages(parts)
    const open = (methods: readonly string[], run: Open): Route => ({ methods, answer: { kind: 'open', run } })
    const ofAccount = (methods: readonly string[], run: OfAccount): Route => ({
      methods,
      answer: { kind: 'account', run },
    })
    this.#routes = new Map([
      ['/signin', open(['GET', 'POST'], (visit) => account.signIn(visit))],
      ['/signup', open(['GET', 'POST'], (visit) => account.signUp(visit))],
      ['/signout', open(['POST'], (visit) => account.signOut(visit))],
      ['/account', ofAccount(['GET', 'POST'], (visit, who) => own.account(visit, who))],
      ['/signin/options', open(['POST'], (visit) => passkey.signInOptions(visit))],
      ['/signin/passkey', open(['POST'], (visit) => passkey.signIn(visit))],
      ['/account/proof', ofAccount(['POST'], (visit, who) => passkey.proofOptions(visit, who))],
      ['/account/passkey', ofAccount(['GET', 'POST'], (visit, who) => passkey.passkey(visit, who))],
      ['/account/passkeys', ofAccount(['GET', 'POST'], (visit, who) => passkey.add(visit, who))],
      ['/account/passkeys/options', ofAccount(['POST'], (visit, who) => passkey.makingOptions(visit, who))],
      ['/account/sessions', ofAccount(['POST'], (visit, who) => own.end(visit, who))],
      ['/reset', open(['GET', 'POST'], (visit) => account.reset(visit))],
      ['/account/delete', ofAccount(['GET', 'POST'], (visit, who) => own.leave(visit, who))],
      ['/invites', ofAccount(['POST'], (visit, who) => own.invite(visit, who))],
      ['/', ofAccount(['GET'], (visit, who) => home.list(visit, who))],
      ['/link', ofAccount(['GET', 'POST'], (visit, who) => home.link(visit, who))],
      ['/unlink', ofAccount(['POST'], (visit, who) => home.unlink(visit, who))],
    ])
  }

  /** Of every path that it owns. */
  get routes(): readonly string[] {
    return [...this.#routes.keys(), '/connect/{id}']
  }

  owns(path: string): boolean {
    return this.#routes.has(path) || CONNECT.test(path)
  }

  /** Answers every request of a path that it owns. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response)
    } catch (error) {
      this.#failed(error, request, response)
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#parts.origin)
    const route = this.#routeOf(url.pathname)
    const { method } = request
    if (route === null) return send(response, NOT_FOUND)
    if ((method !== 'GET' && method !== 'POST') || !route.methods.includes(method)) {
      response.setHeader('allow', route.methods.join(', '))
      return refuse(response, 'method_not_allowed')
    }
    // Browsers name the page that a form is on: only our own may send one.
    if (method === 'POST' && request.headers.origin !== this.#parts.origin)
      return refuse(response, 'origin_not_allowed')
    const form = method === 'POST' ? await readForm(request) : new URLSearchParams()
    if (form === 'no_form') return refuse(response, 'unsupported_media_type', 'Send a form, as browsers do.')
    if (form === 'too_large') return refuse(response, 'payload_too_large', 'The form is too large: 8 KiB at most.')
    if (!isPlain(form) || !isPlain(url.searchParams))
      return refuse(response, 'validation', 'A field is given more than once, or has control characters.')
    const peer = this.#parts.peerOf(request)
    await this.#run(route, { request, response, method, path: url.pathname, query: url.searchParams, form, peer })
  }

  #routeOf(path: string): Route | null {
    const connect = CONNECT.exec(path)?.[1]
    if (connect === undefined) return this.#routes.get(path) ?? null
    return {
      methods: ['GET', 'POST'],
      answer: { kind: 'account', run: (visit, who) => this.#connect.connect(visit, who, connect) },
    }
  }

  async #run({ answer }: Route, visit: Visit): Promise<void> {
    if (answer.kind === 'open') return answer.run(visit)
    const session = sessionOf(visit.request)
    const account = session === null ? null : await this.#parts.accounts.sessions.account(session, visitorOf(visit))
    if (account !== null) return answer.run(visit, account)
    const code = visit.path === '/link' ? visit.query.get('code') : null
    const next = code === null ? visit.path : `/link?code=${code}`
    go(visit.response, visit.path === '/' ? '/signin' : `/signin?next=${encodeURIComponent(next)}`)
  }

  #failed(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (hasLeft(request)) return
    const isStore = error instanceof RelayUnavailable
    if (!isStore) this.#parts.log.error({ err: error }, 'A page failed.')
    if (response.headersSent) return void response.destroy()
    send(response, isStore ? UNAVAILABLE : FAILED)
  }
}

/** For programs that come where people should: the service's Error shape. */
function refuse(response: ServerResponse, code: ErrorCode, message?: string): void {
  response.writeHead(ERRORS[code].status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(errorBody(code, message === undefined ? {} : { message })))
}

const NOT_FOUND: Page = {
  status: 404,
  title: 'Not found',
  body: html`<h1>There is no such page</h1>
    <p><a href="/">Your homes</a></p>`,
}

const UNAVAILABLE: Page = {
  status: 503,
  headers: { 'retry-after': '15' },
  title: 'Not now',
  body: html`<h1>Not now</h1>
    <p>The relay cannot read or store anything right now. Homes go on as they are; try again in a few minutes.</p>`,
}

const FAILED: Page = {
  status: 500,
  title: 'Something went wrong',
  body: html`<h1>Something went wrong</h1>
    <p>The relay made a mistake. Try again; if it stays, tell its operator.</p>`,
}

/** The page of an authorization that does not go on, which no agent can be told: a mistake in it, or a bad moment. */
export const mistakePage = (sentence: string, status: number): Page =>
  LATER.has(status)
    ? {
        status,
        title: 'Not now',
        body: html`<h1>Not now</h1>
          <p>${sentence}</p>`,
      }
    : {
        status,
        title: 'This did not work',
        body: html`<h1>This did not work</h1>
          <p>The agent's request is not valid: ${sentence.replace(/\.$/, '')}.</p>
          <p class="soft">Begin again from the agent. If it stays, tell its maker.</p>`,
      }

/** Nothing is wrong with what the agent sent: it comes too often, or something is away. */
const LATER = new Set([429, 503])
