import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import type { TestAdmin } from '#support/gateway/test-admin.ts'
import { Browser } from './browser.ts'
import type { RelayAnswer } from './test-relay.ts'
import { trustingFetch } from './trusting-fetch.ts'
import { RELAY_FLAGS } from '../../../scripts/gateway-flags.mjs'

const ROOT = join(import.meta.dirname, '../../..')
const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }

export interface RelayProcessOptions {
  readonly dataDir: string
  readonly port: number
  /** Public address; by default on this machine's loopback. */
  readonly origin?: string
  readonly env?: Readonly<Record<string, string>>
  /** Command prefix, such as `ip netns exec NAME`. */
  readonly within?: readonly string[]
}

/** A relay in its own process, which logs its tunnels. */
export class RelayProcess implements AsyncDisposable {
  readonly child: ChildProcess
  readonly origin: string
  readonly #dataDir: string
  readonly #ended: Promise<unknown>
  #printed = ''
  #stderr = ''

  private constructor({ dataDir, port, origin, env, within = [] }: RelayProcessOptions) {
    this.#dataDir = dataDir
    this.origin = origin ?? `https://localhost:${port}`
    const [program, ...args] = [...within, process.execPath, ...RELAY_FLAGS, join(ROOT, 'relay/main.ts')]
    const settings = { HM_RELAY_DATA_DIR: dataDir, HM_RELAY_PORT: String(port), HM_RELAY_URL: this.origin }
    const plain = Object.entries(process.env).filter(([name]) => !name.startsWith('HM_') && name !== 'NODE_OPTIONS')
    this.child = spawn(program, args, {
      cwd: ROOT,
      env: { ...Object.fromEntries(plain), ...COMPILED, ...settings, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.#printed += chunk.toString('utf8')
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString('utf8')
    })
    this.#ended = once(this.child, 'close')
  }

  /** Starts a relay and waits until it listens. @throws its output, if it ends. */
  static async start(options: RelayProcessOptions): Promise<RelayProcess> {
    const made = new RelayProcess(options)
    while (!made.#printed.includes('Ctrl-C stops it.')) {
      await Promise.race([once(made.child.stdout!, 'data'), made.#ended])
      const { exitCode } = made.child
      if (exitCode !== null) throw new Error(`The relay ended with ${exitCode}: ${made.#stderr}`)
    }
    return made
  }

  get ca(): string {
    return readFileSync(join(this.#dataDir, 'tls/ca.pem'), 'utf8')
  }

  get fingerprint(): string {
    return /Fingerprint +(\S+)/.exec(this.#printed)?.[1] ?? ''
  }

  /**
   * Creates the first account, connects a gateway and links it. `address` is the address that the gateway dials, by
   * default the public one.
   */
  async link(admin: TestAdmin, address: string = this.origin): Promise<void> {
    const { link } = await admin.call<RelayAnswer>('POST', '/relay', { url: address, fingerprint: this.fingerprint })
    await this.accept(link?.code ?? '')
  }

  /** Creates the first account and enters the code of a connected gateway, which links it. */
  async accept(code: string): Promise<void> {
    const { fetch, agent } = trustingFetch(this.ca)
    const browser = new Browser(this.origin, fetch)
    const invite = /\/signup\?invite=\S+/.exec(this.#printed)?.[0] ?? '/signup'
    await browser.submit(await browser.open(invite), 'Create account', OLGA)
    const compare = await browser.submit(await browser.open('/link'), 'Continue', { code })
    await browser.submit(compare, 'Link this gateway')
    agent.destroy()
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal)
    await this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}

/** Resolves with the next log line of a process that contains these words. */
export async function logged(process: ChildProcess, words: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let rest = ''
  const hear = (chunk: Buffer): void => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\n')
    rest = lines.pop() ?? ''
    const line = lines.find((text) => text.includes(words))
    if (line !== undefined) resolve(line)
  }
  const end = (): void => reject(new Error(`The process ended before it logged "${words}".`))
  process.stderr?.on('data', hear)
  process.once('close', end)
  try {
    return await promise
  } finally {
    process.stderr?.off('data', hear)
    process.off('close', end)
  }
}
