import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../../../relay/accounts/account.ts'
import { Passwords } from '../../../relay/accounts/passwords.ts'
import { openRelay, type Relay, type RelayOptions } from '../../../relay/relay.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { type Log, silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { freePort } from '#support/free-port.ts'
import type { TestGateway } from '#support/gateway/test-gateway.ts'
import { forget, watchStreams } from './nothing-left.ts'

export interface TestRelayOptions {
  readonly clock?: Clock
  readonly log?: Log
  /** By default a temporary folder. */
  readonly dataDir?: string
  readonly host?: string
  readonly port?: number
  readonly metricsPort?: number
  readonly securityContact?: string
  /** NATS, for one of several nodes. */
  readonly nats?: string
  /** Public address of all nodes; by default this one's port. */
  readonly url?: string
  /** Real limits of docs/limits.md#relay, for tests about them. */
  readonly limits?: RelayOptions['limits'] | null
}

/** The relay as the administrators' API describes it. */
export interface RelayAnswer {
  readonly serial: string
  readonly state: string
  readonly accounts: readonly string[]
  readonly trouble: string | null
  readonly tunnels: readonly { readonly slot: number; readonly node: string; readonly streams: number }[]
  readonly link: { readonly code: string; readonly url: string } | null
}

/** Homes per account in tests, because an account may try only ten codes a minute. */
const HOMES_OF_ACCOUNT = 8
/** Fast hashes; `relay/accounts/accounts.test.ts` tests real ones. */
const CHEAP_LOG2 = 4
const MANY = { perSecond: 1e6, burst: 1e6 }
export const UNBOUNDED = {
  ofAddress: MANY,
  ofHome: MANY,
  ofStrangers: MANY,
  handshakesOfAddress: MANY,
  connectionsOfAddress: 10_000,
}

/** A complete relay in this process: real TLS, SQLite and tunnels. */
export class TestRelay implements AsyncDisposable {
  readonly relay: Relay
  readonly dataDir: string
  readonly #ownsFolder: boolean
  isStopped = false
  #account: Promise<string> = Promise.resolve('')
  #confirmed = 0
  #peers = 0

  private constructor(relay: Relay, dataDir: string, ownsFolder: boolean) {
    this.relay = relay
    this.dataDir = dataDir
    this.#ownsFolder = ownsFolder
  }

  static async open(options: TestRelayOptions = {}): Promise<TestRelay> {
    const { clock = systemClock, log = silentLog, limits = UNBOUNDED } = options
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'hm-relay-'))
    const port = options.port ?? (await freePort())
    const relay = await openRelay({
      settings: {
        url: options.url ?? `https://localhost:${port}`,
        host: options.host ?? '127.0.0.1',
        port,
        dataDir,
        nats: options.nats ? { servers: [options.nats], creds: null, replicas: 1 } : null,
        inner: null,
        tls: null,
        signUp: 'open',
        metadataDocuments: null,
        metricsPort: options.metricsPort ?? null,
        securityContact: options.securityContact ?? null,
        logLevel: log === silentLog ? 'silent' : 'info',
      },
      clock,
      random: systemRandom,
      log,
      passwords: new Passwords(systemRandom, CHEAP_LOG2),
      ...(limits ? { limits } : {}),
    })
    return new TestRelay(relay, dataDir, options.dataDir === undefined)
  }

  get url(): string {
    return `https://127.0.0.1:${this.relay.port}`
  }

  get ca(): string {
    return this.relay.authority?.pem ?? ''
  }

  access(token: string | null): { url: string; ca: string; token: string | null } {
    return { url: this.url, ca: this.ca, token }
  }

  /** Connects a gateway as an administrator does. */
  connect(home: TestGateway): Promise<RelayAnswer> {
    watchStreams(home, this)
    const body = { url: this.relay.url, fingerprint: this.relay.authority?.fingerprint }
    return home.admin.call<RelayAnswer>('POST', '/relay', body)
  }

  /** Connects a gateway and links it to the relay's account. */
  async serve(home: TestGateway): Promise<void> {
    const { link, state } = await this.connect(home)
    if (state === 'linked') return
    await this.confirm(link?.code ?? '')
  }

  /** Confirms a code as the owner of an account; an account has a limited number of homes. */
  async confirm(code: string): Promise<void> {
    const { enrolment } = this.relay
    if (this.#confirmed % HOMES_OF_ACCOUNT === 0) this.#account = this.#signUp(this.#confirmed / HOMES_OF_ACCOUNT)
    this.#confirmed += 1
    const account = await this.account()
    if (account === null) throw new Error('The account is gone.')
    const linked = await enrolment.confirm(code, account, this.#peer())
    if (!linked.ok) throw new Error(`The home was not linked: ${linked.error.kind}.`)
    await this.relay.tunnels.settled()
  }

  /** The latest account with linked homes. */
  async account(): Promise<Account | null> {
    return this.relay.accounts.get(await this.#account)
  }

  async #signUp(number: number): Promise<string> {
    const email = number === 0 ? 'olga@example.org' : `olga${number}@example.org`
    const made = await this.relay.accounts.signUp(
      { email, password: 'correct horse battery', invite: '' },
      { peer: this.#peer() },
    )
    if (!made.ok) throw new Error(made.error.kind)
    return made.value.account.id
  }

  /** Each visitor has its own address, because one address may try only a few times. */
  #peer(): string {
    this.#peers += 1
    return `10.0.${this.#peers >> 8}.${this.#peers & 255}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isStopped = true
    forget(this)
    await this.relay.stop(0)
    if (this.#ownsFolder) rmSync(this.dataDir, { recursive: true, force: true })
  }
}
