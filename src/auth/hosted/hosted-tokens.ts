import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { Random } from '../../lib/random.ts'
import {
  type Credential,
  type TokenAudience,
  formatToken,
  hashSecret,
  newSecret,
  parseHosted,
} from '../credentials/credentials.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'

/** Life of an access token of a hosted platform (Spec 8). */
export const ACCESS_LIFE_MS = HOUR_MS
/** Time for which a used refresh token still works. A platform's machines may share one, and a response may be lost. */
export const OVERLAP_MS = 2 * MINUTE_MS
/** Most access tokens of one agent; the oldest are deleted first. */
export const ACCESS_TOKENS_MAX = 16
/** Most stored generations of refresh tokens; a token is deleted after so many successors. */
export const REFRESH_GENERATIONS_MAX = 8
/** Most refresh tokens of one agent, however many machines share one; the oldest are deleted first. */
export const REFRESH_TOKENS_MAX = 64

/** A token of a hosted platform as stored. Times are steady time in ms. */
export interface HostedToken {
  readonly sha256: Buffer
  /** Credential of the token. */
  readonly link: string
  readonly kind: 'access' | 'refresh'
  /** Number of its predecessors. */
  readonly generation: number
  readonly steadyMadeAt: number
  /** First use of a refresh token. */
  readonly steadyUsedAt: number | null
}

/** Bounds of the stored tokens of one credential. */
export interface TokenBounds {
  readonly access: number
  readonly refresh: number
  readonly generations: number
}

/** Writes run inside `UnitOfWork.change`. Tokens are deleted with their credential, also when it is revoked. */
export interface HostedTokenStore {
  get(sha256: Buffer): HostedToken | undefined
  insert(token: HostedToken): void
  used(sha256: Buffer, steadyAt: number): void
  remove(sha256: Buffer): void
  trim(link: string, bounds: TokenBounds): void
  /**
   * Number of a credential's unused refresh tokens. Two mean that one token was used twice: by two machines of the
   * platform, or by somebody with a copy.
   */
  unused(link: string): number
  /** Deletes all unused refresh tokens except this one. */
  removeUnused(link: string, besides: Buffer): void
}

/** New tokens for a hosted platform; only their hashes are stored. */
export interface HostedPair {
  readonly access: string
  readonly refresh: string
  /** Seconds. */
  readonly expiresIn: number
  readonly door: TokenAudience
}

export interface HostedTokensParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly store: HostedTokenStore
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly random: Random
}

/**
 * Tokens of hosted platforms (Spec 5 point 4): an access token for an hour, and a refresh token to exchange for the
 * next pair. All tokens of a credential end with it.
 */
export class HostedTokens {
  readonly #parts: HostedTokensParts

  constructor(parts: HostedTokensParts) {
    this.#parts = parts
  }

  /** State of a credential's access token; `over`: expired. */
  accessState(sha256: Buffer, { link }: Pick<Credential, 'link'>): 'good' | 'over' | 'unknown' {
    const stored = this.#parts.store.get(sha256)
    if (stored?.kind !== 'access' || stored.link !== link) return 'unknown'
    return this.#ageOf(stored) < ACCESS_LIFE_MS ? 'good' : 'over'
  }

  /** Stored access or refresh token of a text, or null. */
  find(text: string): HostedToken | null {
    const read = parseHosted(text)
    if (read?.gateway !== this.#parts.gateway) return null
    const token = this.#parts.store.get(hashSecret(read.secret))
    return token?.kind === (read.kind === 'refresh' ? 'refresh' : 'access') && token.link === read.link ? token : null
  }

  /** True if a refresh token was first used so long ago that a second use is suspicious. */
  isReused({ steadyUsedAt }: HostedToken): boolean {
    return steadyUsedAt !== null && this.#parts.steady.now() - steadyUsedAt > OVERLAP_MS
  }

  /** Makes the first pair of a credential, inside the caller's change. */
  issue(credential: Credential): HostedPair {
    return this.#issue(credential, 0)
  }

  /**
   * Makes the next pair for a refresh token, inside the caller's change. The first use of a token deletes all other
   * unused refresh tokens.
   */
  rotate(used: HostedToken, credential: Credential): HostedPair {
    const { store, steady } = this.#parts
    if (used.steadyUsedAt === null) {
      store.used(used.sha256, steady.now())
      store.removeUnused(credential.link, used.sha256)
    }
    return this.#issue(credential, used.generation + 1)
  }

  /** Deletes one token, inside the caller's change. */
  remove({ sha256 }: HostedToken): void {
    this.#parts.store.remove(sha256)
  }

  #issue(credential: Credential, generation: number): HostedPair {
    const { store, steady } = this.#parts
    if (credential.hosted === null) throw new Error(`${credential.link} does not belong to a hosted platform.`)
    const pair = {
      access: this.#make(credential, 'access', generation),
      refresh: this.#make(credential, 'refresh', generation),
    }
    store.trim(credential.link, {
      access: ACCESS_TOKENS_MAX,
      refresh: REFRESH_TOKENS_MAX,
      generations: REFRESH_GENERATIONS_MAX,
    })
    steady.save()
    return { ...pair, expiresIn: ACCESS_LIFE_MS / 1000, door: credential.hosted.audience }
  }

  #make({ link, integration }: Credential, kind: HostedToken['kind'], generation: number): string {
    const { gateway, random, steady, store } = this.#parts
    const secret = newSecret(random)
    store.insert({ sha256: hashSecret(secret), link, kind, generation, steadyMadeAt: steady.now(), steadyUsedAt: null })
    return formatToken({ kind: kind === 'access' ? 'agent' : 'refresh', gateway, integration, link, secret })
  }

  #ageOf({ steadyMadeAt }: HostedToken): number {
    return this.#parts.steady.now() - steadyMadeAt
  }
}
