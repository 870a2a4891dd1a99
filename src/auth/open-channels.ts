import type { Result } from '../lib/result.ts'
import type { AuthFailure, RequestCredentials } from './authenticator.ts'
import type { Via, TokenAudience } from './credentials/credentials.ts'

/** Interval of checking open channels, so that changes by other processes reach channels without requests. */
export const RECHECK_EVERY_MS = 1_000

/** Owner of a channel. The token is stored to check its credential again while the channel is open. */
export interface ChannelOwner {
  readonly token: RequestCredentials
  readonly via: Via
  /** `api` by default. */
  readonly audience?: TokenAudience | undefined
  readonly link: string
}

export interface ChannelLimits {
  readonly all: number
  readonly perCredential: number
}

export interface OpenChannelsParts<C> {
  readonly authenticator: {
    check(token: RequestCredentials, via: Via, audience?: TokenAudience): Result<unknown, AuthFailure>
  }
  readonly limits: ChannelLimits
  /** Ends a channel whose credential failed. The code that added the channel removes it, at once or after closing. */
  readonly end: (channel: C, failure: AuthFailure) => void
}

/** Open channels of one kind by credential: stream sockets, agents' running requests or sessions. */
export class OpenChannels<C extends ChannelOwner> {
  readonly #parts: OpenChannelsParts<C>
  readonly #perLink = new Map<string, Set<C>>()
  #size = 0

  constructor(parts: OpenChannelsParts<C>) {
    this.#parts = parts
  }

  get size(): number {
    return this.#size
  }

  list(): readonly C[] {
    return [...this.#perLink.values()].flatMap((channels) => [...channels])
  }

  /** Channels of one credential, oldest first. */
  of(link: string): readonly C[] {
    return [...(this.#perLink.get(link) ?? [])]
  }

  /** The limit that forbids another channel of this credential, or null. */
  full(link: string): keyof ChannelLimits | null {
    const { all, perCredential } = this.#parts.limits
    if (this.#size >= all) return 'all'
    return (this.#perLink.get(link)?.size ?? 0) >= perCredential ? 'perCredential' : null
  }

  /** Adds a channel; call `full` first. */
  add(channel: C): void {
    const own = this.#perLink.get(channel.link) ?? new Set()
    this.#perLink.set(channel.link, own.add(channel))
    this.#size += 1
  }

  /** Removes a channel; true if it was registered. */
  remove(channel: C): boolean {
    const own = this.#perLink.get(channel.link)
    if (!own?.delete(channel)) return false
    this.#size -= 1
    if (own.size === 0) this.#perLink.delete(channel.link)
    return true
  }

  /** Current failure of a channel's credential, or null. */
  failureOf({ token, via, audience }: ChannelOwner): AuthFailure | null {
    const identity = this.#parts.authenticator.check(token, via, audience)
    return identity.ok ? null : identity.error
  }

  /** Like `failureOf`, for many channels at one moment: a shared token is checked once. */
  failuresNow(): (owner: ChannelOwner) => AuthFailure | null {
    const failures = new Map<RequestCredentials, Map<string, AuthFailure | null>>()
    const failureOf = (owner: ChannelOwner): AuthFailure | null => {
      const of = failures.get(owner.token) ?? new Map<string, AuthFailure | null>()
      failures.set(owner.token, of)
      const key = `${owner.via} ${owner.audience}`
      let failure = of.get(key)
      if (failure === undefined) of.set(key, (failure = this.failureOf(owner)))
      return failure
    }
    let last: ChannelOwner | null = null
    let failure: AuthFailure | null = null
    return (owner) => {
      // Channels of one credential are adjacent, so comparing with the previous one usually suffices.
      if (last?.token === owner.token && last.via === owner.via && last.audience === owner.audience) return failure
      last = owner
      return (failure = failureOf(owner))
    }
  }

  /**
   * Checks all credentials and ends the channels of failed ones. Called each second, and after an administrator's
   * change.
   */
  recheck(): void {
    const failureOf = this.failuresNow()
    for (const channel of this.list()) {
      const failure = failureOf(channel)
      if (failure) this.#parts.end(channel, failure)
    }
  }
}
