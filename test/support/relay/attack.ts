import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { TestHome } from '#support/gateway/harness.ts'
import { ownName } from './end-to-end.ts'
import type { TestRelay } from './test-relay.ts'
import { trustingFetch } from './trusting-fetch.ts'
import { UnlinkedGateway } from './unlinked-gateway.ts'

export interface AttackParts {
  readonly relay: TestRelay
  /** Home whose serial the attackers know. */
  readonly home: TestHome
  /** Account whose password the attackers guess. */
  readonly victim: () => string
}

/** IPv4 addresses that attack, in addition to a /48. */
const ADDRESSES = 20
/** Networks of the /48 that attack at the same time: more than strangers have places for. */
const NETWORKS_AT_ONCE = 70
/** First serial of the attackers' fake gateways. */
const FIRST_NUMBER = 10_000

/** Rate at which one source uses each public entry point. */
interface Intensity {
  readonly requests: number
  readonly connections: number
}

/** Attackers who use every public entry point of a relay and of one home behind it. */
export class Attack {
  readonly #parts: AttackParts
  readonly #held = new Set<TLSSocket>()
  readonly #gateways = new Set<UnlinkedGateway>()
  readonly #outcomes = new Map<string, number>()
  #turn = 0
  #made = 0

  constructor(parts: AttackParts) {
    this.#parts = parts
  }

  /** Counts of responses by entry point, for the output of the test. */
  get outcomes(): string {
    return [...this.#outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', ')
  }

  /** Open end-to-end connections of the attackers. */
  get held(): number {
    return this.#held.size
  }

  /** Background attack: addresses and networks take turns. */
  async step(): Promise<void> {
    this.#turn += 1
    const from = this.#turn % 2 === 0 ? this.#address(this.#turn / 2) : this.#network(this.#turn)
    await this.#all(from, { requests: 1, connections: 1 })
  }

  /** Burst of all sources, each beyond its limits. */
  async burst(): Promise<void> {
    this.#turn += NETWORKS_AT_ONCE
    const addresses = Array.from({ length: ADDRESSES }, (_, index) => this.#address(index))
    const networks = Array.from({ length: NETWORKS_AT_ONCE }, (_, index) => this.#network(this.#turn + index))
    await Promise.all([
      ...addresses.map((from) => this.#all(from, { requests: 12, connections: 12 })),
      ...networks.map((from) => this.#all(from, { requests: 1, connections: 1 })),
    ])
  }

  end(): void {
    for (const socket of this.#held) socket.destroy()
    for (const gateway of this.#gateways) gateway.end()
  }

  #address(turn: number): string {
    return `127.77.0.${1 + (turn % ADDRESSES)}`
  }

  #network(turn: number): string {
    return `127.66.${(turn >> 8) & 255}.${turn & 255}`
  }

  async #all(from: string, { requests, connections }: Intensity): Promise<void> {
    const { relay } = this.#parts
    const { fetch, agent } = trustingFetch(relay.ca, { localAddress: from, maxSockets: 4 })
    const repeat = (times: number, work: () => Promise<unknown>): Promise<unknown>[] =>
      Array.from({ length: times }, work)
    try {
      await Promise.all([
        ...repeat(requests, () => this.#forms(fetch)),
        ...repeat(requests, () => this.#tokens(fetch)),
        ...repeat(connections, () => this.#connectEndToEnd(from)),
        ...repeat(connections, () => this.#connectGateway(from)),
        ...repeat(connections, () => this.#beginConnection(from)),
      ])
    } finally {
      agent.destroy()
    }
  }

  /** Accounts, guessed passwords, clients and authorizations. */
  async #forms(fetch: typeof globalThis.fetch): Promise<void> {
    const { victim } = this.#parts
    this.#made += 1
    const email = `stranger${this.#made}@example.org`
    const redirect = [`https://agents.example/${this.#made}`]
    await this.#post(fetch, '/signup', { email, password: 'correct horse battery', invite: '' })
    await this.#post(fetch, '/signin', { email: victim(), password: `wrong horse ${this.#made}` })
    await this.#send(fetch, 'POST', '/register', { client_name: `Agent ${this.#made}`, redirect_uris: redirect })
    await this.#send(fetch, 'GET', '/authorize?client_id=none')
  }

  /** Unknown tokens, and requests for access. */
  async #tokens(fetch: typeof globalThis.fetch): Promise<void> {
    const { serial } = this.#parts.home.running.gateway
    const token = `hm_key_${serial}.wrong.token.${this.#made}`
    await this.#send(fetch, 'GET', '/v1/house', undefined, token)
    await this.#send(fetch, 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, token)
    await this.#send(fetch, 'GET', '/v1/house', undefined, 'no token')
    await this.#send(fetch, 'POST', '/v1/pair', { gateway: serial, name: 'Stranger', platform: 'none' })
    await this.#send(fetch, 'POST', '/v1/pair/token', { code: `${serial}.wrong` })
  }

  async #post(fetch: typeof globalThis.fetch, path: string, fields: Readonly<Record<string, string>>): Promise<void> {
    const { origin } = new URL(this.#parts.relay.relay.url)
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
    await this.#answered(
      path,
      fetch(`${origin}${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) }),
    )
  }

  async #send(
    fetch: typeof globalThis.fetch,
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<void> {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const { url } = this.#parts.relay.relay
    await this.#answered(path.split('?', 1)[0] ?? path, fetch(`${url}${path}`, sent))
  }

  async #answered(path: string, response: Promise<Response>): Promise<void> {
    const status = await response.then(
      async (response) => {
        await response.arrayBuffer()
        return String(response.status)
      },
      () => 'closed',
    )
    this.#count(`${path} ${status}`)
  }

  /** Holds a connection to the gateway's own TLS open without a request. */
  async #connectEndToEnd(from: string): Promise<void> {
    const { relay, home } = this.#parts
    const { ca } = home.access(null)
    const to = { host: '127.0.0.1', port: relay.relay.port, ca, servername: ownName(home), localAddress: from }
    const socket = connect(to).on('error', () => {})
    this.#held.add(socket)
    socket.once('close', () => this.#held.delete(socket))
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => {})
    this.#count(`end to end ${socket.destroyed ? 'closed' : 'open'}`)
  }

  async #connectGateway(from: string): Promise<void> {
    const { relay } = this.#parts
    this.#made += 1
    const gateway = new UnlinkedGateway({
      number: FIRST_NUMBER + this.#made,
      port: relay.relay.port,
      ca: relay.ca,
      from,
    })
    this.#gateways.add(gateway)
    this.#count(`gateway ${(await gateway.code) === null ? 'closed' : 'open'}`)
  }

  /** Begins a handshake and disconnects. */
  async #beginConnection(from: string): Promise<void> {
    const { relay } = this.#parts
    const socket = connectTcp({ host: '127.0.0.1', port: relay.relay.port, localAddress: from }).on('error', () => {})
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
    socket.destroy()
    this.#count('handshake left')
  }

  #count(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1)
  }
}
