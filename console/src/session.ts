import { connect } from '../../client/src/browser.ts'

const HALF = 'hm-half'
const SESSION = 'hm-session'

/** Whether this browser keeps a half; whether its session still holds, the gateway says. */
export const isKnown = (): boolean => localStorage.getItem(HALF) !== null

const half = (): string => localStorage.getItem(HALF) ?? ''
const ownHeaders = (): Record<string, string> => ({ 'x-hm-session': half() })

/** The whole service, as the home's owner. */
export const owner = connect({
  base: '/admin/home',
  stream: '/admin/v1/stream',
  headers: ownHeaders,
  protocols: () => ['hm', `hm-session.${half()}`],
})

/** What a sign-in takes. */
export type SignIn =
  | { readonly link: string; readonly ownDevice: boolean }
  | { readonly name: string; readonly password: string; readonly ownDevice: boolean }

/** @throws Error with the gateway's own sentence */
export async function enter(what: SignIn): Promise<void> {
  const answer = await exchange<{ half: string; session: string }>('POST', '/console/session', what, {})
  localStorage.setItem(HALF, answer.half)
  localStorage.setItem(SESSION, answer.session)
}

/** Ends the session on the gateway, and forgets it here whatever that answers. */
export async function leave(): Promise<void> {
  const session = localStorage.getItem(SESSION)
  try {
    if (session !== null) await ask('DELETE', `/admin/v1/sessions/${session}`)
  } finally {
    forget()
  }
}

export function forget(): void {
  localStorage.removeItem(HALF)
  localStorage.removeItem(SESSION)
}

/** Asks the administrators' API. @throws Error with the gateway's own sentence */
export function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  return exchange<T>(method, path, body, ownHeaders())
}

async function exchange<T>(
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  if (response.ok) return answer as T
  const { error } = answer as { error?: { message?: string } }
  throw new Error(error?.message ?? String(response.status))
}
