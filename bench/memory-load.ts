import { Agent, request } from 'node:https'
import { AdminSocket, refusalOf } from '../src/cli/commands/context.ts'
import type { Door } from './http-load.ts'
import { openSocket } from './ws-load.ts'

export interface LoadedGateway {
  readonly door: Door
  readonly dataDir: string
  /** A key that may do everything, and its integration. */
  readonly token: string
  readonly integration: string
  readonly lamp: string
}

interface Asked {
  readonly token?: string | null
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

const OPEN_CONNECTIONS = 4
const MCP_HEADERS = { accept: 'application/json, text/event-stream' }

/** What the clients of a home do, a turn of each kind at a time; a wrong status ends the measurement. */
export class MemoryLoad {
  readonly #gateway: LoadedGateway
  readonly #admin: AdminSocket
  readonly #agent: Agent
  #turn = 0

  constructor(gateway: LoadedGateway) {
    this.#gateway = gateway
    this.#admin = new AdminSocket(gateway.dataDir)
    this.#agent = new Agent({ ca: gateway.door.ca, keepAlive: true, maxSockets: OPEN_CONNECTIONS })
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
    this.#agent.destroy()
  }

  async #reads(): Promise<void> {
    const lamp = encodeURIComponent(this.#gateway.lamp)
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
    const headers: Record<string, string> = this.#turn % 4 === 0 ? { 'idempotency-key': `turn-${this.#turn}` } : {}
    await this.#ask('POST', `/v1/devices/${encodeURIComponent(this.#gateway.lamp)}/control`, { body, headers })
  }

  /** A client that comes, asks once and goes. */
  async #connection(): Promise<void> {
    const agent = new Agent({ ca: this.#gateway.door.ca })
    await this.#ask('GET', '/v1/integration', {}, agent)
    agent.destroy()
  }

  async #explain(): Promise<void> {
    await this.#ask('GET', `/v1/devices/${encodeURIComponent(this.#gateway.lamp)}/explain`)
  }

  /** A listener that comes, hears of a change and goes. */
  async #stream(): Promise<void> {
    const socket = await openSocket(this.#gateway.door, '/v1/stream', this.#gateway.token)
    const heard = (of: (message: { id?: string; event?: string }) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const listen = (data: unknown): void => {
          if (!of(JSON.parse(String(data)) as object)) return
          socket.off('message', listen)
          resolve()
        }
        socket.on('message', listen)
      })
    const subscribed = heard(({ id }) => id === '1')
    socket.send(JSON.stringify({ id: '1', subscribe: ['*'] }))
    await subscribed
    const told = heard(({ event }) => event === 'state')
    await this.#control()
    await told
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.close()
    await closed
  }

  /** A rule that is tried, made, edited, and deleted by an administrator. */
  async #rules(): Promise<void> {
    this.#turn += 1
    const { lamp } = this.#gateway
    const draft = {
      name: `Rule ${this.#turn}`,
      when: [{ time: '03:00' }],
      then: [{ device: lamp, op: 'set_power', args: { on: false } }],
    }
    await this.#ask('POST', '/v1/automations/try', { body: draft })
    const made = await this.#ask('POST', '/v1/automations', { body: draft })
    const { id, revision } = (made.body as { automation: { id: string; revision: number } }).automation
    await this.#ask('PATCH', `/v1/automations/${encodeURIComponent(id)}`, {
      body: { name: `Edited ${this.#turn}`, ifRevision: revision },
    })
    await this.#administer('DELETE', `/automations/${id.split(':').at(-1)}`)
  }

  /** An agent that gets a credential, uses it and loses it. */
  async #agents(): Promise<void> {
    const { token, link } = await this.#newAgent()
    await this.#ask('GET', '/v1/house', { token })
    await this.#administer('DELETE', `/agents/${link}`)
  }

  /** A session of an agent's tools, of a client of the older revision, and calls of the newer one. */
  async #mcp(): Promise<void> {
    const { token, link } = await this.#newAgent()
    const say = (method: string, params: object, headers: Record<string, string> = {}): Promise<Answered> =>
      this.#ask('POST', '/mcp', {
        token,
        headers: { ...MCP_HEADERS, ...headers },
        body: { jsonrpc: '2.0', id: 1, method, params },
      })
    const initialize = { protocolVersion: '2025-11-25', clientInfo: { name: 'bench', version: '1' } }
    const { headers } = await say('initialize', { ...initialize, capabilities: { elicitation: {} } })
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
    await say('tools/list', {}, session)
    await say('tools/call', { name: 'house', arguments: {} }, session)
    await this.#ask('DELETE', '/mcp', { token, headers: session })
    await say('initialize', { ...initialize, capabilities: {} })
    await say('tools/call', { name: 'state', arguments: { ids: [this.#gateway.lamp] } })
    await this.#administer('DELETE', `/agents/${link}`)
  }

  async #newAgent(): Promise<{ token: string; link: string }> {
    const { integration } = this.#gateway
    const body = { integration, name: 'Bench', platform: 'Bench' }
    const { token, link } = await this.#administer('POST', '/agents', body)
    return { token: String(token), link: String(link) }
  }

  async #administer(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.#admin.exchange(method, `/admin/v1${path}`, body)
    if (answer.status >= 300) throw refusalOf(answer)
    return answer.body as Record<string, unknown>
  }

  async #ask(method: string, path: string, asked: Asked = {}, agent = this.#agent): Promise<Answered> {
    const answer = await ask(this.#gateway, agent, method, path, asked)
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer
  }
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

function ask(
  { door: { port }, token }: LoadedGateway,
  agent: Agent,
  method: string,
  path: string,
  asked: Asked,
): Promise<Answered> {
  const payload = asked.body === undefined ? null : JSON.stringify(asked.body)
  const headers = {
    authorization: `Bearer ${asked.token ?? token}`,
    ...(payload === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    ...asked.headers,
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, servername: 'localhost', method, path, headers, agent },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('error', reject)
        response.on('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json') === true && text !== ''
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson ? JSON.parse(text) : text,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(payload ?? undefined)
  })
}
