import { join } from 'node:path'
import { freePort } from '#support/free-port.ts'
import { SqliteStore } from '../relay/store/sqlite-store.ts'
import { RELAY_FLAGS } from '../scripts/gateway-flags.mjs'
import { systemClock } from '../src/lib/clock.ts'
import { type BenchGateway, startGateway } from './gateway.ts'
import type { Listener } from './load.ts'
import { madeUpHome } from './made-up-home.ts'
import { LOAD_CORE, type ServerProcess, startServer, type StartOptions } from './processes.ts'

const HOMES_OF_PROCESS = 1_250

export interface RelayFacts {
  readonly port: number
  readonly ca: string
  readonly fingerprint: string
}

export type BenchRelay = ServerProcess<RelayFacts>

/** @param dataDir an existing folder */
export function startRelay(port: number, dataDir?: string, options?: StartOptions): Promise<BenchRelay> {
  const args = [String(port), ...(dataDir === undefined ? [] : [dataDir])]
  return startServer('relay-server.ts', args, { flags: RELAY_FLAGS, ...options })
}

/** Prepares a relay's data folder with made-up homes that are linked to an account. */
export async function linkHomes(dataDir: string, homes: number): Promise<void> {
  const store = new SqliteStore(join(dataDir, 'relay.db'), systemClock)
  for (let number = 0; number < homes; number += 1) {
    const { serial, identity } = madeUpHome(number)
    await store.create('gateways', serial, { key: identity.publicKey, accounts: ['made-up'] })
  }
  await store.close()
}

/** Starts processes with the homes of these numbers. Resolves when all are linked. */
export async function homesFrom(
  from: number,
  to: number,
  { port, ca }: Pick<RelayFacts, 'port' | 'ca'>,
): Promise<readonly ServerProcess<object>[]> {
  const started: ServerProcess<object>[] = []
  for (let first = from; first < to; first += HOMES_OF_PROCESS) {
    const last = Math.min(to, first + HOMES_OF_PROCESS)
    const args = [String(first), String(last), `https://localhost:${port}`, ca]
    const homes = await startServer<object>('home-tunnels.ts', args, { core: LOAD_CORE })
    await homes.ask({ linked: last - first })
    started.push(homes)
  }
  return started
}

/** A gateway and its relay in separate processes, and the three paths to the home. */
export interface RelayedGateway extends AsyncDisposable {
  readonly gateway: BenchGateway
  readonly relay: BenchRelay
  readonly home: Listener
  readonly relayed: Listener
  readonly endToEnd: Listener
}

export async function relayedGateway(units: number): Promise<RelayedGateway> {
  const gateway = await startGateway(units)
  const relay = await startRelay(await freePort(), undefined, { core: LOAD_CORE })
  const { port, ca, fingerprint } = relay.facts
  const body = { url: `https://localhost:${port}`, fingerprint }
  const { link } = await gateway.administer<{ link: { code: string } | null }>('POST', '/relay', body)
  const { isLinked } = await relay.ask<{ isLinked: boolean }>({ link: link?.code ?? '' })
  if (!isLinked) throw new Error('the gateway of the benchmark was not linked to its relay')
  await gateway.administer('PUT', '/relay/passthrough', { mode: 'on' })
  // The relay learns about it from the gateway's next tunnel.
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const serial = /hm_key_([a-z0-9]{12})/.exec(gateway.facts.token)?.[1] ?? ''
  return {
    gateway,
    relay,
    home: gateway.address,
    relayed: { port, ca },
    endToEnd: { port, ca: gateway.address.ca, serverName: `hm-${serial}.local` },
    [Symbol.asyncDispose]: async () => {
      await gateway.stop()
      await relay.stop()
    },
  }
}
