import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GATEWAY_ENV, GATEWAY_FLAGS } from '../../../scripts/gateway-flags.mjs'
import { TestAdmin } from './test-admin.ts'

const ROOT = join(import.meta.dirname, '../../..')

export interface GatewayProcessOptions {
  readonly dataDir: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** Program to run; default: the sources. */
  readonly main?: string
  /** Prefix command, such as `ip netns exec NAME`. */
  readonly within?: readonly string[]
}

export interface GatewayExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Caches compiled sources between processes, as `npm start` does. */
export const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile') }

/** All tokens in some output. */
export const secretsIn = (text: string): string[] => text.match(/hm_(?:key|agent|session)_\S+/g) ?? []

/** Environment of the gateway without variables that change its settings. */
function environment(dataDir: string, env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const plain = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('HM_') && name !== 'NODE_OPTIONS'),
  )
  return { ...plain, ...GATEWAY_ENV, ...COMPILED, HM_DATA_DIR: dataDir, HM_HOST: '127.0.0.1', HM_PORT: '0', ...env }
}

/** A gateway as a process of its own, on a free port of the loopback interface. */
export class GatewayProcess implements AsyncDisposable {
  readonly child: ChildProcess
  readonly dataDir: string
  readonly admin: TestAdmin
  readonly ended: Promise<GatewayExit>
  /** All output so far. */
  printed = ''
  /** The key of the first start; null at later starts. */
  token: string | null = null
  #stderr = ''

  private constructor({
    dataDir,
    env,
    args = [],
    main = join(ROOT, 'src/main.ts'),
    within = [],
  }: GatewayProcessOptions) {
    this.dataDir = dataDir
    this.admin = new TestAdmin(dataDir)
    const [program, ...before] = [...within, process.execPath]
    this.child = spawn(program, [...before, ...GATEWAY_FLAGS, main, ...args], {
      cwd: ROOT,
      env: environment(dataDir, env),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.printed += chunk.toString('utf8')
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString('utf8')
    })
    this.ended = once(this.child, 'close').then(([code, signal]: unknown[]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.printed,
      stderr: this.#stderr,
    }))
  }

  /** Starts a gateway and waits until it is up. @throws with its output if it ends */
  static async start(options: GatewayProcessOptions): Promise<GatewayProcess> {
    const started = await GatewayProcess.tryToStart(options)
    if (!(started instanceof GatewayProcess)) throw new Error(`The gateway ended: ${started.stderr}`)
    started.token = await started.#firstKey()
    return started
  }

  /** Starts a gateway and waits until it is up or has ended; kills it after `waitMs`. */
  static async tryToStart(options: GatewayProcessOptions, waitMs?: number): Promise<GatewayProcess | GatewayExit> {
    const made = new GatewayProcess(options)
    const late = waitMs === undefined ? undefined : setTimeout(() => made.child.kill('SIGKILL'), waitMs)
    void made.ended.then(() => clearTimeout(late))
    let end: GatewayExit | null = null
    void made.ended.then((ended) => {
      end = ended
    })
    while (!made.printed.includes('Ctrl-C stops it.')) {
      await Promise.race([once(made.child.stdout!, 'data'), made.ended])
      if (end) return end
    }
    clearTimeout(late)
    return made
  }

  /** Runs a gateway that is expected to end by itself. */
  static fails(options: GatewayProcessOptions): Promise<GatewayExit> {
    return new GatewayProcess(options).ended
  }

  get port(): number {
    return Number(/https:\/\/localhost:(\d+)/.exec(this.printed)?.[1])
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`
  }

  get ca(): string {
    return readFileSync(join(this.dataDir, 'tls/ca.pem'), 'utf8')
  }

  /**
   * Creates a key as the first start at a terminal does: for an integration that may do everything except open locks
   * and gates.
   */
  async #firstKey(): Promise<string | null> {
    try {
      const { integrations } = await this.admin.call<{ integrations: object[] }>('GET', '/integrations')
      if (integrations.length > 0) return null
      const settings = { advanced_config: 'read_write', structural: 'on', automations: 'on', schedules: 'on' }
      const made = await this.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
        name: 'Demo',
        expose: ['all'],
        settings,
      })
      return (await this.admin.call<{ token: string }>('POST', '/keys', { integration: made.integration.id })).token
    } catch {
      // No key is made in safe mode or on an unwritable disk.
      return null
    }
  }

  get stderr(): string {
    return this.#stderr
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<GatewayExit> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal)
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}
