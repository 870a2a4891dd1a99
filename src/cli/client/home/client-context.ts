import type { House } from '@hm-gateway/client/src/contract.ts'
import type { Client } from '@hm-gateway/client/src/client.ts'
import { failureOf } from './failure.ts'
import { groupsOf, scenesOf, thingsOf, placesOf, type Named, type Place, type Thing, theOne } from './name-match.ts'
import { integrationOf, type Profile, ProfileStore } from './profile.ts'
import { following, type Way, reached, waysTo } from './ways.ts'
import { HmError, ConnectionError } from '@hm-gateway/client/src/error.ts'
import { CliError, printNote, write } from '../../shell/terminal.ts'
import { NameCache } from './name-cache.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { isFinal } from '@hm-gateway/client/src/follow.ts'

/** A reached home: its house, and the connection to it. */
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

  get groups(): readonly Named[] {
    return groupsOf(this.house)
  }

  get rooms(): readonly Place[] {
    return placesOf(this.house).filter(({ kind }) => kind === 'room')
  }

  get floors(): readonly Place[] {
    return placesOf(this.house).filter(({ kind }) => kind === 'floor')
  }

  /** The device with this name; devices that take the operation, if any is given, come first. */
  thing(typed: string, operation?: string): Thing {
    return theOne(
      typed,
      this.things,
      'device',
      ({ operations }) => operation === undefined || operations.includes(operation),
    )
  }

  /** The devices of a room, or all. */
  inRoom(typed: string | undefined): readonly Thing[] {
    if (typed === undefined) return this.things
    const { id } = theOne(typed, this.rooms, 'room')
    return this.things.filter(({ roomId }) => roomId === id)
  }

  /** Makes a call; throws its refusal in words for the user. */
  async ask<T>(call: (client: Client) => Promise<T>, device?: string): Promise<T> {
    try {
      return await call(this.client)
    } catch (error) {
      const gateway = this.#way.kind === 'home' ? this.#way.address : null
      const integration = integrationOf(this.#profile)
      throw failureOf(error, { gateway, integration, ...(device === undefined ? {} : { device }) })
    }
  }

  /** A client for following; it fails over to other addresses. */
  following(): Promise<Client> {
    return following(this.#profile, this.#way)
  }
}

interface ClientOptions {
  readonly json: boolean
  readonly profile?: string
}

/** Context of the client commands: the home of the login, and the output as text or JSON. */
export class ClientContext {
  readonly json: boolean
  /** Name of the profile; undefined for the current one. */
  readonly named: string | undefined
  readonly profiles = new ProfileStore()

  constructor({ json, profile }: ClientOptions) {
    this.json = json
    this.named = profile ?? (process.env['HM_PROFILE'] || undefined)
  }

  get profile(): Profile {
    return this.profiles.get(this.named)
  }

  /** Reaches the home by the connection that answers first, and reads its house. */
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

  /** Prints a note next to the answer. */
  note(sentence: string): void {
    printNote(sentence, this.json)
  }

  /** Prints one of many answers: one JSON object a line. */
  line<T extends object>(answer: T, text: (answer: T) => string): void {
    write(this.json ? JSON.stringify(answer) : text(answer))
  }

  /** Stores the address that answered as the first one; if the file cannot be written, the search repeats each time. */
  #comeFirst(profile: Profile, address: string): void {
    const others = profile.addresses.filter((other) => other !== address)
    try {
      this.profiles.put({ ...profile, addresses: [address, ...others] }, false)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
    }
  }
}

/** Pause before a retry: doubled each time, up to the second value. */
const FIRST_PAUSE_MS = 1_000
const PAUSE_MAX_MS = 30_000

/**
 * Retries until the call succeeds, for following: while the gateway is away, starting or overloaded. A note says so
 * once.
 * @throws Failure for a permanent refusal, like a revoked key, and for another CA
 */
export async function patiently<T>(context: ClientContext, ask: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS, lost = false; ; lost = true) {
    try {
      const answer = await ask()
      if (lost) context.note('Connected again.')
      return answer
    } catch (error) {
      if (!isPassing(error)) throw failureOf(error)
      if (!lost) context.note(`${error.message} Trying again until it answers.`)
      const retryAfterMs = error instanceof HmError ? (error.retryAfter ?? 0) * 1_000 : 0
      await pause(Math.max(pauseMs, retryAfterMs))
      pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
    }
  }
}

const isPassing = (error: unknown): error is Error =>
  error instanceof ConnectionError || (error instanceof HmError && !isFinal(error))
