import { HmError } from '@hm-gateway/client/src/error.ts'
import { CliError } from '../cli-error.ts'
import { said, write } from '../print.ts'
import { failureOf } from './failure.ts'
import { NameCache } from './name-cache.ts'
import { OpenHome } from './open-home.ts'
import { integrationOf, type Profile } from './profile.ts'
import { ProfileStore } from './profile-store.ts'
import { reached, type Way, waysTo } from './ways.ts'

export interface ClientOptions {
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
      const { way, client, answer } = await reached(waysTo(profile), async (each, options, over) => {
        try {
          return await each.house({}, options)
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
    const others = profile.addresses.filter((each) => each !== address)
    try {
      this.profiles.put({ ...profile, addresses: [address, ...others] }, false)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
    }
  }
}
