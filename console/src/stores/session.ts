import { signal } from '@preact/signals'
import { browserTransport, Caller, Client, HmError, type Transport } from '@hm-gateway/client/src/browser.ts'
import type { AdminPaths, PasskeyRequest, ShownPasskey } from '../lib/admin-contract.ts'
import { words } from '../words/page-frame.ts'
import { warnUnstored } from './page-notices.ts'
import { PROOF_PATHS, withProof } from './proof.ts'

const HALF_KEY = 'hm-half'
const SESSION_KEY = 'hm-session'

/** Null until this page knows whether it has a session. */
export const signedIn = signal<boolean | null>(null)

/**
 * Id of this page's session, and its half: the secret that scripts can read; the other secret is the cookie. All tabs
 * share the cookie, so the half prevents requests in a session that another tab began.
 */
let current: { readonly id: string; readonly half: string } | null = null

/** Loads this browser's session from storage. True if there is one; it may have expired. */
export function loadSession(): boolean {
  const [id, half] = [localStorage.getItem(SESSION_KEY), localStorage.getItem(HALF_KEY)]
  current = half === null ? null : { id: id ?? '', half }
  return current !== null
}

/** Calls a listener when another tab of this browser has signed in or out. */
export function onSessionOfOtherTab(listener: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === HALF_KEY && newValue !== (current?.half ?? null)) listener()
  })
}

const half = (): string => current?.half ?? ''
/** Headers of every request in the session. */
export const sessionHeaders = (): Record<string, string> => ({ 'x-hm-session': half() })

/**
 * Wraps a transport: a 401 ends the session of this page. If the session changed during a request, its answer is
 * dropped, so that no follow-up request runs as another person.
 */
function inSession(transport: Transport): Transport {
  return {
    ...transport,
    request: async (request) => {
      const sender = current
      if (sender === null) throw sessionOver()
      const answer = await transport.request(request)
      if (current !== sender) throw sessionOver()
      if (answer.status === 401 && !PROOF_PATHS.includes(request.path)) signedIn.value = false
      // Quotation marks inside JSON strings are escaped, so only the field itself matches.
      if (answer.text.includes('"unstored":true')) warnUnstored()
      return answer
    },
  }
}

const sessionOver = (): HmError => new HmError(401, { code: 'unauthorized', message: words.sessionOver })

/** Sends requests in this page's session. */
export const sessionTransport = inSession(browserTransport({ headers: sessionHeaders }))

/** The whole service `/v1` as the home's owner. Calls that need a fresh proof ask for it and run again. */
export const owner = new Client(
  withProof(
    inSession(
      browserTransport({
        base: '/admin/home',
        stream: '/admin/v1/stream',
        headers: sessionHeaders,
        protocols: () => ['hm', `hm-session.${half()}`],
      }),
    ),
    sessionTransport,
  ),
)

/** Making, opening and restoring backups of large homes takes minutes; `bin/hm` waits as long. */
const BACKUP_TIMEOUT_MS = 15 * 60_000
const BACKUP_PATHS = /^\/admin\/v1\/(?:backups(?:\/|$)|brought-backups\/[^/]+\/restore$)/

function withBackupTimeout(transport: Transport): Transport {
  return {
    ...transport,
    request: (request) => {
      const isLong = request.method === 'POST' && BACKUP_PATHS.test(request.path)
      return transport.request(isLong ? { ...request, waitMs: BACKUP_TIMEOUT_MS } : request)
    },
  }
}

/** The administrators' API. Calls that need a fresh proof ask for it and run again. */
export const admin = new Caller<AdminPaths>(withProof(withBackupTimeout(sessionTransport)))

/** Credentials of a sign-in. */
export type SignInBody =
  | { readonly link: string; readonly ownDevice: boolean }
  | { readonly setupCode: string; readonly ownDevice: boolean }
  | { readonly passkey: ShownPasskey; readonly ownDevice: boolean }
  | { readonly name: string; readonly password: string; readonly code?: string; readonly ownDevice: boolean }

interface Begun {
  readonly half: string
  readonly session: string
}

interface SignInPaths {
  readonly '/console/challenge': {
    readonly post: { readonly answer: { readonly options: PasskeyRequest } }
  }
  readonly '/console/session': {
    readonly post: { readonly body: SignInBody; readonly answer: Begun | { readonly needs: 'code' } }
  }
}
/** Sends requests without a session. */
export const signInCaller = new Caller<SignInPaths>(browserTransport())

type EndedPaths = {
  readonly '/console/ended': { readonly get: { readonly answer: { readonly reason: string | null } } }
}

/** The gateway's reason for the end of this page's session; null if the page has no session. */
export async function readEndReason(): Promise<string | null> {
  if (current === null) return null
  const headers = sessionHeaders()
  const ended = new Caller<EndedPaths>(browserTransport({ headers: () => headers }))
  const { reason } = await ended.call('get', '/console/ended').catch(() => ({ reason: null }))
  return reason ?? words.sessionOver
}

/**
 * Signs in and stores the session in this browser. False if the account needs a code too. @throws HmError with the
 * gateway's message
 */
export async function signIn(body: SignInBody): Promise<boolean> {
  const begun = await signInCaller.call('post', '/console/session', { body })
  if ('needs' in begun) return false
  current = { id: begun.session, half: begun.half }
  localStorage.setItem(SESSION_KEY, current.id)
  localStorage.setItem(HALF_KEY, current.half)
  return true
}

/** Ends the session on the gateway, and forgets it here even if that fails. @throws HmError */
export async function deleteSession(): Promise<void> {
  try {
    if (current !== null) await admin.call('delete', '/admin/v1/sessions/{id}', { path: { id: current.id } })
  } finally {
    forgetSession()
  }
}

/** Forgets the session of this page, but not a newer one of another tab. */
export function forgetSession(): void {
  if (localStorage.getItem(HALF_KEY) === current?.half) {
    localStorage.removeItem(HALF_KEY)
    localStorage.removeItem(SESSION_KEY)
  }
  current = null
  signedIn.value = false
}
