import type { Result } from '../lib/result.ts'
import type { AuthFailure, Presented } from './authenticator.ts'
import type { Via, Door } from './credentials/credentials.ts'

/** What another process changed is noticed this soon on channels through which no request comes. */
export const RECHECK_EVERY_MS = 1_000

/**
 * Whose a channel is. The token is kept, because its credential is checked again for as long as the channel is open.
 */
export interface ChannelOwner {
  readonly token: Presented
  readonly via: Via
  /** `api` unless said. */
  readonly door?: Door | undefined
  readonly link: string
}

export interface ChannelLimits {
  readonly all: number
  readonly perCredential: number
}

export interface OpenChannelsParts<C> {
  readonly authenticator: { check(token: Presented, via: Via, door?: Door): Result<unknown, AuthFailure> }
  readonly limits: ChannelLimits
  /** Ends a channel whose credential fails. Whoever added it removes it, then or once it is closed. */
  readonly end: (channel: C, failure: AuthFailure) => void
}

/** Everything of one kind that stays open for a credential: sockets of the stream, requests and sessions of agents. */
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

  /** Those of one credential, the oldest first. */
  of(link: string): readonly C[] {
    return [...(this.#perLink.get(link) ?? [])]
  }

  /** Which limit keeps one more of this credential out, or null. */
  full(link: string): keyof ChannelLimits | null {
    const { all, perCredential } = this.#parts.limits
    if (this.#size >= all) return 'all'
    return (this.#perLink.get(link)?.size ?? 0) >= perCredential ? 'perCredential' : null
  }

  /** Adds a channel; `full` was asked before. */
  add(channel: C): void {
    const own = this.#perLink.get(channel.link) ?? new Set()
    this.#perLink.set(channel.link, own.add(channel))
    this.#size += 1
  }

  /** Removes a channel; answers whether it was there. */
  remove(channel: C): boolean {
    const own = this.#perLink.get(channel.link)
    if (!own?.delete(channel)) return false
    this.#size -= 1
    if (own.size === 0) this.#perLink.delete(channel.link)
    return true
  }

  /** Why the credential of a channel fails now, or null. */
  failureOf({ token, via, door }: ChannelOwner): AuthFailure | null {
    const identity = this.#parts.authenticator.check(token, via, door)
    return identity.ok ? null : identity.error
  }

  /** As `failureOf`, for many channels at one moment: a token that several have is checked once. */
  failuresNow(): (owner: ChannelOwner) => AuthFailure | null {
    const known = new Map<Presented, Map<string, AuthFailure | null>>()
    const looked = (owner: ChannelOwner): AuthFailure | null => {
      const of = known.get(owner.token) ?? new Map<string, AuthFailure | null>()
      known.set(owner.token, of)
      const key = `${owner.via} ${owner.door}`
      let failure = of.get(key)
      if (failure === undefined) of.set(key, (failure = this.failureOf(owner)))
      return failure
    }
    let last: ChannelOwner | null = null
    let failure: AuthFailure | null = null
    return (owner) => {
      // Channels of one credential follow each other, so most are told by a look at the one before.
      if (last?.token === owner.token && last.via === owner.via && last.door === owner.door) return failure
      last = owner
      return (failure = looked(owner))
    }
  }

  /**
   * Checks every credential again and ends the channels of those that fail: each second, and after an administrator's
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
