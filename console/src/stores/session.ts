import { signal } from '@preact/signals'
import { browserTransport, Caller, Client, HmError, type Transport } from '@hm-gateway/client/src/browser.ts'
import type { AdminPaths, PasskeyRequest, ShownPasskey } from '../lib/admin-contract.ts'
import { words } from '../words/frame.ts'
import { tellUnstored } from './notices.ts'
import { PROOFS, proving } from './proof.ts'

const HALF = 'hm-half'
const SESSION = 'hm-session'

/** Null until it is known whether somebody is signed in here. */
export const signedIn = signal<boolean | null>(null)

/**
 * The session that this page is in: what it begins is of this one alone. Another tab may sign in as somebody else
 * meanwhile, whose cookie the browser then sends from here too: with this half the gateway takes it for nobody's.
 */
let own: { readonly id: string; readonly half: string } | null = null

/** Whether this browser keeps a half; whether its session still holds, the gateway says. */
export function isKnown(): boolean {
  const [id, half] = [localStorage.getItem(SESSION), localStorage.getItem(HALF)]
  own = half === null ? null : { id: id ?? '', half }
  return own !== null
}

/** Calls a listener when another tab of this browser has signed in or out. */
export function onOtherTab(listener: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === HALF && newValue !== (own?.half ?? null)) listener()
  })
}

const half = (): string => own?.half ?? ''
/** What goes with every request of this page. */
export const headers = (): Record<string, string> => ({ 'x-hm-session': half() })

/**
 * The session is over where the gateway does not know it any more. An answer that comes when the page is in another
 * one is nobody's: what would have been asked next with it is not asked as somebody else.
 */
function watched(transport: Transport): Transport {
  return {
    ...transport,
    request: async (request) => {
      const asking = own
      if (asking === null) throw over()
      const answer = await transport.request(request)
      if (own !== asking) throw over()
      if (answer.status === 401 && !PROOFS.includes(request.path)) signedIn.value = false
      // Within a text of JSON these quotation marks would be escaped.
      if (answer.text.includes('"unstored":true')) tellUnstored()
      return answer
    },
  }
}

const over = (): HmError => new HmError(401, { code: 'unauthorized', message: words.sessionOver })

/** Requests in this page's session. */
export const signed = watched(browserTransport({ headers }))

/** The whole service, as the home's owner; a call that takes a fresh proof is tried again once it was shown. */
export const owner = new Client(
  proving(
    watched(
      browserTransport({
        base: '/admin/home',
        stream: '/admin/v1/stream',
        headers,
        protocols: () => ['hm', `hm-session.${half()}`],
      }),
    ),
    signed,
  ),
)

/** Backups of large homes are made, opened and restored for minutes: as long as `bin/hm` waits. */
const BACKUP_WAIT_MS = 15 * 60_000
const OF_BACKUPS = /^\/admin\/v1\/(?:backups(?:\/|$)|brought-backups\/[^/]+\/restore$)/

function patient(transport: Transport): Transport {
  return {
    ...transport,
    request: (request) => {
      const isLong = request.method === 'POST' && OF_BACKUPS.test(request.path)
      return transport.request(isLong ? { ...request, waitMs: BACKUP_WAIT_MS } : request)
    },
  }
}

/** The administrators' calls, each tried again once a person has shown the password where it takes that. */
export const admin = new Caller<AdminPaths>(proving(patient(signed)))

/** What a sign-in takes. */
export type SignIn =
  | { readonly link: string; readonly ownDevice: boolean }
  | { readonly setupCode: string; readonly ownDevice: boolean }
  | { readonly passkey: ShownPasskey; readonly ownDevice: boolean }
  | { readonly name: string; readonly password: string; readonly ownDevice: boolean }

interface Door {
  readonly '/console/challenge': {
    readonly post: { readonly answer: { readonly options: PasskeyRequest } }
  }
  readonly '/console/session': {
    readonly post: { readonly body: SignIn; readonly answer: { readonly half: string; readonly session: string } }
  }
}
/** Where somebody signs in: nobody has a session yet, and no half is sent. */
export const door = new Caller<Door>(browserTransport())

type Ended = { readonly '/console/ended': { readonly get: { readonly answer: { readonly reason: string | null } } } }

/** Why the session of this page is over: the gateway's sentence. Null: this page has no session. */
export async function reasonOfEnd(): Promise<string | null> {
  if (own === null) return null
  const { half: shown } = own
  const ended = new Caller<Ended>(browserTransport({ headers: () => ({ 'x-hm-session': shown }) }))
  const { reason } = await ended.call('get', '/console/ended').catch(() => ({ reason: null }))
  return reason ?? words.sessionOver
}

/** @throws HmError with the gateway's own sentence */
export async function enter(what: SignIn): Promise<void> {
  const begun = await door.call('post', '/console/session', { body: what })
  own = { id: begun.session, half: begun.half }
  localStorage.setItem(SESSION, own.id)
  localStorage.setItem(HALF, own.half)
}

/** Ends the session on the gateway, and forgets it here whatever that answers. */
export async function leave(): Promise<void> {
  try {
    if (own !== null) await admin.call('delete', '/admin/v1/sessions/{id}', { path: { id: own.id } })
  } finally {
    forget()
  }
}

/** Forgets the session of this page; one that another tab began since stays. */
export function forget(): void {
  if (localStorage.getItem(HALF) === own?.half) {
    localStorage.removeItem(HALF)
    localStorage.removeItem(SESSION)
  }
  own = null
  signedIn.value = false
}
