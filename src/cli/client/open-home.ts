import type { House } from '@hm-gateway/client/src/contract.ts'
import type { Client } from '@hm-gateway/client/src/client.ts'
import { failureOf } from './failure.ts'
import { scenesOf, thingsOf, placesOf, type Named, type Place, type Thing } from './home-things.ts'
import { theOne } from './name-match.ts'
import { integrationOf, type Profile } from './profile.ts'
import { following, type Way } from './ways.ts'

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
