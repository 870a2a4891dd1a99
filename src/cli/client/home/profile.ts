import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { reasonOf } from '../../../lib/file-reasons.ts'
import { errorCode } from '../../../lib/files.ts'
import { isObject } from '../../../lib/json.ts'
import { EXIT_CODES, Failure } from './failure.ts'

/** Where a home is and what to come in with: what `hm login` keeps. As secret as the token in it. */
export interface Profile {
  /** What the user calls it. */
  readonly name: string
  /** The home's name when it was logged in to. */
  readonly house: string
  /** The serial of the gateway. */
  readonly gateway: string
  /** `https://…:8490`; the one that answered last comes first. */
  readonly addresses: readonly string[]
  /** SHA-256 of the gateway's CA, upper-case hex pairs joined by colons. */
  readonly fingerprint: string
  /** That CA, PEM; null where it could not be fetched yet, as from outside. */
  readonly ca: string | null
  readonly token: string
  /** The way from outside; null where there is none. */
  readonly relay: ProfileRelay | null
}

/** The id of the integration that a token is for; undefined for a text that is no token (Spec 5.2). */
export const integrationOf = ({ token }: Pick<Profile, 'token'>): string | undefined => token.split('.')[1]

export interface ProfileRelay {
  /** `https://host` or `https://host:port`. */
  readonly url: string
  /** The relay's own CA, PEM; null for a public certificate. */
  readonly ca: string | null
  /** Whether it passes on what it cannot read (docs/relay.md#end-to-end). */
  readonly endToEnd: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

interface Kept {
  /** The profile that is meant where none is named; null where there is none. */
  readonly current: string | null
  readonly profiles: readonly Profile[]
}

const OTHERS = 0o077
const NOTHING: Kept = { current: null, profiles: [] }

/** The file of the logins cannot be used as it is. */
export class UnusableFile extends Failure {
  /** What is so. */
  readonly what: string
  /** What to do, or why. */
  readonly todo: string

  constructor(what: string, todo: string) {
    super(`${what}: ${todo}`, EXIT_CODES.login, { code: 'login_file' })
    this.what = what
    this.todo = todo
  }
}

/** The profiles of whoever runs the command: one file that nobody else can read. */
export class ProfileStore {
  readonly file: string

  /** @param env names the folder: `XDG_CONFIG_HOME`, else `.config` in the home folder. */
  constructor(env: Environment = process.env) {
    this.file = join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'hm', 'profiles.json')
  }

  /** All, and which of them is meant where none is named. */
  all(): Kept {
    try {
      if (process.platform !== 'win32' && (statSync(this.file).mode & OTHERS) !== 0)
        throw new UnusableFile(
          `Others may read ${this.file}, and it has secrets`,
          `keep it to yourself: chmod 600 ${this.file}`,
        )
      const kept: unknown = JSON.parse(readFileSync(this.file, 'utf8'))
      if (isObject(kept) && Array.isArray(kept['profiles'])) return kept as unknown as Kept
    } catch (error) {
      if (error instanceof Failure) throw error
      if (errorCode(error) === 'ENOENT') return NOTHING
      if (errorCode(error) !== null) throw new UnusableFile(`${this.file} cannot be read`, `${reasonOf(error)}.`)
    }
    throw new UnusableFile(`${this.file} is damaged`, 'remove it and log in again with `hm login`.')
  }

  /** The one that is named, or the current one; throws a Failure where there is none. */
  get(name: string | undefined): Profile {
    const { current, profiles } = this.all()
    const wanted = name ?? current
    const found = profiles.find((profile) => profile.name === wanted)
    if (found) return found
    const known = profiles.map((profile) => profile.name).join(', ')
    const what =
      profiles.length === 0
        ? 'You are not logged in to a home: `hm login` takes the connection code that its administrator has made with `bin/hm key create`.'
        : `There is no login "${wanted ?? ''}": there is ${known}.`
    throw new Failure(what, EXIT_CODES.login, { code: 'no_login' })
  }

  /** Keeps a profile in place of the one of its name; `current`: it is meant from now on where none is named. */
  put(profile: Profile, current: boolean): void {
    const { current: before, profiles } = this.all()
    const others = profiles.filter(({ name }) => name !== profile.name)
    this.#write({ current: current || before === null ? profile.name : before, profiles: [...others, profile] })
  }

  /** Which is meant where none is named; throws a Failure where there is no such profile. */
  use(name: string): void {
    const { profiles } = this.all()
    this.get(name)
    this.#write({ current: name, profiles })
  }

  /** Forgets one; where it was the current one, another is then. */
  remove(name: string): void {
    const { current, profiles } = this.all()
    const left = profiles.filter((profile) => profile.name !== name)
    this.#write({ current: current === name ? (left.at(-1)?.name ?? null) : current, profiles: left })
  }

  /** In one step: whoever reads meanwhile finds the old file or the new one, and never one that others may read. */
  #write(kept: Kept): void {
    const fresh = `${this.file}.${process.pid}`
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
      writeFileSync(fresh, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
      renameSync(fresh, this.file)
    } catch (error) {
      throw new UnusableFile(`${this.file} cannot be written`, `${reasonOf(error)}.`)
    }
  }
}
