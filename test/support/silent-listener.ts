import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** Takes every connection at a free port of the loopback interface and says nothing, as a dead address may. */
export class SilentListener implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** How many connections it has taken. */
  taken = 0
  /** How many of them the other end has given up. */
  givenUp = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.taken += 1
      this.#sockets.add(socket)
      socket.resume()
      // A reset is an end like any other.
      socket.on('error', () => {})
      socket.on('close', () => {
        this.givenUp += 1
        this.#sockets.delete(socket)
      })
    })
  }

  static async open(): Promise<SilentListener> {
    const server = createServer()
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    return new SilentListener(server)
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#sockets) each.destroy()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }
}
