import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Door } from './http-load.ts'
import { polling } from './polling.ts'

const SOCKETS = 32
/** For what is outstanding at the end of a round. */
const ANSWERS_WAIT_MS = 10_000

export async function openSocket(door: Door, path: string, token: string | null): Promise<WebSocket> {
  const trust = { ca: door.ca, servername: door.serverName ?? 'localhost' }
  const scheme = door.plain ? 'ws' : 'wss'
  const socket = new WebSocket(`${scheme}://127.0.0.1:${door.port}${path}`, {
    ...(door.plain ? {} : trust),
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
  readonly #sockets: readonly WebSocket[]
  readonly #message: string
  readonly #isAnswer: (data: Buffer) => boolean
  #done = 0
  #outstanding = 0
  #running = false
  #wrong: Error | null = null

  /** @param isAnswer false for a message that is none; throws for a refusal. */
  constructor(sockets: readonly WebSocket[], message: string, isAnswer: (data: Buffer) => boolean = () => true) {
    this.#sockets = sockets
    this.#message = message
    this.#isAnswer = isAnswer
    for (const socket of sockets) {
      socket.on('message', (data: Buffer) => this.#take(socket, data))
      socket.on('error', (error) => (this.#wrong = error))
    }
  }

  static async open(door: Door, path: string, token: string | null, message: string): Promise<MessageLoad> {
    const sockets: WebSocket[] = []
    for (let count = 0; count < SOCKETS; count += 1) sockets.push(await openSocket(door, path, token))
    return new MessageLoad(sockets, message)
  }

  /** Keeps every socket busy for a time; resolves to the answers that came within it. */
  async run(durationMs: number): Promise<number> {
    using _awake = polling()
    this.#done = 0
    this.#running = true
    this.#outstanding = this.#sockets.length
    for (const socket of this.#sockets) socket.send(this.#message)
    await sleep(durationMs)
    this.#running = false
    const done = this.#done
    const until = performance.now() + ANSWERS_WAIT_MS
    while (this.#outstanding > 0 && performance.now() < until) await sleep(20)
    if (this.#outstanding > 0) this.#wrong ??= new Error('an answer did not come')
    if (this.#wrong !== null) throw this.#wrong
    return done
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  #take(socket: WebSocket, data: Buffer): void {
    try {
      if (!this.#isAnswer(data)) return
    } catch (error) {
      this.#wrong = error as Error
    }
    this.#done += 1
    if (this.#running) socket.send(this.#message)
    else this.#outstanding -= 1
  }
}
