import type { Socket } from 'node:net'
import { type Listener, openConnection, polling } from './load.ts'

const [TEXT, CLOSE, PING] = [1, 8, 9]
/** Mask of client frames. Zeros leave the payload unchanged. */
const MASK = Buffer.alloc(4)
const PONG = Buffer.concat([Buffer.from([0x8a, 0x80]), MASK])
const HANDSHAKE_KEY = Buffer.alloc(16).toString('base64')
const HEAD_END = '\r\n\r\n'

/**
 * Listening sockets that count messages. They only find frame boundaries, because a thousand sockets of `ws` would
 * dominate the measurement.
 */
export class Listeners implements Disposable {
  readonly #sockets: readonly Frames[]
  #received = 0
  #wanted = Infinity
  #resolve = (): void => {}

  private constructor(sockets: readonly Frames[]) {
    this.#sockets = sockets
    for (const socket of sockets)
      socket.onTexts = (texts) => {
        this.#received += texts
        if (this.#received >= this.#wanted) this.#resolve()
      }
  }

  static async open(
    address: Listener,
    path: string,
    token: string | null,
    count: number,
    hello: string | null,
  ): Promise<Listeners> {
    const sockets: Frames[] = []
    for (let index = 0; index < count; index += 1) {
      const socket = await Frames.open(address, path, token)
      if (hello !== null) await socket.answer(hello)
      sockets.push(socket)
    }
    return new Listeners(sockets)
  }

  /** Resolves when every socket has received `messages` more. */
  nextMessages(messages: number): Promise<void> {
    this.#received = 0
    this.#wanted = messages * this.#sockets.length
    const awake = polling()
    return new Promise((resolve) => {
      this.#resolve = () => {
        awake[Symbol.dispose]()
        resolve()
      }
    })
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.end()
  }
}

/** A WebSocket that only counts frames. */
class Frames {
  onTexts: (texts: number) => void = () => {}
  readonly #socket: Socket
  #rest: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      const texts = this.#textsIn(chunk)
      if (texts > 0) this.onTexts(texts)
    })
  }

  static async open(address: Listener, path: string, token: string | null): Promise<Frames> {
    const socket = await openConnection(address)
    const authorization = token === null ? '' : `authorization: Bearer ${token}\r\n`
    const answered = new Promise<string>((resolve, reject) => {
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')))
      socket.once('error', reject)
    })
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost:${address.port}\r\n${authorization}connection: Upgrade\r\nupgrade: websocket\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${HANDSHAKE_KEY}${HEAD_END}`,
    )
    const head = await answered
    if (!head.startsWith('HTTP/1.1 101') || !head.endsWith(HEAD_END))
      throw new Error(`no stream: ${head.slice(0, 200)}`)
    return new Frames(socket)
  }

  /** Sends a message of at most 125 bytes. Resolves with the next message. */
  async answer(text: string): Promise<void> {
    const answered = new Promise<void>((resolve) => (this.onTexts = () => resolve()))
    this.#socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), MASK, Buffer.from(text)]))
    await answered
  }

  end(): void {
    this.#socket.destroy()
  }

  #textsIn(chunk: Buffer): number {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let [at, texts] = [0, 0]
    for (let end = frameEnd(data, at); end <= data.length; end = frameEnd(data, at)) {
      const opcode = (data[at] ?? 0) & 15
      if (opcode === TEXT) texts += 1
      else if (opcode === PING) this.#socket.write(PONG)
      else if (opcode === CLOSE) throw new Error('a listening socket was closed')
      at = end
    }
    this.#rest = data.subarray(at)
    return texts
  }
}

/** End of the frame that starts at `at`; Infinity if the data ends before its header. */
function frameEnd(data: Buffer, at: number): number {
  const short = (data[at + 1] ?? 0) & 127
  const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
  if (at + headBytes > data.length) return Infinity
  if (short < 126) return at + headBytes + short
  return at + headBytes + (short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2)))
}
