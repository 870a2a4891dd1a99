import { connect, createServer, type Server, type Socket } from 'node:net'

/** A load balancer in front of several nodes, which passes bytes of connections to them in turn. */
export class Balancer implements AsyncDisposable {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  /** Ports of the nodes; tests change them. */
  ports: readonly number[]
  /** Number of connections passed on. */
  connections = 0
  #next = 0

  private constructor(ports: readonly number[]) {
    this.ports = ports
    this.#server = createServer((from) => this.#pass(from, this.ports.length))
  }

  static async over(ports: readonly number[] = []): Promise<Balancer> {
    const made = new Balancer(ports)
    const { promise, resolve } = Promise.withResolvers<void>()
    made.#server.listen(0, '127.0.0.1', resolve)
    await promise
    return made
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const socket of this.#open) socket.destroy()
    await promise
  }

  #pass(from: Socket, tries: number): void {
    const port = this.ports[this.#next % this.ports.length]
    this.#next += 1
    if (tries === 0 || port === undefined) return void from.destroy()
    this.connections += 1
    this.#open.add(from)
    from
      .removeAllListeners()
      .on('error', () => {})
      .setNoDelay(true)
    const to = connect(port, '127.0.0.1').setNoDelay(true)
    const refused = (): void => this.#pass(from, tries - 1)
    to.once('error', refused)
    to.once('connect', () => {
      to.off('error', refused).on('error', () => {})
      from.pipe(to)
      to.pipe(from)
      from.once('close', () => to.destroy())
      to.once('close', () => from.destroy())
    })
    from.once('close', () => {
      to.destroy()
      this.#open.delete(from)
    })
  }
}
