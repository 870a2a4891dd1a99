import { Agent, type AgentOptions } from 'node:https'
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
