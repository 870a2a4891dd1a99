import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ProfileStore, type Profile } from '../../../src/cli/client/home/profile.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { type CliRun, hm } from './cli.ts'
import { COMPILED } from './gateway-process.ts'
import type { TestHome } from './harness.ts'
import { type HmExit, hmProcess } from './hm-process.ts'

/** A user of `hm` on another machine, with a folder for its profiles. */
export class ClientUser {
  readonly env: Readonly<Record<string, string>>
  readonly store: ProfileStore

  constructor(folder: string) {
    this.env = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_CACHE_HOME: join(folder, 'cache'), HM_PROFILE: '' }
    this.store = new ProfileStore(this.env)
  }

  /** Runs a command in this process. */
  async run(...words: readonly string[]): Promise<CliRun> {
    const before = Object.fromEntries(Object.keys(this.env).map((name) => [name, process.env[name]]))
    Object.assign(process.env, this.env)
    try {
      return await hm('/nowhere', ...words)
    } finally {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    }
  }

  /** Output of a command that must succeed. */
  async output(...words: readonly string[]): Promise<string> {
    const { code, out, err } = await this.run(...words)
    if (code !== 0) throw new Error(`hm ${words.join(' ')} ended with ${code}: ${err}`)
    return out
  }

  /** Parsed `--json` output. */
  async answer<T>(...words: readonly string[]): Promise<T> {
    return JSON.parse(await this.output(...words, '--json')) as T
  }

  /** Runs a command in a process of its own. */
  process(...words: readonly string[]): Promise<HmExit> {
    return hmProcess(words, '/nowhere', undefined, this.env)
  }

  /** Starts a command that runs until it is killed. */
  following(...words: readonly string[]): FollowingCommand {
    return new FollowingCommand(words, this.env)
  }

  /** Changes the default profile. */
  change(change: Partial<Profile>): void {
    this.store.put({ ...this.store.get(undefined), ...change }, true)
  }
}

/** A command that prints a line for each change. */
export class FollowingCommand implements AsyncDisposable {
  readonly #child
  readonly #lines
  readonly #notices: AsyncIterator<string>
  readonly #ended: Promise<unknown[]>

  constructor(words: readonly string[], env: Readonly<Record<string, string>>) {
    const main = join(PROJECT_ROOT, 'src/cli/main.ts')
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
      env: { ...process.env, ...COMPILED, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#ended = once(this.#child, 'close')
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#notices = createInterface({ input: this.#child.stderr })[Symbol.asyncIterator]()
  }

  /** The next line of standard output. */
  async line(): Promise<string> {
    return ((await this.#lines.next()) as { readonly value?: string }).value ?? ''
  }

  /** The next line of standard error. */
  async notice(): Promise<string> {
    return ((await this.#notices.next()) as { readonly value?: string }).value ?? ''
  }

  /** Exit code of a command that ends by itself. */
  async ended(): Promise<number | null> {
    const [code] = (await this.#ended) as [number | null]
    return code
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

/** A user who is logged in with a key of a home's main integration. */
export async function loggedIn(home: TestHome, folder: string): Promise<ClientUser> {
  const user = new ClientUser(folder)
  await user.output('login', await connectionCodeOf(home))
  return user
}

/** The connection code of a new key of an integration. */
export async function connectionCodeOf(home: TestHome, integration: string = home.main.id): Promise<string> {
  const { connectionCode } = await home.running.admin.call<{ connectionCode: string }>('POST', '/keys', { integration })
  return connectionCode
}
