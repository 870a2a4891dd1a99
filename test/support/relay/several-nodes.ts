import { onTestFinished } from 'vitest'
import { HttpCaller } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { Balancer } from './balancer.ts'
import { natsServer } from './nats-links.ts'
import type { NatsServer } from './nats-server.ts'
import { TestRelay, type TestRelayOptions } from './test-relay.ts'

/** A relay of several nodes in this process, over a real NATS, at one address. */
export interface SeveralNodes {
  readonly nats: NatsServer
  /** Balancer in front of the nodes, whose ports may change. */
  readonly balancer: Balancer
  readonly nodes: readonly TestRelay[]
  /** Starts one more node. */
  readonly add: () => Promise<TestRelay>
  readonly home: TestHome
  /** The home's main integration through this node. */
  readonly through: (node: TestRelay) => HttpCaller
}

/** @param options of all nodes. */
export async function severalNodes(
  count: number,
  options: Pick<TestRelayOptions, 'log' | 'metricsPort'> = {},
): Promise<SeveralNodes> {
  const nats = await natsServer()
  const balancer = await Balancer.over()
  onTestFinished(() => balancer[Symbol.asyncDispose]())
  // All nodes share one CA.
  const dataDir = tempFolder()
  const add = async (): Promise<TestRelay> => {
    const node = await TestRelay.open({
      ...options,
      nats: nats.url,
      url: `https://localhost:${balancer.port}`,
      dataDir,
    })
    onTestFinished(() => node[Symbol.asyncDispose]())
    return node
  }
  const nodes: TestRelay[] = []
  for (let index = 0; index < count; index += 1) nodes.push(await add())
  balancer.ports = nodes.map(({ relay }) => relay.port)
  const home = await TestHome.open('http', { begins: 'now' })
  onTestFinished(() => home[Symbol.asyncDispose]())
  const through = (node: TestRelay): HttpCaller => {
    const caller = new HttpCaller(node.access(home.main.token))
    onTestFinished(() => caller[Symbol.asyncDispose]())
    return caller
  }
  return { nats, balancer, nodes, add, home, through }
}

/** Resolves with the nodes that have a tunnel of the home, once all find them. The gateway's time runs faster. */
export function holding(nodes: readonly TestRelay[], home: TestHome, count: number): Promise<readonly TestRelay[]> {
  const look = async (): Promise<readonly TestRelay[]> => {
    for (;;) {
      const found = nodes.filter(({ relay }) => relay.tunnels.counts().linked > 0)
      if (found.length === count) {
        await Promise.all(found.map(({ relay }) => relay.tunnels.settled()))
        return found
      }
      await new Promise(setImmediate)
    }
  }
  return home.running.hasten(look())
}
