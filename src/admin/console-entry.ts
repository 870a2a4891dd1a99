import { z } from 'zod'
import { LIFE_MS, LIFE_TABLET_MS } from '../auth/persons/console-session.ts'
import { PASSWORD_LENGTH } from '../auth/persons/password.ts'
import type { Entered, SignIn, SignInFailure } from '../auth/persons/sign-in.ts'
import type { Result } from '../lib/result.ts'
import type { PasskeySite } from '../auth/persons/passkeys.ts'
import { signInRefusal } from './console.ts'
import { ShownPasskey } from './contract/passkeys.ts'
import { refusalAnswer, refusalOf, refusedWith } from '../api/answers.ts'
import { type Answer, type Body, bodyValue } from '../api/call.ts'
import { validated } from '../api/validate.ts'

/** Name of the cookie in earlier versions; all gateways of one host name shared it. */
export const SHARED_COOKIE = '__Host-hm'

/**
 * Name of the session cookie. Its prefix keeps other hosts and paths from setting it (docs/console.md#sessions).
 * Cookies ignore ports, so the serial separates gateways on one host name.
 */
export function sessionCookieName(gateway: string): string {
  return `__Host-hm-${gateway.toLowerCase()}`
}

/** Limit of a sign-in body; every valid one is shorter. */
export const SIGN_IN_BYTES_MAX = 4 * 1024

const ownDevice = z.boolean().default(false)
const Enter = z.union([
  z.strictObject({ link: z.string().min(1).max(100), ownDevice }),
  z.strictObject({ setupCode: z.string().min(1).max(100), ownDevice }),
  z.strictObject({ passkey: ShownPasskey, ownDevice }),
  z.strictObject({
    name: z.string().min(1).max(64),
    password: z.string().max(PASSWORD_LENGTH.max),
    code: z.string().max(20).optional(),
    ownDevice,
  }),
])

/** The password was right, and the account needs a code of a signed-in browser too. */
const CODE_NEEDED: Answer = {
  status: 202,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify({ needs: 'code' }),
}

/** Origin of a sign-in: browser, address and page. */
export interface EnteringFrom {
  /** Serial of the gateway. */
  readonly gateway: string
  readonly browser: string
  readonly peer: string
  readonly site: PasskeySite
}

/** Cookie of a session; on a person's own device it outlives the browser. */
export function sessionCookie(gateway: string, secret: string, ownDevice: boolean, lifeMs = LIFE_MS): string {
  const age = ownDevice ? `; Max-Age=${lifeMs / 1_000}` : ''
  return `${sessionCookieName(gateway)}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict${age}`
}

/**
 * Responds to a sign-in with the cookie and the other half of a new session, or with the refusal. Throws only defects.
 */
export async function enter(body: Body, from: EnteringFrom, signIn: SignIn): Promise<Answer> {
  try {
    const signInBody = validated(Enter, bodyValue(body), 'body')
    const entered = await signedIn(signInBody, from, signIn)
    if (!entered.ok && entered.error === 'code_needed') return CODE_NEEDED
    if (!entered.ok) {
      const { code, details } = signInRefusal(entered.error)
      return refusedWith(code, details)
    }
    const { cookie, half, session, isTablet = false } = entered.value
    const lasts = isTablet || signInBody.ownDevice
    const lifeMs = isTablet ? LIFE_TABLET_MS : LIFE_MS
    return {
      status: 201,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'set-cookie': sessionCookie(from.gateway, cookie, lasts, lifeMs),
      },
      body: JSON.stringify({ half, session: session.id }),
    }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    return refusalAnswer(refusal)
  }
}

function signedIn(
  signInBody: z.output<typeof Enter>,
  { browser, peer, site }: EnteringFrom,
  signIn: SignIn,
): Promise<Result<Entered, SignInFailure>> | Result<Entered, SignInFailure> {
  const from = { browser, peer, ownDevice: signInBody.ownDevice }
  if ('link' in signInBody) return signIn.byLink(signInBody.link, from)
  if ('setupCode' in signInBody) return signIn.bySetupCode(signInBody.setupCode, from)
  if ('passkey' in signInBody) return signIn.byPasskey(signInBody.passkey, site, from)
  return signIn.byPassword(signInBody.name, signInBody.password, from, signInBody.code)
}

/** Pages of the console, by the first word of their path after `/console/`. */
export const PAGES = [
  'home',
  'device',
  'activity',
  'access',
  'approvals',
  'system',
  'rooms',
  'messages',
  'calendars',
  'me',
  'trust',
  'go',
] as const

/**
 * True if a path after `/console/` is a page. All pages are the same document. An unknown appAction is also a page, so
 * that a person who follows a newer client's link gets an explanation.
 */
export function isPage(path: string): boolean {
  const [first = '', , ...rest] = path.split('/')
  return path === '' || (PAGES.some((page) => page === first) && rest.length === 0)
}
