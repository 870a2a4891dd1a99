import { z } from 'zod'
import { LIFE_MS } from '../auth/persons/console-session.ts'
import { PASSWORD_LENGTH } from '../auth/persons/password.ts'
import type { Entered, SignIn, SignInFailure } from '../auth/persons/sign-in.ts'
import type { Result } from '../lib/result.ts'
import type { Site } from '../auth/persons/passkeys.ts'
import { signInRefusal } from './console.ts'
import { ShownPasskey } from './contract/passkeys.ts'
import { refusalAnswer, refusalOf, refusedWith } from '../api/answers.ts'
import { type Answer, type Body, bodyValue } from '../api/call.ts'
import { validated } from '../api/validate.ts'

/** The name of the cookie in earlier versions, which all gateways of one host name shared. */
export const SHARED_COOKIE = '__Host-hm'

/**
 * The name of the cookie; its form lets no other host or path set it (docs/console.md#sessions). Cookies ignore ports:
 * the serial tells gateways on one host name apart.
 */
export function sessionCookieName(gateway: string): string {
  return `__Host-hm-${gateway.toLowerCase()}`
}

/** Fits every sign-in. */
export const SIGN_IN_BYTES_MAX = 4 * 1024

const ownDevice = z.boolean().default(false)
const Enter = z.union([
  z.strictObject({ link: z.string().min(1).max(100), ownDevice }),
  z.strictObject({ setupCode: z.string().min(1).max(100), ownDevice }),
  z.strictObject({ passkey: ShownPasskey, ownDevice }),
  z.strictObject({ name: z.string().min(1).max(64), password: z.string().max(PASSWORD_LENGTH.max), ownDevice }),
])

/** Where somebody signs in from, and at which page. */
export interface EnteringFrom {
  /** The id of the gateway. */
  readonly gateway: string
  readonly browser: string
  readonly peer: string
  readonly site: Site
}

/** The cookie of a session: on a device of one's own it outlives the browser. */
export function sessionCookie(gateway: string, secret: string, ownDevice: boolean): string {
  const age = ownDevice ? `; Max-Age=${LIFE_MS / 1_000}` : ''
  return `${sessionCookieName(gateway)}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict${age}`
}

/** Answers a sign-in with the cookie and the other half of a new session, or with why not; throws defects alone. */
export async function enter(body: Body, from: EnteringFrom, signIn: SignIn): Promise<Answer> {
  try {
    const asked = validated(Enter, bodyValue(body), 'body')
    const entered = await cameIn(asked, from, signIn)
    if (!entered.ok) {
      const { code, details } = signInRefusal(entered.error)
      return refusedWith(code, details)
    }
    const { cookie, half, session } = entered.value
    return {
      status: 201,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'set-cookie': sessionCookie(from.gateway, cookie, asked.ownDevice),
      },
      body: JSON.stringify({ half, session: session.id }),
    }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    return refusalAnswer(refusal)
  }
}

function cameIn(
  asked: z.output<typeof Enter>,
  { browser, peer, site }: EnteringFrom,
  signIn: SignIn,
): Promise<Result<Entered, SignInFailure>> | Result<Entered, SignInFailure> {
  const from = { browser, peer, ownDevice: asked.ownDevice }
  if ('link' in asked) return signIn.byLink(asked.link, from)
  if ('setupCode' in asked) return signIn.bySetupCode(asked.setupCode, from)
  if ('passkey' in asked) return signIn.byPasskey(asked.passkey, site, from)
  return signIn.byPassword(asked.name, asked.password, from)
}

/** The pages of the console, by the first word of their path behind `/console/`. */
export const PAGES = ['home', 'device', 'activity', 'access', 'approvals', 'system', 'rooms', 'trust', 'go'] as const

/**
 * Whether a path behind `/console/` is a page: the same document for each, which shows what the path says. An appAction
 * that is none here gets it too, so that whoever follows a link of a newer client is told in the page.
 */
export function isPage(path: string): boolean {
  const [first = '', , ...rest] = path.split('/')
  return path === '' || (PAGES.some((page) => page === first) && rest.length === 0)
}
