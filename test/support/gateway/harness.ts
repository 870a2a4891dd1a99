import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'
import { callerOver } from './caller-over.ts'
import { type RawAnswer, type RawCaller, TestSocket } from './callers.ts'
import { THROUGH_RELAY } from '#support/relay/mode.ts'
import { relayFor } from '#support/relay/through-relay.ts'
import type { TestRelay } from '#support/relay/test-relay.ts'
import { sharedGateway } from './shared-gateway.ts'
import { TestGateway, type TestGatewayOptions } from './test-gateway.ts'
import { type TestOptions, type TestRequest, type TransportName, type Verifies, verifiesWith } from './verifies.ts'

/** An integration with a credential for tests: a key, or an agent's token if the transport is MCP. */
export interface TestIntegration {
  readonly id: string
  readonly token: string
  readonly link: string
}

export const EVERYTHING_ALLOWED = {
  advanced_config: 'read_write',
  structural: 'on',
  automations: 'on',
  schedules: 'on',
  allow_unlock: 'on',
  may_tell: 'on',
} as const

/** The context of a service test: a running gateway, an integration that sees everything, and one transport. */
export class TestHome implements RawCaller {
  readonly transport: TransportName
  readonly running: TestGateway
  readonly main: TestIntegration
  readonly #caller: RawCaller

  readonly #owns: boolean
  readonly #relay: TestRelay | null

  private constructor(
    transport: TransportName,
    running: TestGateway,
    main: TestIntegration,
    { owns, relay }: { readonly owns: boolean; readonly relay: TestRelay | null },
  ) {
    this.#owns = owns
    this.#relay = relay
    this.transport = transport
    this.running = running
    this.main = main
    this.#caller = callerOver(transport, this.access(main.token))
  }

  static async open(transport: TransportName, options: TestGatewayOptions = {}): Promise<TestHome> {
    const running = await TestGateway.open(options)
    const relay = THROUGH_RELAY ? await relayFor(running) : null
    const main = await integrate(running, transport, { settings: EVERYTHING_ALLOWED })
    return new TestHome(transport, running, main, { owns: true, relay })
  }

  /** Uses a shared gateway, and an existing integration if `main` names one. */
  static async at(transport: TransportName, running: TestGateway, main?: TestIntegration): Promise<TestHome> {
    const settings = EVERYTHING_ALLOWED
    const relay = THROUGH_RELAY ? await relayFor(running) : null
    const own = main ?? (await integrate(running, transport, { settings }))
    return new TestHome(transport, running, own, { owns: false, relay })
  }

  /** True if requests come from outside the home, through a relay. */
  get isRelayed(): boolean {
    return this.#relay !== null
  }

  get ca(): string {
    return readFileSync(this.running.gateway.caFile, 'utf8')
  }

  access(token: string | null): { url: string; ca: string; token: string | null } {
    return this.#relay?.access(token) ?? { url: this.running.url, ca: this.ca, token }
  }

  call(request: TestRequest): Promise<RawAnswer> {
    return this.running.hasten(this.#caller.call(request))
  }

  /** GET; returns the body as an object. */
  async get(path: string, token?: string): Promise<Record<string, unknown>> {
    const answer = await this.call({ method: 'GET', path, ...(token === undefined ? {} : { token }) })
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body as Record<string, unknown>
  }

  /**
   * The integration's id of a thing in the house: `hall-light`, `module:1`, `scene:evening`, `room:hall`,
   * `floor:ground`.
   */
  id(local: string, integration: TestIntegration = this.main): string {
    return `${this.running.gateway.serial}:${integration.id}:${local}`
  }

  /** A path that contains an id. */
  at(local: string, rest = '', integration: TestIntegration = this.main): string {
    return `/v1/devices/${encodeURIComponent(this.id(local, integration))}${rest}`
  }

  integrate(what: IntegrateOptions): Promise<TestIntegration> {
    return integrate(this.running, this.transport, what)
  }

  /** Changes knobs, exposure or state of an integration, as `bin/hm integration` does. */
  async change(integration: TestIntegration, change: object): Promise<void> {
    await this.running.admin.call('PATCH', `/integrations/${integration.id}`, change)
  }

  async socket(token: string = this.main.token): Promise<TestSocket> {
    const socket = await this.running.hasten(TestSocket.open(this.access(token)))
    socket.hasten = (work) => this.running.hasten(work)
    return socket
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#caller[Symbol.asyncDispose]()
    if (this.#owns) await this.running[Symbol.asyncDispose]()
  }
}

export interface IntegrateOptions {
  readonly name?: string
  readonly expose?: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
  readonly people?: 'none' | 'anyone' | 'each'
  readonly reports?: readonly string[]
}

async function integrate(
  running: TestGateway,
  transport: TransportName,
  { name = 'Test', expose = ['all'], settings: wanted = {}, people = 'none', reports = [] }: IntegrateOptions,
): Promise<TestIntegration> {
  const settings = transport === 'mcp' ? { agent_access: 'on', ...wanted } : wanted
  const body = { name, expose, settings, people, reports }
  const { integration } = (await running.admin.call('POST', '/integrations', body)) as { integration: { id: string } }
  const made = await (transport === 'mcp'
    ? running.admin.call('POST', '/agents', {
        integration: integration.id,
        name: 'Claude',
        platform: 'Test',
        session: false,
      })
    : running.admin.call('POST', '/keys', { integration: integration.id }))
  const { token, link } = made as { token: string; link: string }
  return { id: integration.id, token, link }
}

/**
 * Registers a test for each transport of its requirements. The tests of a file share one gateway, each with its own
 * integration: a test must not rely on the state that another one left.
 */
export const verifies = verifiesOver()

/** `verifies` for a file whose tests run over one transport in `npm test`. */
export function verifiesOver(over?: TestOptions['over']): Verifies<TestHome> {
  const open = async (transport: TransportName): Promise<TestHome> =>
    TestHome.at(transport, await sharedGateway(() => TestGateway.open()))
  return verifiesWith(open, over === undefined ? {} : { over })
}

/** `verifies` with other options for the shared gateway of a file. */
export function verifiesIn(options: () => TestGatewayOptions, usual: TestOptions = {}): Verifies<TestHome> {
  let own: Promise<TestGateway> | null = null
  afterAll(async () => {
    const running = await own
    own = null
    await running?.[Symbol.asyncDispose]()
  })
  return verifiesWith(async (transport) => {
    own ??= TestGateway.open(options())
    return TestHome.at(transport, await own)
  }, usual)
}

/** `verifies` with a separate gateway per test. */
export const verifiesAlone = (
  options: () => TestGatewayOptions = () => ({}),
  usual: TestOptions = {},
): Verifies<TestHome> => verifiesWith((transport) => TestHome.open(transport, options()), usual)
