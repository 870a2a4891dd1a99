import { Duplex, Writable } from 'node:stream'
import { WebSocket } from 'ws'
import type { Answer } from '../api/call.ts'
import type { Via } from '../auth/credentials/credentials.ts'
import type { ChannelOwner } from '../auth/open-channels.ts'
import type { RequestCredentials } from '../auth/authenticator.ts'
import { splicedFrame, textFrame } from './websocket-frame.ts'
import { SendQueue } from './send-queue.ts'
import type { StreamEvent } from './stream-event.ts'

/** Bytes written at once when a slow reader has room again. */
const FLUSH_BYTES = 32 * 1024
/** Unread bytes beyond which no further request is read from the socket, because responses cannot be collapsed. */
const UNREAD_BYTES_MAX = 1024 * 1024

/** Owner of a socket; the token's credential is checked again with every message. */
export interface SocketOwner extends ChannelOwner {
  readonly peer: string
  readonly integration: string
}

/**
 * One open socket with its send queue. Events are finished frames, written directly to the underlying connection. This
 * is safe because our frames are neither compressed nor fragmented.
 */
export class StreamSocket implements SocketOwner {
  readonly token: RequestCredentials
  readonly peer: string
  readonly via: Via
  readonly link: string
  readonly integration: string
  /** Subscribed topics. */
  topics: ReadonlySet<string> = new Set()
  /** Number of unanswered requests. */
  inFlight = 0
  readonly #socket: WebSocket
  readonly #carrier: Duplex
  readonly #queue = new SendQueue()
  readonly #onCollapsed: () => void
  #unansweredPings = 0
  #probes: (() => void)[] = []
  #ending = false
  #resting = false

  constructor(socket: WebSocket, owner: SocketOwner, onCollapsed: () => void) {
    this.token = owner.token
    this.peer = owner.peer
    this.via = owner.via
    this.link = owner.link
    this.integration = owner.integration
    this.#socket = socket
    this.#carrier = carrierOf(socket)
    this.#onCollapsed = onCollapsed
    this.#carrier.on('drain', () => this.#drained())
    socket.on('pong', () => this.alive())
  }

