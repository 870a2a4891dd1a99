import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy in front of a relay that can drop bytes silently, as a router does, and counts them. */
export class LineBetween {
  readonly #server: Server
  readonly #lost = Promise.withResolvers<void>()
  readonly #open = new Set<readonly [Socket, Socket]>()
  /** Number of connections. */
  connections = 0
  /** Bytes in both directions. */
  readonly passed: Buffer[] = []

  private constructor(to: number) {
    this.#server = createServer((from) => {
      this.connections += 1
      const pair = [from, connect(to, '127.0.0.1')] as const
      this.#open.add(pair)
      for (const [one, other] of [pair, [pair[1], pair[0]] as const]) {
        one.on('data', (chunk) => {
          this.passed.push(chunk)
          other.write(chunk)
        })
        one.on('error', () => {})
        one.once('close', () => other.destroy())
      }
    })
  }

  static async to(port: number): Promise<LineBetween> {
    const line = new LineBetween(port)
    const { promise, resolve } = Promise.withResolvers<void>()
    line.#server.listen(0, '127.0.0.1', resolve)
    await promise
    onTestFinished(() => line.#close())
    return line
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Resolves at this number of connections. */
  async reached(connections: number): Promise<void> {
    while (this.connections < connections) await once(this.#server, 'connection')
  }

  /** Silently drops all bytes of open connections from now on. New connections work. */
  fallSilent(): void {
    for (const pair of this.#open)
      for (const socket of pair) socket.removeAllListeners('data').removeAllListeners('close')
    for (const pair of this.#open) for (const socket of pair) socket.on('data', () => this.#lost.resolve())
  }

  /** Resolves once a byte was dropped. */
  lost(): Promise<void> {
    return this.#lost.promise
  }

  /** Resets open connections at both ends. New connections work. */
  reset(): void {
    for (const pair of this.#open) for (const socket of pair) socket.resetAndDestroy()
  }

  /** Refuses further connections. */
  refuse(): void {
    this.#server.close()
  }

  #close(): void {
    this.#server.close()
    for (const pair of this.#open) for (const socket of pair) socket.destroy()
  }
}
