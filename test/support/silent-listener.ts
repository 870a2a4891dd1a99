import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** Accepts every connection at a free port of the loopback interface and never answers, as a dead address may. */
export class SilentListener implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Number of accepted connections. */
  taken = 0
  /** Number of connections that the other end has closed. */
  givenUp = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.taken += 1
      this.#sockets.add(socket)
      socket.resume()
      // A reset counts as an end.
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
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }
}
