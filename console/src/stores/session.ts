import { signal } from '@preact/signals'
import { browserTransport, Caller, Client, type Transport } from '../../../client/src/browser.ts'
import type { AdminPaths, PasskeyRequest, ShownPasskey } from '../admin-contract.ts'
import { PROOFS, proving } from './proof.ts'

const HALF = 'hm-half'
const SESSION = 'hm-session'

/** Null until it is known whether somebody is signed in here. */
export const signedIn = signal<boolean | null>(null)

/** Whether this browser keeps a half; whether its session still holds, the gateway says. */
export const isKnown = (): boolean => localStorage.getItem(HALF) !== null

const half = (): string => localStorage.getItem(HALF) ?? ''
const headers = (): Record<string, string> => ({ 'x-hm-session': half() })

/** The session is over where the gateway does not know it any more. */
function watched(transport: Transport): Transport {
  return {
    ...transport,
    request: async (request) => {
      const answer = await transport.request(request)
      if (answer.status === 401 && !PROOFS.includes(request.path)) signedIn.value = false
      return answer
    },
  }
}

/** The whole service, as the home's owner. */
export const owner = new Client(
  watched(
    browserTransport({
      base: '/admin/home',
      stream: '/admin/v1/stream',
      headers,
      protocols: () => ['hm', `hm-session.${half()}`],
    }),
  ),
)

/** The administrators' calls, each tried again once a person has shown the password where it takes that. */
export const admin = new Caller<AdminPaths>(proving(watched(browserTransport({ headers }))))

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

/** @throws HmError with the gateway's own sentence */
export async function enter(what: SignIn): Promise<void> {
  const begun = await door.call('post', '/console/session', { body: what })
  localStorage.setItem(HALF, begun.half)
  localStorage.setItem(SESSION, begun.session)
}

/** Ends the session on the gateway, and forgets it here whatever that answers. */
export async function leave(): Promise<void> {
  const id = localStorage.getItem(SESSION)
  try {
    if (id !== null) await admin.call('delete', '/admin/v1/sessions/{id}', { path: { id } })
  } finally {
    forget()
  }
}

export function forget(): void {
  localStorage.removeItem(HALF)
  localStorage.removeItem(SESSION)
  signedIn.value = false
}
