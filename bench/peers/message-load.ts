import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

const SOCKETS = 32
/** For what is outstanding at the end of a round. */
const ANSWERS_WAIT_MS = 10_000

/** A command of zwave-js-server. */
export type Command = Readonly<Record<string, unknown>>

/** Plain WebSockets to zwave-js-server that always have one command outstanding, and fail where an answer is a failure. */
export class CommandLoad {
  readonly #sockets: readonly WebSocket[]
  readonly #text: string
  #done = 0
  #outstanding = 0
  #running = false
  #wrong: string | null = null

  private constructor(sockets: readonly WebSocket[], command: Command) {
    this.#sockets = sockets
    this.#text = JSON.stringify({ ...command, messageId: 'load' })
    for (const socket of sockets) {
      socket.on('message', (data: Buffer) => this.#take(socket, data))
      socket.on('error', (error) => (this.#wrong = `a socket of the load failed: ${error.message}`))
    }
  }

  /** @param schema the version of the protocol that the commands are written in. */
  static async open(port: number, schema: number, command: Command): Promise<CommandLoad> {
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => greeted(port, schema)))
    return new CommandLoad(sockets, command)
  }

  /** Keeps every socket busy for a time; resolves to the answers that came, those after the time included. */
  async run(durationMs: number): Promise<number> {
    this.#done = 0
    this.#running = true
    this.#outstanding = this.#sockets.length
    for (const socket of this.#sockets) socket.send(this.#text)
    await sleep(durationMs)
    this.#running = false
    const until = performance.now() + ANSWERS_WAIT_MS
    while (this.#outstanding > 0 && performance.now() < until) await sleep(20)
    if (this.#outstanding > 0) this.#wrong ??= 'an answer did not come'
    if (this.#wrong !== null) throw new Error(this.#wrong)
    return this.#done
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  #take(socket: WebSocket, data: Buffer): void {
    // Events come to a socket that has asked for the state, between the answers.
    const head = data.subarray(0, 120).toString('latin1')
    if (!head.includes('"type":"result"')) return
    if (!head.includes('"success":true')) this.#wrong ??= `a command was refused: ${head}`
    this.#done += 1
    if (this.#running) socket.send(this.#text)
    else this.#outstanding -= 1
  }
}

/** A socket on which the version of the protocol has been settled. */
function greeted(port: number, schema: number): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false })
    socket.once('error', reject)
    socket.on('open', () =>
      socket.send(JSON.stringify({ messageId: 'hello', command: 'set_api_schema', schemaVersion: schema })),
    )
    const take = (data: Buffer): void => {
      if (!data.includes('"hello"')) return
      socket.off('message', take)
      resolve(socket)
    }
    socket.on('message', take)
  })
}
