import type { Clock } from '@hm-gateway/lib/clock.ts'
import { SharedTimer } from '@hm-gateway/lib/shared-timer.ts'
import { ANSWER_DUE_MS, PING_EACH_MS, PONG_WITHIN_MS, SILENT_MS } from './tunnel.ts'

const LOOK_EACH_MS = 1_000
/** All that go by one clock look in turn, by one timer: a relay has thousands of tunnels. */
const ROUNDS = new WeakMap<Clock, SharedTimer>()

export interface HeartbeatParts {
  readonly clock: Clock
  /** Sends a ping and calls back when it is answered; false where it could not be sent. */
  readonly ping: (answered: () => void) => boolean
  /** Bytes that came from the other side so far. */
  readonly heard: () => number
  /** Called once, when the other side is gone. */
  readonly lost: () => void
}

/**
 * Whether the other end of a tunnel still answers: a ping each `PING_EACH_MS`, and sooner where something was asked and
 * nothing comes. It is gone when nothing at all was heard for `PONG_WITHIN_MS` after a ping; bytes alone, without the
 * answer that may stand behind them on a slow line, keep it for `SILENT_MS`. It looks by a timer of its own and not by
 * what the session says of itself, so that nothing that happens to the session ends the looking.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts
  readonly #stop: () => void
  #answeredAt: number
  #heardAt: number
  #heard: number
  #pingedAt: number
  #waits = false
  #lookedAt: number
  /** When something was asked that has brought nothing yet. */
  #askedAt: number | null = null

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    this.#answeredAt = parts.clock.monotonic()
    this.#heardAt = this.#answeredAt
    this.#heard = parts.heard()
    this.#pingedAt = this.#answeredAt
    this.#lookedAt = this.#answeredAt
    this.#stop = roundsOf(parts.clock).add(() => this.#look())
  }

  /** Milliseconds since the other side answered last. */
  get silentMs(): number {
    return this.#parts.clock.monotonic() - this.#answeredAt
  }

  /** Something was asked: where nothing comes for `ANSWER_DUE_MS`, a ping does not wait for its time. */
  asked(): void {
    this.#listen()
    this.#askedAt ??= this.#parts.clock.monotonic()
  }

  stop(): void {
    this.#stop()
  }

  #look(): void {
    const now = this.#parts.clock.monotonic()
    this.#forgive(now, now - this.#lookedAt - LOOK_EACH_MS)
    this.#lookedAt = now
    this.#listen()
    if (this.#isLost(now)) {
      this.#stop()
      this.#parts.lost()
    } else if (!this.#waits && this.#isPingDue(now)) {
      this.#pingedAt = now
      this.#waits = true
      if (!this.#parts.ping(() => this.#answered())) this.#waits = false
    }
  }

  /** While this process itself stood still it heard nothing: what came meanwhile has yet to be read. */
  #forgive(now: number, lateMs: number): void {
    if (lateMs < LOOK_EACH_MS) return
    const later = (at: number): number => Math.min(at + lateMs, now)
    this.#answeredAt = later(this.#answeredAt)
    this.#heardAt = later(this.#heardAt)
    this.#pingedAt = later(this.#pingedAt)
    if (this.#askedAt !== null) this.#askedAt = later(this.#askedAt)
  }

  #listen(): void {
    const heard = this.#parts.heard()
    if (heard === this.#heard) return
    this.#heard = heard
    this.#heardAt = this.#parts.clock.monotonic()
    this.#askedAt = null
  }

  #isLost(now: number): boolean {
    const quietMs = now - Math.max(this.#pingedAt, this.#heardAt)
    return this.silentMs > SILENT_MS || (this.#waits && quietMs > PONG_WITHIN_MS)
  }

  #isPingDue(now: number): boolean {
    const isOverdue = this.#askedAt !== null && now - this.#askedAt >= ANSWER_DUE_MS
    return isOverdue || now - this.#pingedAt >= PING_EACH_MS
  }

  #answered(): void {
    this.#waits = false
    this.#answeredAt = this.#parts.clock.monotonic()
    this.#askedAt = null
  }
}

function roundsOf(clock: Clock): SharedTimer {
  const rounds = ROUNDS.get(clock) ?? new SharedTimer(clock, LOOK_EACH_MS)
  ROUNDS.set(clock, rounds)
  return rounds
}

/** A session of HTTP/2, of either end. */
interface Session {
  readonly closed: boolean
  readonly destroyed: boolean
  ping(answered: (error: Error | null) => void): boolean
}

/** The heartbeat of a session over this socket. */
export function sessionHeartbeat(
  session: Session,
  socket: { readonly bytesRead: number },
  { clock, lost }: Pick<HeartbeatParts, 'clock' | 'lost'>,
): Heartbeat {
  const ping = (answered: () => void): boolean =>
    !session.closed && !session.destroyed && session.ping((error) => void (error === null && answered()))
  return new Heartbeat({ clock, ping, heard: () => socket.bytesRead, lost })
}
