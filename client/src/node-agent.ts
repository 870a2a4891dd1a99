import type { IncomingMessage } from 'node:http'
import { Agent, type AgentOptions, request, type RequestOptions } from 'node:https'
import type { Through } from './transport.ts'

/** Opens connections to the gateway, directly or through a relay that knows by its name whom they are for. */
export class GatewayAgent extends Agent {
  readonly #through: Through

  /** @param ca the only CA that is trusted, PEM; null: those of the machine */
  constructor(ca: string | null, through: Through, options: AgentOptions = {}) {
    // A resumed session would pass over the certificate, so that a changed CA would not be noticed.
    super({ maxCachedSessions: 0, minVersion: 'TLSv1.3', ...(ca === null ? {} : { ca }), ...options })
    this.#through = through
  }

  override createConnection(
    ...[options, ready]: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    if (this.#through === null) return super.createConnection(options, ready)
    // The server name and the one that the certificate has to have stay those of the gateway.
    const { hostname: host, port } = new URL(`https://${this.#through}`)
    return super.createConnection({ ...options, host, port: port === '' ? 443 : Number(port) }, ready)
  }
}

/** The response to a GET; its content is still to be read. */
export function got(url: string, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end()
  })
}

/** All that an answer carries. @throws Error for more than `bytesMax`, or where it breaks off */
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
