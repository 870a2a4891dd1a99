import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

export interface BearerProxyOptions {
  readonly port: number
  readonly ca: string
  readonly token: string
}

/**
 * Plain HTTP on loopback in front of a gateway, for clients that can neither trust its CA nor send a credential. It
 * adds the bearer token, turns `http` origins into `https`, and forwards everything else unchanged, including Host.
 */
export class BearerProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #agent: Agent

  private constructor(server: Server, agent: Agent) {
    this.#server = server
    this.#agent = agent
  }

  static async open({ port, ca, token }: BearerProxyOptions): Promise<BearerProxy> {
    const agent = new Agent({ ca, keepAlive: true })
    const server = createServer((incoming, answer) => {
      void pass(incoming, answer, { port, token, agent })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new BearerProxy(server, agent)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
    this.#agent.destroy()
  }
}

async function pass(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { port, token, agent }: { port: number; token: string; agent: Agent },
): Promise<void> {
  const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
  if (incoming.headers.origin !== undefined) headers.origin = incoming.headers.origin.replace(/^http:/, 'https:')
  // Without an explicit server name, Node would check the certificate against the forwarded Host.
  const forwarded = request({
    agent,
    host: '127.0.0.1',
    port,
    servername: '',
    method: incoming.method,
    path: incoming.url,
    headers,
  })
  answer.on('close', () => {
    forwarded.destroy()
  })
  forwarded.on('error', () => {
    answer.destroy()
  })
  forwarded.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    // A client that hangs up ends its stream.
    pipeline(response, answer).catch(() => {
      answer.destroy()
    })
  })
  await pipeline(incoming, forwarded).catch(() => {
    answer.destroy()
  })
}
