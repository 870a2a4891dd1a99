import { freePort } from '#support/free-port.ts'
import { type BenchGateway, startGateway } from './gateway.ts'
import type { Door } from './http-load.ts'
import { LOAD_CORE, type ServerProcess, startServer } from './processes.ts'

export interface RelayFacts {
  readonly port: number
  readonly dataDir: string
  readonly ca: string
  readonly fingerprint: string
}

/** A gateway and its relay, each a process of its own, and the three ways to the home. */
export class RelayedGateway {
  readonly gateway: BenchGateway
  readonly relay: ServerProcess<RelayFacts>
  readonly home: Door
  readonly relayed: Door
  readonly endToEnd: Door

  private constructor(gateway: BenchGateway, relay: ServerProcess<RelayFacts>) {
    this.gateway = gateway
    this.relay = relay
    const serial = /hm_key_([a-z0-9]{12})/.exec(gateway.facts.token)?.[1] ?? ''
    this.home = gateway.door
    this.relayed = { port: relay.facts.port, ca: relay.facts.ca }
    this.endToEnd = { port: relay.facts.port, ca: gateway.door.ca, serverName: `hm-${serial}.local` }
  }

  static async start(units: number): Promise<RelayedGateway> {
    const gateway = await startGateway(units)
    const port = String(await freePort())
    const relay = await startServer<RelayFacts>('relay-server.ts', ['--port', port], { core: LOAD_CORE })
    const made = new RelayedGateway(gateway, relay)
    await made.#connect()
    return made
  }

  /** Tokens of so many keys more, of the same integration. */
  async keys(count: number): Promise<readonly string[]> {
    const integration = this.gateway.facts.token.split('.')[1] ?? ''
    const made: string[] = []
    for (let number = 0; number < count; number += 1) {
      const key = { integration, name: `load ${number}` }
      made.push((await this.gateway.administer<{ token: string }>('POST', '/keys', key)).token)
    }
    return made
  }

  async stop(): Promise<void> {
    await this.gateway.stop()
    await this.relay.stop()
  }

  async #connect(): Promise<void> {
    const { gateway } = this
    const { port, fingerprint } = this.relay.facts
    const asked = { url: `https://localhost:${port}`, fingerprint }
    const { link } = await gateway.administer<{ link: { code: string } | null }>('POST', '/relay', asked)
    const { isLinked } = await this.relay.ask<{ isLinked: boolean }>({ link: link?.code ?? '' })
    if (!isLinked) throw new Error('the gateway of the benchmark was not linked to its relay')
    await gateway.administer('PUT', '/relay/passthrough', { mode: 'on' })
    // The relay learns of it by the gateway's next tunnel.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
  }
}
