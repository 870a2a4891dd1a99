import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'

const OPEN = 1
const CLOSED = 3

/** A client's socket, as much of it as the stream needs; what is written to it comes out as texts, at once. */
export class ClientSocket extends EventEmitter {
  readyState: number = OPEN
  readonly extensions = ''
  isPaused = false
  readonly #onText: (text: string) => void
  #rest = Buffer.alloc(0)
  readonly _socket = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      this.#read(chunk)
      done()
    },
  })

  constructor(onText: (text: string) => void) {
    super()
    this.#onText = onText
  }

  /** The client answers each ping. */
  ping(): void {
    this.emit('pong')
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  close(code: number): void {
    this.#onText(`closed ${code}`)
    this.#end()
  }

  terminate(): void {
    this.#onText('terminated')
    this.#end()
  }

  /** The client goes away. */
  leave(): void {
    this.#end()
  }

  say(message: object): void {
    this.emit('message', Buffer.from(JSON.stringify(message)), false)
  }

  #end(): void {
    if (this.readyState === CLOSED) return
    this.readyState = CLOSED
    this.emit('close')
  }

  /** Frames of a server: never masked, never in parts. */
  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (let frame = frameIn(this.#rest); frame !== null; frame = frameIn(this.#rest)) {
      this.#onText(this.#rest.toString('utf8', frame.start, frame.end))
      this.#rest = this.#rest.subarray(frame.end)
    }
  }
}

function frameIn(bytes: Buffer): { readonly start: number; readonly end: number } | null {
  const size = bytes[1]
  if (size === undefined) return null
  const start = size === 127 ? 10 : size === 126 ? 4 : 2
  if (bytes.length < start) return null
  const length = size === 127 ? Number(bytes.readBigUInt64BE(2)) : size === 126 ? bytes.readUInt16BE(2) : size
  return bytes.length < start + length ? null : { start, end: start + length }
}
