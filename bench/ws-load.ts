import { WebSocket } from 'ws'
import type { Door } from './http-load.ts'
import { polling } from './polling.ts'

const SOCKETS = 32

export async function openSocket(door: Door, path: string, token: string | null): Promise<WebSocket> {
  const trust = { ca: door.ca, servername: door.serverName ?? 'localhost' }
  const socket = new WebSocket(`wss://127.0.0.1:${door.port}${path}`, {
    ...trust,
    perMessageDeflate: false,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
  return socket
}

/** Sockets that always have a message outstanding, and count the answers. */
export class MessageLoad {
  readonly #sockets: WebSocket[]
  readonly #message: string
  #done = 0
  #running = false

  private constructor(sockets: WebSocket[], message: string) {
    this.#sockets = sockets
    this.#message = message
    for (const socket of sockets) {
      socket.on('message', () => {
        this.#done += 1
        if (this.#running) socket.send(this.#message)
      })
    }
  }

  static async open(door: Door, path: string, token: string | null, message: string): Promise<MessageLoad> {
    const sockets: WebSocket[] = []
    for (let count = 0; count < SOCKETS; count += 1) sockets.push(await openSocket(door, path, token))
    return new MessageLoad(sockets, message)
  }

  async run(durationMs: number): Promise<number> {
    using _awake = polling()
    this.#done = 0
    this.#running = true
    for (const socket of this.#sockets) socket.send(this.#message)
    await new Promise((resolve) => setTimeout(resolve, durationMs))
    this.#running = false
    const done = this.#done
    await new Promise((resolve) => setTimeout(resolve, 50))
    return done
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate()
  }
}
