import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { freePort } from '#support/free-port.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { Balancer } from './balancer.ts'
import { RelayProcess } from './relay-process.ts'
import type { RelayAnswer } from './test-relay.ts'

/** A node at its port, with a new process after each kill. */
interface NodeAtPort {
  readonly port: number
  process: RelayProcess
}

/** Three nodes in their own processes behind one address, and a home that is linked there. */
export interface ThreeNodes {
  readonly nodes: readonly NodeAtPort[]
  readonly start: (port: number) => Promise<RelayProcess>
  readonly home: TestHome
  readonly access: { readonly url: string; readonly ca: string; readonly token: string }
}

/** @param nats environment variables for NATS. */
export async function threeNodes(nats: Readonly<Record<string, string>>): Promise<ThreeNodes> {
  const balancer = await Balancer.over()
  onTestFinished(() => balancer[Symbol.asyncDispose]())
  // All nodes share one CA.
  const dataDir = tempFolder()
  const env = { HM_RELAY_HOST: '127.0.0.1', HM_RELAY_LOG_LEVEL: 'warn', ...nats }
  const start = async (port: number): Promise<RelayProcess> => {
    const process = await RelayProcess.start({ dataDir, port, origin: `https://localhost:${balancer.port}`, env })
    onTestFinished(() => process[Symbol.asyncDispose]())
    return process
  }
  const nodes: NodeAtPort[] = []
  for (let index = 0; index < 3; index += 1) {
    const port = await freePort()
    nodes.push({ port, process: await start(port) })
  }
  balancer.ports = nodes.map(({ port }) => port)
  const home = await TestHome.open('http', { begins: 'now' })
  onTestFinished(() => home[Symbol.asyncDispose]())
  const [first] = nodes as [NodeAtPort]
  await first.process.link(home.running.admin)
  const access = { url: `https://127.0.0.1:${balancer.port}`, ca: first.process.ca, token: home.main.token }
  return { nodes, start, home, access }
}

/** Resolves once the gateway has two tunnels to running nodes. The gateway's time runs faster meanwhile. */
export async function onTwoNodes(
  { home }: Pick<ThreeNodes, 'home'>,
  stopped: ReadonlySet<string> = new Set(),
): Promise<ReadonlySet<string>> {
  const look = async (): Promise<ReadonlySet<string>> => {
    for (;;) {
      const { tunnels } = await home.running.admin.call<RelayAnswer>('GET', '/relay')
      const names = new Set(tunnels.map(({ node }) => node).filter((node) => !stopped.has(node)))
      if (names.size === 2) return names
      await wait(20)
    }
  }
  return home.running.hasten(look())
}
