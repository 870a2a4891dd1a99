import type { House } from '@hm-gateway/client/src/contract.ts'
import type { Client } from '@hm-gateway/client/src/client.ts'
import { failureOf } from './failure.ts'
import { scenesOf, thingsOf, placesOf, type Named, type Place, type Thing, theOne } from './name-match.ts'
import { integrationOf, type Profile, ProfileStore } from './profile.ts'
import { following, type Way, reached, waysTo } from './ways.ts'
import { HmError, ConnectionError } from '@hm-gateway/client/src/error.ts'
import { CliError, said, write } from '../../shell/terminal.ts'
import { NameCache } from './name-cache.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { isFinal } from '@hm-gateway/client/src/follow.ts'

/** A home that has answered: its house as it was read, and the way back to it. */
export class OpenHome {
  readonly client: Client
  readonly house: House
  readonly things: readonly Thing[]
  readonly #profile: Profile
  readonly #way: Way

  constructor(profile: Profile, way: Way, client: Client, house: House) {
    this.#profile = profile
    this.#way = way
    this.client = client
    this.house = house
    this.things = thingsOf(house)
  }

  get scenes(): readonly Named[] {
    return scenesOf(this.house)
  }

  get rooms(): readonly Place[] {
    return placesOf(this.house).filter(({ kind }) => kind === 'room')
  }

  get floors(): readonly Place[] {
    return placesOf(this.house).filter(({ kind }) => kind === 'floor')
  }

  /** The device that is meant; one that takes the operation before one that does not. */
  thing(typed: string, operation: string): Thing {
    return theOne(typed, this.things, 'device', ({ operations }) => operations.includes(operation))
  }

  /** The devices of a room, or all. */
  inRoom(typed: string | undefined): readonly Thing[] {
    if (typed === undefined) return this.things
    const { id } = theOne(typed, this.rooms, 'room')
    return this.things.filter(({ roomId }) => roomId === id)
  }

  /** One call; throws its refusal as the user reads it. */
  async ask<T>(call: (client: Client) => Promise<T>, device?: string): Promise<T> {
    try {
      return await call(this.client)
    } catch (error) {
      const gateway = this.#way.kind === 'home' ? this.#way.address : null
      const integration = integrationOf(this.#profile)
      throw failureOf(error, { gateway, integration, ...(device === undefined ? {} : { device }) })
    }
  }

  /** A client for what is followed for long: it goes on over other addresses where this one is lost. */
  following(): Promise<Client> {
    return following(this.#profile, this.#way)
  }
}

interface ClientOptions {
  readonly json: boolean
  readonly profile?: string
}

/** What every client command needs: the home that the user is logged in to, and a way to answer as text or as JSON. */
export class ClientContext {
  readonly json: boolean
  /** The profile that was named; undefined: the current one. */
  readonly named: string | undefined
  readonly profiles = new ProfileStore()

  constructor({ json, profile }: ClientOptions) {
    this.json = json
    this.named = profile ?? (process.env['HM_PROFILE'] || undefined)
  }

  get profile(): Profile {
    return this.profiles.get(this.named)
  }

  /** Reaches the home over whichever way answers first, and reads its house. */
  async open(): Promise<OpenHome> {
    const { profile } = this
    const refusing: Way[] = []
    try {
      const { way, client, answer } = await reached(waysTo(profile), async (home, options, over) => {
        try {
          return await home.house({}, options)
        } catch (error) {
          if (error instanceof HmError && over.kind === 'home') refusing.push(over)
          throw error
        }
      })
      new NameCache().keep(answer)
      if (way.kind === 'home' && way.address !== profile.addresses[0]) this.#comeFirst(profile, way.address)
      return new OpenHome(profile, way, client, answer)
    } catch (error) {
      throw failureOf(error, { gateway: refusing[0]?.address ?? null, integration: integrationOf(profile) })
    }
  }

  /** Prints the answer itself with --json, else what `text` makes of it. */
  show<T extends object>(answer: T, text: (answer: T) => string): void {
    write(this.json ? JSON.stringify(answer, null, 2) : text(answer))
  }

  /** Says something beside the answer. */
  note(sentence: string): void {
    said(sentence, this.json)
  }

  /** The same as `show` for one of many that follow each other: one object a line. */
  line<T extends object>(answer: T, text: (answer: T) => string): void {
    write(this.json ? JSON.stringify(answer) : text(answer))
  }

  /** Where the gateway answered is asked first from now on; where that cannot be kept, it is found again each time. */
  #comeFirst(profile: Profile, address: string): void {
    const others = profile.addresses.filter((other) => other !== address)
    try {
      this.profiles.put({ ...profile, addresses: [address, ...others] }, false)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
    }
  }
}

/** How long until it is tried again: doubled each time, up to the second. */
const FIRST_PAUSE_MS = 1_000
const PAUSE_MAX_MS = 30_000

/**
 * Asks until it is answered, for what is followed for long: a gateway that is away, starts or has too much to do is
 * asked again, which is said once.
 * @throws Failure for what stays refused, as a key that has ended, and where another CA answers
 */
export async function patiently<T>(context: ClientContext, ask: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS, lost = false; ; lost = true) {
    try {
      const answer = await ask()
      if (lost) context.note('There again.')
      return answer
    } catch (error) {
      if (!isPassing(error)) throw failureOf(error)
      if (!lost) context.note(`${error.message} Trying again until it is there.`)
      const asked = error instanceof HmError ? (error.retryAfter ?? 0) * 1_000 : 0
      await pause(Math.max(pauseMs, asked))
      pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
    }
  }
}

const isPassing = (error: unknown): error is Error =>
  error instanceof ConnectionError || (error instanceof HmError && !isFinal(error))
