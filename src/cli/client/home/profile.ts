import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { reasonOf } from '../../../lib/file-reasons.ts'
import { errorCode } from '../../../lib/files.ts'
import { isObject } from '../../../lib/json.ts'
import { EXIT_CODES, Failure } from './failure.ts'

/** Addresses and credential of a home, stored by `hm login`. As secret as the token in it. */
export interface Profile {
  /** Name from the user. */
  readonly name: string
  /** Name of the home at the login. */
  readonly house: string
  /** The serial of the gateway. */
  readonly gateway: string
  /** `https://…:8490`; the address that answered last comes first. */
  readonly addresses: readonly string[]
  /** SHA-256 of the gateway's CA, upper-case hex pairs joined by colons. */
  readonly fingerprint: string
  /** CA, PEM; null if it could not be fetched yet, as from outside. */
  readonly ca: string | null
  readonly token: string
  /** Relay for access from outside, or null. */
  readonly relay: ProfileRelay | null
}

/** Id of the integration of a token; undefined for a text that is not a token (Spec 5.2). */
export const integrationOf = ({ token }: Pick<Profile, 'token'>): string | undefined => token.split('.')[1]

export interface ProfileRelay {
  /** `https://host` or `https://host:port`. */
  readonly url: string
  /** The relay's own CA, PEM; null for a public certificate. */
  readonly ca: string | null
  /** True for an end-to-end connection, which the relay cannot read (docs/relay.md#end-to-end). */
  readonly endToEnd: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

interface StoredProfiles {
  /** Default profile, or null. */
  readonly current: string | null
  readonly profiles: readonly Profile[]
}

const OTHER_USERS = 0o077
const NO_PROFILES: StoredProfiles = { current: null, profiles: [] }

/** The file of the logins cannot be used. */
export class UnusableFile extends Failure {
  /** Problem. */
  readonly what: string
  /** Remedy or reason. */
  readonly todo: string

  constructor(what: string, todo: string) {
    super(`${what}: ${todo}`, EXIT_CODES.login, { code: 'login_file' })
    this.what = what
    this.todo = todo
  }
}

/** Profiles of the current user: one file that nobody else can read. */
export class ProfileStore {
  readonly file: string

  /** @param env names the folder: `XDG_CONFIG_HOME`, else `.config` in the home folder. */
  constructor(env: Environment = process.env) {
    this.file = join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'hm', 'profiles.json')
  }

  /** All profiles and the default one. */
  all(): StoredProfiles {
    try {
      if (process.platform !== 'win32' && (statSync(this.file).mode & OTHER_USERS) !== 0)
        throw new UnusableFile(
          `Other users can read ${this.file}, which has secrets`,
          `protect it with chmod 600 ${this.file}`,
        )
      const stored: unknown = JSON.parse(readFileSync(this.file, 'utf8'))
      if (isObject(stored) && Array.isArray(stored['profiles'])) return stored as unknown as StoredProfiles
    } catch (error) {
      if (error instanceof Failure) throw error
      if (errorCode(error) === 'ENOENT') return NO_PROFILES
      if (errorCode(error) !== null) throw new UnusableFile(`${this.file} cannot be read`, `${reasonOf(error)}.`)
    }
    throw new UnusableFile(`${this.file} is damaged`, 'remove it and log in again with `hm login`.')
  }

  /** The named or default profile. @throws Failure if there is none */
  get(name: string | undefined): Profile {
    const { current, profiles } = this.all()
    const wantedName = name ?? current
    const found = profiles.find((profile) => profile.name === wantedName)
    if (found) return found
    const known = profiles.map((profile) => profile.name).join(', ')
    const what =
      profiles.length === 0
        ? 'You are not logged in to a home. Run `hm login` with a connection code. An administrator creates one with `bin/hm key create`.'
        : `There is no login "${wantedName ?? ''}". Known logins: ${known}.`
    throw new Failure(what, EXIT_CODES.login, { code: 'no_login' })
  }

  /** Stores a profile, replacing the one of the same name; `current` makes it the default. */
  put(profile: Profile, current: boolean): void {
    const { current: before, profiles } = this.all()
    const others = profiles.filter(({ name }) => name !== profile.name)
    this.#write({ current: current || before === null ? profile.name : before, profiles: [...others, profile] })
  }

  /** Makes a profile the default. @throws Failure if it does not exist */
  use(name: string): void {
    const { profiles } = this.all()
    this.get(name)
    this.#write({ current: name, profiles })
  }

  /** Removes a profile; if it was the default, another one becomes the default. */
  remove(name: string): void {
    const { current, profiles } = this.all()
    const left = profiles.filter((profile) => profile.name !== name)
    this.#write({ current: current === name ? (left.at(-1)?.name ?? null) : current, profiles: left })
  }

  /** Replaces the file atomically: a reader sees the old or the new file, and nobody else can read either. */
  #write(stored: StoredProfiles): void {
    const fresh = `${this.file}.${process.pid}`
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
      writeFileSync(fresh, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
      renameSync(fresh, this.file)
    } catch (error) {
      throw new UnusableFile(`${this.file} cannot be written`, `${reasonOf(error)}.`)
    }
  }
}
