import { readFileSync } from 'node:fs'
import { AdminSocket } from '../src/cli/commands/context.ts'
import type { BenchmarkMode } from './gateway-server.ts'
import type { Listener } from './load.ts'
import { type ServerProcess, startServer, type StartOptions } from './processes.ts'

/** Facts that the gateway's process reports once it listens. */
export interface GatewayFacts {
  readonly port: number
  readonly leaf: string
  readonly caFile: string
  readonly dataDir: string
  /** A key with all permissions. */
  readonly token: string
  /** The device id of a dimmer. */
  readonly lamp: string
}

/** A gateway in a separate process, with its administrators' socket. */
export interface BenchGateway extends ServerProcess<GatewayFacts> {
  readonly address: Listener
  /** @param path behind `/admin/v1`. @throws Error if the gateway refuses */
  administer<T>(method: string, path: string, body?: object): Promise<T>
}

/** @param mode see `gateway-server.ts` */
export async function startGateway(
  units: number,
  mode: BenchmarkMode = 'plain',
  options: StartOptions = {},
): Promise<BenchGateway> {
  const server = await startServer<GatewayFacts>('gateway-server.ts', [String(units), mode], options)
  const { port, caFile, dataDir } = server.facts
  const admin = new AdminSocket(dataDir)
  return {
    ...server,
    address: { port, ca: readFileSync(caFile, 'utf8') },
    administer: async <T>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await admin.exchange(method, `/admin/v1${path}`, body)
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body as T
    },
  }
}

type Knobs = Readonly<Record<string, string>>

/** Creates an integration, which sees everything by default. Returns its id. */
export async function newIntegration(
  gateway: BenchGateway,
  name: string,
  settings: Knobs = {},
  expose = 'all',
): Promise<string> {
  const body = { name, expose: [expose], settings }
  const { integration } = await gateway.administer<{ integration: { id: string } }>('POST', '/integrations', body)
  return integration.id
}

/** Creates a key with a separate integration. Returns its token. */
export async function newKey(gateway: BenchGateway, name: string, settings?: Knobs, expose?: string): Promise<string> {
  return newKeyOf(gateway, await newIntegration(gateway, name, settings, expose))
}

export async function newKeyOf(gateway: BenchGateway, integration: string): Promise<string> {
  return (await gateway.administer<{ token: string }>('POST', '/keys', { integration })).token
}

/** Creates an agent of an integration. Returns its token and credential id. */
export function newAgent(gateway: BenchGateway, integration: string): Promise<{ token: string; link: string }> {
  return gateway.administer('POST', '/agents', { integration, name: 'Bench', platform: 'Bench' })
}

/** Creates a link to the console. Returns its code. */
export async function consoleCode(gateway: BenchGateway): Promise<string> {
  const { links } = await gateway.administer<{ links: string[] }>('POST', '/links', {})
  return links[0]?.split('#')[1] ?? ''
}
