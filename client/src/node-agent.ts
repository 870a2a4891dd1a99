import type { IncomingMessage } from 'node:http'
import { Agent, type AgentOptions, request, type RequestOptions } from 'node:https'
import type { Through } from './transport.ts'

/** Opens connections to the gateway, directly or through a relay that routes them by server name. */
export class GatewayAgent extends Agent {
  readonly #through: Through

  /** @param ca the only trusted CA, PEM; null for the CAs of the machine */
  constructor(ca: string | null, through: Through, options: AgentOptions = {}) {
    // A resumed session skips the certificate, so a changed CA would go unnoticed.
    super({ maxCachedSessions: 0, minVersion: 'TLSv1.3', ...(ca === null ? {} : { ca }), ...options })
    this.#through = through
  }

  override createConnection(
    ...[options, ready]: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    if (this.#through === null) return super.createConnection(options, ready)
    // The server name stays the gateway's, and the certificate must match it.
    const { hostname: host, port } = new URL(`https://${this.#through}`)
    return super.createConnection({ ...options, host, port: port === '' ? 443 : Number(port) }, ready)
  }
}

/** The response to a GET, with its content unread. */
export function got(url: string, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end()
  })
}

/** Content of a response. @throws Error if it exceeds `bytesMax` or breaks off */
export async function contentOf(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error('The answer is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
