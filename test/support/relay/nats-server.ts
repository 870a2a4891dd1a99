import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#support/free-port.ts'

export const PROGRAM = process.env['HM_TEST_NATS_SERVER'] ?? 'nats-server'
const VERSION = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' })
/** True if nats-server is installed; titles of tests say that they need it. */
export const HAS_NATS = VERSION.status === 0
const [, MAJOR = 0, MINOR = 0] = (/v(\d+)\.(\d+)/.exec(VERSION.stdout) ?? []).map(Number)
/** True for 2.10 and later, which support `sync_interval: always`. */
export const SYNCS_ALWAYS = MAJOR > 2 || (MAJOR === 2 && MINOR >= 10)

/** A real nats-server with JetStream on the loopback interface. */
export class NatsServer implements AsyncDisposable {
  /** Folder of its streams. */
  readonly folder: string
  #child: ChildProcess | null = null
  /** Stays the same after a restart. */
  readonly port: number

  private constructor(folder: string, port: number) {
    this.folder = folder
    this.port = port
  }

  static async start(): Promise<NatsServer> {
    const server = new NatsServer(mkdtempSync(join(tmpdir(), 'hm-nats-')), await freePort())
    await server.start()
    return server
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`
  }

  /** Starts the server with its stored data. */
  async start(args: readonly string[] = []): Promise<void> {
    const options = ['-a', '127.0.0.1', '-p', String(this.port), '-js', '-sd', this.folder, ...args]
    const child = spawn(PROGRAM, options, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
    const ended = once(child, 'close')
    while (!output.includes('Server is ready')) {
      await Promise.race([once(child.stderr, 'data'), ended])
      if (child.exitCode !== null) throw new Error(`nats-server ended: ${output}`)
    }
  }

  /** Kills the server like a crash. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'close')
  }

  /** Suspends the server without closing its connections. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
