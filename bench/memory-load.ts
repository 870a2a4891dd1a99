import type { Socket } from 'node:net'
import { type BenchGateway, newAgent } from './gateway.ts'
import { type RawResponse, roundTrip, openConnection, openSocket, requestText } from './load.ts'

const MCP_HEADERS = 'accept: application/json, text/event-stream\r\n'

interface Sent {
  readonly token?: string
  readonly body?: object
  /** Complete header lines. */
  readonly extra?: string
}

/** Turns of a home's clients, by kind. A wrong status ends the measurement. */
export class MemoryLoad {
  readonly #gateway: BenchGateway
  /** The integration of the gateway's first key. */
  readonly #integration: string
  readonly #socket: Socket
  #turn = 0

  /** @param socket the only permanent connection */
  constructor(gateway: BenchGateway, integration: string, socket: Socket) {
    this.#gateway = gateway
    this.#integration = integration
    this.#socket = socket
  }

  readonly kinds = {
    reads: () => this.#reads(),
    control: () => this.#control(),
    connection: () => this.#connection(),
    explain: () => this.#explain(),
    stream: () => this.#stream(),
    rules: () => this.#rules(),
    agents: () => this.#agents(),
    mcp: () => this.#mcp(),
  } as const satisfies Readonly<Record<string, () => Promise<void>>>

  stop(): void {
    this.#socket.destroy()
  }

  async #reads(): Promise<void> {
    const lamp = encodeURIComponent(this.#gateway.facts.lamp)
    const paths = [
      'house',
      'state',
      'sensors',
      'scenes',
      'activity?limit=20',
      `devices/${lamp}`,
      `devices/${lamp}/intents`,
    ]
    this.#turn += 1
    await this.#ask('GET', `/v1/${paths[this.#turn % paths.length]}`)
  }

  async #control(): Promise<void> {
    this.#turn += 1
    const body = { op: 'set_brightness', args: { bri: 10 + (this.#turn % 90) } }
    const extra = this.#turn % 4 === 0 ? `idempotency-key: turn-${this.#turn}\r\n` : ''
    await this.#ask('POST', `/v1/devices/${encodeURIComponent(this.#gateway.facts.lamp)}/control`, { body, extra })
  }

  /** A client that connects, sends one request and disconnects. */
  async #connection(): Promise<void> {
    const socket = await openConnection(this.#gateway.address)
    await this.#ask('GET', '/v1/integration', {}, socket)
    socket.destroy()
  }

  async #explain(): Promise<void> {
    await this.#ask('GET', `/v1/devices/${encodeURIComponent(this.#gateway.facts.lamp)}/explain`)
  }

  /** A listener that connects, receives a change and disconnects. */
  async #stream(): Promise<void> {
    const socket = await openSocket(this.#gateway.address, '/v1/stream', this.#gateway.facts.token)
    const nextMessage = (of: (message: { id?: string; event?: string }) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const listen = (data: unknown): void => {
          if (!of(JSON.parse(String(data)) as object)) return
          socket.off('message', listen)
          resolve()
        }
        socket.on('message', listen)
      })
    const subscribed = nextMessage(({ id }) => id === '1')
    socket.send(JSON.stringify({ id: '1', subscribe: ['*'] }))
    await subscribed
    const stateEvent = nextMessage(({ event }) => event === 'state')
    await this.#control()
    await stateEvent
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.close()
    await closed
  }

  /** A rule that is tried, created, edited, and deleted by an administrator. */
  async #rules(): Promise<void> {
    this.#turn += 1
    const { lamp } = this.#gateway.facts
    const draft = {
      name: `Rule ${this.#turn}`,
      when: [{ time: '03:00' }],
      then: [{ device: lamp, op: 'set_power', args: { on: false } }],
    }
    await this.#ask('POST', '/v1/automations/try', { body: draft })
    const made = await this.#ask('POST', '/v1/automations', { body: draft })
    const { automation } = JSON.parse(made.body) as { automation: { id: string; revision: number } }
    const { id, revision } = automation
    await this.#ask('PATCH', `/v1/automations/${encodeURIComponent(id)}`, {
      body: { name: `Edited ${this.#turn}`, ifRevision: revision },
    })
    await this.#gateway.administer('DELETE', `/automations/${id.split(':').at(-1)}`)
  }

  /** An agent that gets a credential, uses it and loses it. */
  async #agents(): Promise<void> {
    const { token, link } = await newAgent(this.#gateway, this.#integration)
    await this.#ask('GET', '/v1/house', { token })
    await this.#gateway.administer('DELETE', `/agents/${link}`)
  }

  /** A session of a client of the older revision, and calls of the newer one. */
  async #mcp(): Promise<void> {
    const { token, link } = await newAgent(this.#gateway, this.#integration)
    const say = (method: string, params: object, extra = ''): Promise<RawResponse> =>
      this.#ask('POST', '/mcp', {
        token,
        extra: MCP_HEADERS + extra,
        body: { jsonrpc: '2.0', id: 1, method, params },
      })
    const initialize = { protocolVersion: '2025-11-25', clientInfo: { name: 'bench', version: '1' } }
    const { head } = await say('initialize', { ...initialize, capabilities: { elicitation: {} } })
    const session = `mcp-session-id: ${/mcp-session-id: (\S+)/i.exec(head)?.[1]}\r\n`
    await say('tools/list', {}, session)
    await say('tools/call', { name: 'house', arguments: {} }, session)
    await this.#ask('DELETE', '/mcp', { token, extra: session })
    await say('initialize', { ...initialize, capabilities: {} })
    await say('tools/call', { name: 'state', arguments: { ids: [this.#gateway.facts.lamp] } })
    await this.#gateway.administer('DELETE', `/agents/${link}`)
  }

  async #ask(method: string, path: string, sent: Sent = {}, socket = this.#socket): Promise<RawResponse> {
    const { port, token } = this.#gateway.facts
    const body = sent.body === undefined ? '' : JSON.stringify(sent.body)
    const answer = await roundTrip(socket, requestText(method, path, port, sent.token ?? token, sent.extra, body))
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`)
    return answer
  }
}