  /** Calls `listener` after the client's last message, while responses are still possible. */
  onLastWord(listener: () => void): void {
    for (const end of ['end', 'close']) this.#carrier.prependListener(end, listener)
    const receiver = receiverOf(this.#socket)
    for (const end of ['conclude', 'error']) receiver.prependListener(end, listener)
  }

  get open(): boolean {
    return !this.#ending && this.#socket.readyState === WebSocket.OPEN
  }

  /** True while the reader has so much unread that further requests are refused. */
  get backpressured(): boolean {
    return this.#socket.isPaused && !this.#resting
  }

  /** Number of events that wait because the reader is slow. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Writes `{id, status, body}` with the body's bytes unchanged (docs/stream.md#requests). */
  answer(id: string | null, answer: Answer): void {
    if (!this.open) return
    const before = `{"id":${JSON.stringify(id)},"status":${answer.status},"body":`
    const { body } = answer
    if (body === null || body.length === 0) this.#carrier.write(textFrame(`${before}null}`))
    else if (!isJson(answer)) this.#carrier.write(textFrame(`${before}${JSON.stringify(String(body))}}`))
    else if (typeof body === 'string') this.#carrier.write(textFrame(`${before}${body}}`))
    else this.#writeAll(splicedFrame(before, body, '}'))
    if (this.#carrier.writableLength > UNREAD_BYTES_MAX && !this.#socket.isPaused) this.#socket.pause()
  }

  /** Sends events; `bytes` are their frames in one piece, shared with other sockets. */
  deliver(bytes: Buffer, events: readonly StreamEvent[]): void {
    if (!this.open) return
    if (this.#queue.size === 0 && !this.#carrier.writableNeedDrain) {
      this.#carrier.write(bytes)
      return
    }
    for (const event of events) if (this.#queue.put(event)) this.#onCollapsed()
  }

  /** Sends a frame that no newer one replaces; disconnects a client with too much unread. */
  send(frame: Buffer): void {
    if (!this.open) return
    if (this.#carrier.writableLength > UNREAD_BYTES_MAX) this.terminate()
    else this.#carrier.write(frame)
  }

  /** Drops waiting events that are no longer allowed. */
  keep(allowed: (event: StreamEvent) => boolean): void {
    this.#queue.keep(allowed)
  }

  /** Sends a ping; sends none and returns false if `unansweredMax` are already unanswered. */
  ping(unansweredMax: number): boolean {
    if (this.#unansweredPings >= unansweredMax) return false
    this.#unansweredPings += 1
    if (this.open) this.#socket.ping()
    return true
  }

  /** Reads nothing until `wake` is called. */
  rest(after: (wake: () => void) => void): void {
    if (this.#resting || !this.open) return
    this.#resting = true
    this.#socket.pause()
    after(() => {
      this.#resting = false
      this.#readOn()
    })
  }

  /** Pings the client and calls `answered` at its next sign of life. */
  probe(answered: () => void): void {
    // The socket is not read at the moment, so a pong would not be noticed.
    if (this.#resting) return answered()
    this.#probes.push(answered)
    if (this.open) this.#socket.ping()
  }

  /** Registers a sign of life, which counts as the answer to all earlier pings. */
  alive(): void {
    this.#unansweredPings = 0
    const probes = this.#probes
    this.#probes = []
    for (const answered of probes) answered()
  }

  /** Sends a last message, if there is one, and closes with a code (docs/stream.md). */
  end(code: number, reason: string, lastMessage?: object): void {
    if (!this.open) return
    if (lastMessage) this.#carrier.write(textFrame(JSON.stringify(lastMessage)))
    this.#ending = true
    this.#queue.clear()
    // A paused socket would never read the other side's close frame.
    if (this.#socket.isPaused) this.#socket.resume()
    this.#socket.close(code, reason)
  }

  /** Ends the connection without a close frame, for a client that reads nothing. */
  terminate(): void {
    this.#ending = true
    this.#queue.clear()
    this.#socket.terminate()
  }

  #drained(): void {
    while (this.open && !this.#carrier.writableNeedDrain) {
      const bytes = this.#queue.take(FLUSH_BYTES)
      if (bytes === null) break
      this.#carrier.write(bytes)
    }
    this.#readOn()
  }

  #readOn(): void {
    if (!this.open || this.#resting || !this.#socket.isPaused) return
    if (this.#carrier.writableLength < UNREAD_BYTES_MAX) this.#socket.resume()
  }

  #writeAll(pieces: readonly Buffer[]): void {
    this.#carrier.cork()
    for (const piece of pieces) this.#carrier.write(piece)
    this.#carrier.uncork()
  }
}

/**
 * The connection under a socket. `ws` has it in a private field; its version is pinned, and a test writes to it.
 * @throws if there is none, or if the socket compresses, which raw frames do not support
 */
function carrierOf(socket: WebSocket): Duplex {
  const { _socket: carrier } = socket as unknown as { readonly _socket?: unknown }
  if (!(carrier instanceof Duplex)) throw new Error('The socket has no connection to write to.')
  if (socket.extensions !== '') throw new Error('The stream is served without extensions.')
  return carrier
}

/**
 * The frame reader of a socket, in a private field like the one above. After a close frame or an invalid frame, `ws`
 * closes the socket before it calls other listeners. @throws if there is none
 */
function receiverOf(socket: WebSocket): Writable {
  const { _receiver: receiver } = socket as unknown as { readonly _receiver?: unknown }
  if (!(receiver instanceof Writable)) throw new Error('The socket has no reader.')
  return receiver
}

function isJson(answer: Answer): boolean {
  return answer.headers['content-type']?.startsWith('application/json') === true
}
