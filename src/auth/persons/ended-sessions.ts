import { timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../token.ts'
import {
  IDLE_MS,
  IDLE_OWN_DEVICE_MS,
  LIFE_MS,
  LIFE_NAMELESS_MS,
  SESSIONS_MAX,
  type StoredSession,
} from './console-session.ts'

/** Sentences for the browser of a session that ended. */
export const END_REASONS = {
  by: (name: string) => `This session was ended by ${name}.`,
  firstAccount: (name: string) => `This session had no name. It ended when ${name} became the first administrator.`,
  link: (maker: string) =>
    `This session was opened by a link from ${maker}, and ended with ${maker}’s access. Show your own password or passkey next time: your session then stands on its own.`,
  password: (name: string) => `The password of ${name} was changed. Sign in with the new one.`,
  removed: (name: string) => `${name} is no longer an administrator of this home.`,
  tooMany: `The home has ${SESSIONS_MAX} sessions at most. This session was unused for longest and ended.`,
} as const

/** Why a stored session is over at a steady time; null: it goes on. */
export function overReason(session: StoredSession, steadyUsedAt: number, now: number): string | null {
  const isNamed = session.person !== null
  const idle = session.ownDevice && isNamed ? IDLE_OWN_DEVICE_MS : IDLE_MS
  const life = isNamed ? LIFE_MS : LIFE_NAMELESS_MS
  if (now - steadyUsedAt >= idle) return `This session ended because nobody used it for ${spanWords(idle)}.`
  if (now - session.steadyCreatedAt < life) return null
  return `This session ended ${spanWords(life)} after it began.`
}

const HOUR_MS = 3_600_000
const spanWords = (ms: number): string => (ms < 48 * HOUR_MS ? `${ms / HOUR_MS} hours` : `${ms / (24 * HOUR_MS)} days`)

/**
 * Why sessions ended, for browsers that still hold both their secrets. Kept in memory: after a restart a browser learns
 * only that its session is over.
 */
export class EndedSessions {
  /** By the hash of their cookies, the oldest first. */
  readonly #reasons = new Map<string, { readonly half: Buffer; readonly reason: string }>()

  remember({ cookieSha256, halfSha256 }: StoredSession, reason: string): void {
    this.#reasons.set(cookieSha256.toString('base64'), { half: halfSha256, reason })
    const [oldest] = this.#reasons.keys()
    if (this.#reasons.size > SESSIONS_MAX && oldest !== undefined) this.#reasons.delete(oldest)
  }

  /** Why the session of these secrets ended; null: it is unknown. */
  reasonOf(cookie: string, half: string): string | null {
    const known = this.#reasons.get(hashSecret(cookie).toString('base64'))
    const shown = hashSecret(half)
    return known?.half.length === shown.length && timingSafeEqual(known.half, shown) ? known.reason : null
  }
}
