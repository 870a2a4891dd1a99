import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { logged } from './relay-process.ts'

const run = promisify(execFile)
/** Addresses for measurements between networks (RFC 2544). */
const HOME = { address: '198.18.2.2', router: '198.18.2.1' }
const RELAY = { address: '198.18.1.2', router: '198.18.1.1' }
const MASK = '/30'

/** Reason why this machine cannot create networks, or null. */
export async function noNetworks(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  const works = (program: string, ...args: string[]): Promise<boolean> =>
    run(program, args).then(
      () => true,
      () => false,
    )
  for (const program of ['ip', 'socat']) if (!(await works('which', program))) return `${program} is not installed`
  const name = `hm${process.pid}try`
  if (!(await works('ip', 'netns', 'add', name))) return 'this machine allows no network namespaces'
  const hasLines = await works('ip', '-n', name, 'link', 'add', 'a0', 'type', 'veth', 'peer', 'name', 'b0')
  await run('ip', ['netns', 'delete', name])
  return hasLines ? null : 'this machine allows no lines between networks'
}

/** A home's and a relay's network, with a router between them that can drop packets silently. */
export class PartedNetworks {
  /** Command prefix to run a command in a network. */
  readonly home: readonly string[]
  readonly relay: readonly string[]
  readonly #name: string

  private constructor() {
    this.#name = `hm${process.pid}`
    this.home = ['ip', 'netns', 'exec', `${this.#name}home`]
    this.relay = ['ip', 'netns', 'exec', `${this.#name}relay`]
  }

  static async make(): Promise<PartedNetworks> {
    const networks = new PartedNetworks()
    for (const name of ['home', 'relay', 'router'] as const) {
      await run('ip', ['netns', 'add', `${networks.#name}${name}`])
      onTestFinished(() => run('ip', ['netns', 'delete', `${networks.#name}${name}`]).then(() => undefined))
      await networks.#in(name, 'link set lo up')
    }
    for (const [side, { address, router }] of [['home', HOME] as const, ['relay', RELAY] as const]) {
      await networks.#in('router', `link add ${side} type veth peer name line netns ${networks.#name}${side}`)
      await networks.#in('router', `address add ${router}${MASK} dev ${side}`)
      await networks.#in('router', `link set ${side} up`)
      await networks.#in(side, `address add ${address}${MASK} dev line`)
      await networks.#in(side, 'link set line up')
      await networks.#in(side, `route add default via ${router}`)
    }
    await run('ip', ['netns', 'exec', `${networks.#name}router`, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'])
    return networks
  }

  /** Address of the relay for the gateway. */
  relayAddress(port: number): string {
    return `https://${RELAY.address}:${port}`
  }

  /** Silently drops all packets; the returned function ends that. */
  async drop(): Promise<() => Promise<void>> {
    const holes = [HOME, RELAY].map(({ address }) => `blackhole ${address}/32`)
    for (const hole of holes) await this.#in('router', `route add ${hole}`)
    return async () => {
      for (const hole of holes) await this.#in('router', `route delete ${hole}`)
    }
  }

  /** Drops this share of the packets in each direction; false if the kernel does not support it. */
  async lose(percent: number): Promise<boolean> {
    const lossy = (side: string): Promise<unknown> =>
      run('tc', ['-n', `${this.#name}router`, 'qdisc', 'add', 'dev', side, 'root', 'netem', 'loss', `${percent}%`])
    return Promise.all([lossy('home'), lossy('relay')]).then(
      () => true,
      () => false,
    )
  }

  /** Unplugs the router's link to the home; the returned function plugs it in. */
  async unplug(): Promise<() => Promise<void>> {
    await this.#in('router', 'link set home down')
    return () => this.#in('router', 'link set home up')
  }

  /** A local port that leads to a port of the relay. */
  async portTo(port: number): Promise<number> {
    const way = join(tempFolder(), 'way')
    const [program = '', ...before] = this.relay
    const passing = spawn(program, [...before, 'socat', '-d', '-d', `UNIX-LISTEN:${way},fork`, `TCP:127.0.0.1:${port}`])
    onTestFinished(() => void passing.kill())
    await logged(passing, 'listening on')
    const server = createServer((from) => {
      const to = connect(way)
      from.pipe(to).pipe(from)
      from.on('error', () => to.destroy()).once('close', () => to.destroy())
      to.on('error', () => from.destroy()).once('close', () => from.destroy())
    })
    onTestFinished(() => void server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  async #in(side: 'home' | 'relay' | 'router', command: string): Promise<void> {
    await run('ip', ['-n', `${this.#name}${side}`, ...command.split(' ')])
  }
}
