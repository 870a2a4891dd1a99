import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A line to a relay that can fall silent without ending, as when a router forgets it, and knows what passed. */
export class LineBetween {
  readonly #server: Server
  readonly #lost = Promise.withResolvers<void>()
  readonly #open = new Set<readonly [Socket, Socket]>()
  /** How many connections were made through it. */
  connections = 0
  /** All bytes that passed, either way. */
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

  /** Resolves once so many connections were made. */
  async reached(connections: number): Promise<void> {
    while (this.connections < connections) await once(this.#server, 'connection')
  }

  /** Whatever is said over what is open now is lost from now on; nobody is told. New connections are sound. */
  fallSilent(): void {
    for (const pair of this.#open)
      for (const socket of pair) socket.removeAllListeners('data').removeAllListeners('close')
    for (const pair of this.#open) for (const socket of pair) socket.on('data', () => this.#lost.resolve())
  }

  /** Resolves once something that was said is lost. */
  lost(): Promise<void> {
    return this.#lost.promise
  }

  /** Whatever is open now is reset at both ends. New connections are sound. */
  reset(): void {
    for (const pair of this.#open) for (const socket of pair) socket.resetAndDestroy()
  }

  /** No further connection is made through it. */
  refuse(): void {
    this.#server.close()
  }

  #close(): void {
    this.#server.close()
    for (const pair of this.#open) for (const socket of pair) socket.destroy()
  }
}
