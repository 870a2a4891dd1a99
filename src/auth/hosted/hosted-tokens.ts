import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { Random } from '../../lib/random.ts'
import {
  type Credential,
  type Door,
  formatToken,
  hashSecret,
  newSecret,
  parseHosted,
} from '../credentials/credentials.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'

/** Spec 8: an access token of a hosted platform lasts an hour. */
export const ACCESS_LIFE_MS = HOUR_MS
/**
 * A refresh token that was used works so much longer: platforms run on several machines that refresh with the same one,
 * and an answer may be lost on its way.
 */
export const OVERLAP_MS = 2 * MINUTE_MS
/** Access tokens of one agent that are known; the oldest go first. */
export const ACCESS_TOKENS_MAX = 16
/** A refresh token is known until so many came after one another from it. */
export const REFRESH_GENERATIONS_MAX = 8
/** Refresh tokens of one agent that are known, also where many machines refresh with one; the oldest go first. */
export const REFRESH_TOKENS_MAX = 64

/** A token of a hosted platform as stored. Times are steady time in ms. */
export interface HostedToken {
  readonly sha256: Buffer
  /** The credential that it belongs to. */
  readonly link: string
  readonly kind: 'access' | 'refresh'
  /** How many came one after the other before it. */
  readonly generation: number
  readonly steadyMadeAt: number
  /** Of a refresh token: when it was first used. */
  readonly steadyUsedAt: number | null
}

/** So many tokens of one credential stay. */
export interface TokensKept {
  readonly access: number
  readonly refresh: number
  readonly generations: number
}

/** Writes run inside `UnitOfWork.change`. The tokens of a credential are gone once it is revoked or deleted. */
export interface HostedTokenStore {
  get(sha256: Buffer): HostedToken | undefined
  insert(token: HostedToken): void
  used(sha256: Buffer, steadyAt: number): void
  remove(sha256: Buffer): void
  trim(link: string, kept: TokensKept): void
  /**
   * Number of refresh tokens of a credential that were never used. A second one is there after two refreshes with one
   * token: by another machine of the platform, or by somebody who has a copy.
   */
  unused(link: string): number
  /** Removes them but for this one. */
  removeUnused(link: string, besides: Buffer): void
}

/** What a hosted platform gets; shown once, here. */
export interface HostedPair {
  readonly access: string
  readonly refresh: string
  /** Seconds. */
  readonly expiresIn: number
  readonly door: Door
}

export interface HostedTokensParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly store: HostedTokenStore
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly random: Random
}

/**
 * The tokens of hosted platforms (Spec 5 point 4): an access token of an hour, and a refresh token that is exchanged
 * for the next pair. All of one credential are a family, and end with it.
 */
export class HostedTokens {
  readonly #parts: HostedTokensParts

  constructor(parts: HostedTokensParts) {
    this.#parts = parts
  }

  /** What is known of an access token of a credential; `over`: its hour has passed. */
  accessState(sha256: Buffer, { link }: Pick<Credential, 'link'>): 'good' | 'over' | 'unknown' {
    const stored = this.#parts.store.get(sha256)
    if (stored?.kind !== 'access' || stored.link !== link) return 'unknown'
    return this.#ageOf(stored) < ACCESS_LIFE_MS ? 'good' : 'over'
  }

  /** The stored token that a text is, access or refresh, or null. */
  find(text: string): HostedToken | null {
    const read = parseHosted(text)
    if (read?.gateway !== this.#parts.gateway) return null
    const token = this.#parts.store.get(hashSecret(read.secret))
    return token?.kind === (read.kind === 'refresh' ? 'refresh' : 'access') && token.link === read.link ? token : null
  }

  /** Whether a refresh token was used so long ago that who shows it again is not the one who used it. */
  isReused({ steadyUsedAt }: HostedToken): boolean {
    return steadyUsedAt !== null && this.#parts.steady.now() - steadyUsedAt > OVERLAP_MS
  }

  /** Makes the first pair of a credential, inside a change that is under way. */
  issue(credential: Credential): HostedPair {
    return this.#issue(credential, 0)
  }

  /**
   * Makes the next pair for a refresh token, inside a change that is under way. The first use of a token ends the
   * branches that nobody has used since they began.
   */
  rotate(used: HostedToken, credential: Credential): HostedPair {
    const { store, steady } = this.#parts
    if (used.steadyUsedAt === null) {
      store.used(used.sha256, steady.now())
      store.removeUnused(credential.link, used.sha256)
    }
    return this.#issue(credential, used.generation + 1)
  }

  /** Ends one token alone, inside a change that is under way. */
  remove({ sha256 }: HostedToken): void {
    this.#parts.store.remove(sha256)
  }

  #issue(credential: Credential, generation: number): HostedPair {
    const { store, steady } = this.#parts
    if (credential.hosted === null) throw new Error(`${credential.link} is not of a hosted platform.`)
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
    return { ...pair, expiresIn: ACCESS_LIFE_MS / 1000, door: credential.hosted.door }
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
