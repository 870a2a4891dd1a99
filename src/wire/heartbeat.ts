import { type Clock, every } from '@hm-gateway/lib/clock.ts'
import { ANSWER_DUE_MS, PING_EACH_MS, PONG_WITHIN_MS, SILENT_MS } from './tunnel.ts'

const CHECK_EVERY_MS = 1_000

export interface HeartbeatParts {
  readonly clock: Clock
  /** Sends a ping and calls back at the pong; false if it could not be sent. */
  readonly ping: (ponged: () => void) => boolean
  /** Number of bytes received so far. */
  readonly bytesReceived: () => number
  /** Called once when the other end is lost. */
  readonly lost: () => void
}

/**
 * Checks that the other end of a tunnel is alive. It pings each `PING_EACH_MS`, and sooner if a request gets no
 * response. The end is lost if no byte arrives for `PONG_WITHIN_MS` after a ping. On a slow line bytes without a pong
 * keep it for `SILENT_MS`. The check has its own timer, so that no failure of the session stops it.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts
  readonly #stop: () => void
  #pongAt: number
  #receivedAt: number
  #bytesReceived: number
  #pingedAt: number
  #awaitsPong = false
  #checkedAt: number
  /** Time of the oldest request since which nothing was received. */
  #requestedAt: number | null = null

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    this.#pongAt = parts.clock.monotonic()
    this.#receivedAt = this.#pongAt
    this.#bytesReceived = parts.bytesReceived()
    this.#pingedAt = this.#pongAt
    this.#checkedAt = this.#pongAt
    this.#stop = every(parts.clock, CHECK_EVERY_MS, () => this.#check())
  }

  /** Milliseconds since the last pong. */
  get silentMs(): number {
    return this.#parts.clock.monotonic() - this.#pongAt
  }

  /** Registers a request: without bytes for `ANSWER_DUE_MS` the next ping is sent early. */
  requestSent(): void {
    this.#receive()
    this.#requestedAt ??= this.#parts.clock.monotonic()
  }

  stop(): void {
    this.#stop()
  }

  #check(): void {
    const now = this.#parts.clock.monotonic()
    this.#excusePause(now, now - this.#checkedAt - CHECK_EVERY_MS)
    this.#checkedAt = now
    this.#receive()
    if (this.#isLost(now)) {
      this.#stop()
      this.#parts.lost()
    } else if (!this.#awaitsPong && this.#isPingDue(now)) {
      this.#pingedAt = now
      this.#awaitsPong = true
      if (!this.#parts.ping(() => this.#ponged())) this.#awaitsPong = false
    }
  }

  /** Shifts all times by a pause of this process, whose received bytes are not read yet. */
  #excusePause(now: number, lateMs: number): void {
    if (lateMs < CHECK_EVERY_MS) return
    const later = (at: number): number => Math.min(at + lateMs, now)
    this.#pongAt = later(this.#pongAt)
    this.#receivedAt = later(this.#receivedAt)
    this.#pingedAt = later(this.#pingedAt)
    if (this.#requestedAt !== null) this.#requestedAt = later(this.#requestedAt)
  }

  #receive(): void {
    const bytesReceived = this.#parts.bytesReceived()
    if (bytesReceived === this.#bytesReceived) return
    this.#bytesReceived = bytesReceived
    this.#receivedAt = this.#parts.clock.monotonic()
    this.#requestedAt = null
  }

  #isLost(now: number): boolean {
    const quietMs = now - Math.max(this.#pingedAt, this.#receivedAt)
    return this.silentMs > SILENT_MS || (this.#awaitsPong && quietMs > PONG_WITHIN_MS)
  }

  #isPingDue(now: number): boolean {
    const isOverdue = this.#requestedAt !== null && now - this.#requestedAt >= ANSWER_DUE_MS
    return isOverdue || now - this.#pingedAt >= PING_EACH_MS
  }

  #ponged(): void {
    this.#awaitsPong = false
    this.#pongAt = this.#parts.clock.monotonic()
    this.#requestedAt = null
  }
}

/** An HTTP/2 session of either end. */
interface Session {
  readonly closed: boolean
  readonly destroyed: boolean
  ping(ponged: (error: Error | null) => void): boolean
}

/** Heartbeat of a session over this socket. */
export function sessionHeartbeat(
  session: Session,
  socket: { readonly bytesRead: number },
  { clock, lost }: Pick<HeartbeatParts, 'clock' | 'lost'>,
): Heartbeat {
  const ping = (ponged: () => void): boolean =>
    !session.closed && !session.destroyed && session.ping((error) => void (error === null && ponged()))
  return new Heartbeat({ clock, ping, bytesReceived: () => socket.bytesRead, lost })
}
