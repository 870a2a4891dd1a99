import { readFileSync } from 'node:fs'
import { freePort } from '#support/free-port.ts'
import { AdminSocket } from '../src/cli/commands/context.ts'
import type { Door } from './http-load.ts'
import { LOAD_CORE, type ServerProcess, startServer } from './processes.ts'

export interface RelayFacts {
  readonly port: number
  readonly dataDir: string
  readonly ca: string
  readonly fingerprint: string
}

interface GatewayFacts {
  readonly port: number
  readonly caFile: string
  readonly dataDir: string
  readonly token: string
  readonly lamp: string
}

/** A gateway and its relay, each a process of its own, and the three ways to the home. */
export class RelayedGateway {
  readonly gateway: ServerProcess<GatewayFacts>
  readonly relay: ServerProcess<RelayFacts>
  readonly home: Door
  readonly relayed: Door
  readonly endToEnd: Door

  private constructor(gateway: ServerProcess<GatewayFacts>, relay: ServerProcess<RelayFacts>) {
    this.gateway = gateway
    this.relay = relay
    const ca = readFileSync(gateway.facts.caFile, 'utf8')
    const serial = /hm_key_([a-z0-9]{12})/.exec(gateway.facts.token)?.[1] ?? ''
    this.home = { port: gateway.facts.port, ca }
    this.relayed = { port: relay.facts.port, ca: relay.facts.ca }
    this.endToEnd = { port: relay.facts.port, ca, serverName: `hm-${serial}.local` }
  }

  static async start(units: number): Promise<RelayedGateway> {
    const gateway = await startServer<GatewayFacts>('gateway-server.ts', [String(units)])
    const port = String(await freePort())
    const relay = await startServer<RelayFacts>('relay-server.ts', ['--port', port], { core: LOAD_CORE })
    const made = new RelayedGateway(gateway, relay)
    await made.#connect()
    return made
  }

  /** Tokens of so many keys more, of the same integration. */
  async keys(count: number): Promise<readonly string[]> {
    const { dataDir, token } = this.gateway.facts
    const admin = new AdminSocket(dataDir)
    const integration = token.split('.')[1] ?? ''
    const made: string[] = []
    for (let number = 0; number < count; number += 1) {
      const { body } = await admin.exchange('POST', '/admin/v1/keys', { integration, name: `load ${number}` })
      made.push((body as { token: string }).token)
    }
    return made
  }

  async stop(): Promise<void> {
    await this.gateway.stop()
    await this.relay.stop()
  }

  async #connect(): Promise<void> {
    const admin = new AdminSocket(this.gateway.facts.dataDir)
    const { port, fingerprint } = this.relay.facts
    const { body } = await admin.exchange('POST', '/admin/v1/relay', { url: `https://localhost:${port}`, fingerprint })
    const { link } = body as { link: { code: string } | null }
    const { isLinked } = await this.relay.ask<{ isLinked: boolean }>({ link: link?.code ?? '' })
    if (!isLinked) throw new Error('the gateway of the benchmark was not linked to its relay')
    await admin.exchange('PUT', '/admin/v1/relay/passthrough', { mode: 'on' })
    // The relay learns of it by the gateway's next tunnel.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
  }
}
