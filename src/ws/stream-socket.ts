import { Duplex, Writable } from 'node:stream'
import { WebSocket } from 'ws'
import type { Answer } from '../api/call.ts'
import type { Via } from '../auth/credentials/credentials.ts'
import type { ChannelOwner } from '../auth/open-channels.ts'
import type { RequestCredentials } from '../auth/authenticator.ts'
import { splicedFrame, textFrame } from './frame.ts'
import { SendQueue } from './send-queue.ts'
import type { StreamEvent } from './stream-event.ts'

/** Written at once when a slow reader has room again. */
const FLUSH_BYTES = 32 * 1024
/** Answers cannot be collapsed: with more than this unread, no further request is taken from the socket. */
const UNREAD_BYTES_MAX = 1024 * 1024

/** Whose a socket is; the token's credential is checked again with every message. */
export interface SocketOwner extends ChannelOwner {
  readonly peer: string
  readonly integration: string
}

/**
 * One open socket: what is written to it, and how much waits. Events go out as finished frames, straight to the
 * connection that carries the socket, which is safe because nothing of ours is compressed or fragmented.
 */
export class StreamSocket implements SocketOwner {
  readonly token: RequestCredentials
  readonly peer: string
  readonly via: Via
  readonly link: string
  readonly integration: string
  /** Topics that this socket asked for. */
  topics: ReadonlySet<string> = new Set()
  /** Requests that are not answered yet. */
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

  /** `listener` is called when nothing more comes from the client, while it can still be answered. */
  onLastWord(listener: () => void): void {
    for (const end of ['end', 'close']) this.#carrier.prependListener(end, listener)
    const receiver = receiverOf(this.#socket)
    for (const end of ['conclude', 'error']) receiver.prependListener(end, listener)
  }

  get open(): boolean {
    return !this.#ending && this.#socket.readyState === WebSocket.OPEN
  }

  /** True while the reader leaves so much unread that its further requests are turned away. */
  get backpressured(): boolean {
    return this.#socket.isPaused && !this.#resting
  }

  /** Events that wait because the reader is slow. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Writes `{id, status, body}`; the body's bytes go in as they are (docs/stream.md#requests). */
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

  /** Sends events; `bytes` are their frames in one piece, the same for all sockets that get them. */
  deliver(bytes: Buffer, events: readonly StreamEvent[]): void {
    if (!this.open) return
    if (this.#queue.size === 0 && !this.#carrier.writableNeedDrain) {
      this.#carrier.write(bytes)
      return
    }
    for (const event of events) if (this.#queue.put(event)) this.#onCollapsed()
  }

  /** Sends what nothing newer takes the place of; a client that leaves too much unread is disconnected. */
  tell(frame: Buffer): void {
    if (!this.open) return
    if (this.#carrier.writableLength > UNREAD_BYTES_MAX) this.terminate()
    else this.#carrier.write(frame)
  }

  /** Drops waiting events that are not allowed any more. */
  keep(allowed: (event: StreamEvent) => boolean): void {
    this.#queue.keep(allowed)
  }

  /** Sends a ping; false, and none is sent, when `unansweredMax` are unanswered already. */
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

  /** Pings the client; `answered` is called once it has shown that it is there. */
  probe(answered: () => void): void {
    // Nothing is read from it for now, so that an answer would not be noticed.
    if (this.#resting) return answered()
    this.#probes.push(answered)
    if (this.open) this.#socket.ping()
  }

  /** Any message shows that the client is alive: earlier pings need no answer any more. */
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

  /** Ends the connection without a close frame: for a client that reads nothing. */
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
 * The connection under a socket. `ws` keeps it in a field without a public name; its version is pinned, and a test
 * writes to it.
 * @throws when there is none, or when the socket compresses: raw frames would be wrong then.
 */
function carrierOf(socket: WebSocket): Duplex {
  const { _socket: carrier } = socket as unknown as { readonly _socket?: unknown }
  if (!(carrier instanceof Duplex)) throw new Error('The socket has no connection to write to.')
  if (socket.extensions !== '') throw new Error('The stream is served without extensions.')
  return carrier
}

/**
 * What reads the frames of a socket, in a field like the one above: with a close frame, or one that is none, `ws` itself
 * closes the socket before it tells anybody else.
 * @throws when there is none.
 */
function receiverOf(socket: WebSocket): Writable {
  const { _receiver: receiver } = socket as unknown as { readonly _receiver?: unknown }
  if (!(receiver instanceof Writable)) throw new Error('The socket has nothing that reads it.')
  return receiver
}

function isJson(answer: Answer): boolean {
  return answer.headers['content-type']?.startsWith('application/json') === true
}
