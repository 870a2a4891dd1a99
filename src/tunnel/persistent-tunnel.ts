import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Result } from '../lib/result.ts'
import type { DialFailure } from './dial.ts'
import type { Tunnel, ReplacementReason } from './tunnel.ts'

/**
 * Bounds of the random wait before dialling again. Its upper limit starts at the minimum and doubles up to the maximum.
 */
const WAIT_MIN_MS = 500
const WAIT_MAX_MS = 50_000
/** A tunnel that lasted this long resets the wait. */
const STABLE_MS = 1_000
/** The same for a tunnel that the relay asked to replace, so that a relay cannot cause endless dialling. */
const REPLACED_STABLE_MS = 10_000

/** Reason for a missing tunnel: no connection, no key, or no welcome from the relay. */
export type TunnelFailure = DialFailure | 'no_key' | 'not_welcome'

export interface PersistentTunnelParts {
  readonly clock: Clock
  readonly random: Random
  /** Dials, and resolves with a tunnel that the relay has welcomed. */
  readonly open: () => Promise<Result<Tunnel, TunnelFailure>>
  /** Called when the status for administrators changed. */
  readonly changed: () => void
}

/**
 * Maintains one tunnel to the relay. Dials again after a growing random wait when the tunnel is lost. If the relay asks
 * for a replacement, opens the new tunnel before retiring the old one.
 */
export class PersistentTunnel {
  readonly #parts: PersistentTunnelParts
  readonly #stopped = new AbortController()
  #tunnel: Tunnel | null = null
  /** Replaced tunnels whose running requests may finish. */
  readonly #retired = new Set<Tunnel>()
  #failure: TunnelFailure | null = null
  #endWait: () => void = () => {}
  #tries = 0
  readonly #running: Promise<void>

  constructor(parts: PersistentTunnelParts) {
    this.#parts = parts
    this.#running = this.#run()
  }

  get tunnel(): Tunnel | null {
    return this.#tunnel
  }

  /** Reason of the last failed attempt; null while there is a tunnel, and before the first attempt. */
  get failure(): TunnelFailure | null {
    return this.#failure
  }

  /** Ends the current wait and dials at once. */
  dialNow(): void {
    this.#tries = 0
    this.#endWait()
  }

  /** Stops dialling and lets running requests finish, for at most `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped.abort()
    const tunnels = [...(this.#tunnel ? [this.#tunnel] : []), ...this.#retired]
    await Promise.all(tunnels.map((tunnel) => tunnel.stop(graceMs)))
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const opened = await this.#parts.open()
      if (signal.aborted) {
        if (opened.ok) opened.value.destroy()
      } else if (opened.ok) await this.#serve(opened.value)
      else {
        this.#failure = opened.error
        if (this.#tunnel?.isOpen === false) this.#tunnel = null
        this.#parts.changed()
        await this.#wait(this.#nextWaitMs())
      }
    }
  }

  async #serve(tunnel: Tunnel): Promise<void> {
    this.#retire()
    this.#tunnel = tunnel
    this.#failure = null
    this.#parts.changed()
    const since = this.#parts.clock.monotonic()
    const reason = await tunnel.replacementDue
    const waitMs = this.#waitMsAfter(reason, this.#parts.clock.monotonic() - since)
    let isLost = reason.kind === 'lost'
    // A requested replacement waits as the relay asked; a lost tunnel ends this wait.
    if (!isLost) {
      const lost = tunnel.closed.then(() => {
        isLost = true
      })
      await this.#wait(waitMs, lost)
    }
    if (!isLost) return
    this.#tunnel = null
    this.#parts.changed()
    await this.#wait(reason.kind === 'lost' ? waitMs : this.#nextWaitMs())
  }

  #retire(): void {
    const tunnel = this.#tunnel
    if (tunnel === null) return
    this.#retired.add(tunnel)
    void tunnel.closed.then(() => this.#retired.delete(tunnel))
    tunnel.retire()
  }

  /**
   * Wait before dialling a replacement: at least as long as the relay asked; none if the gateway itself wants it.
   */
  #waitMsAfter({ kind, retryAfter }: ReplacementReason, lastedMs: number): number {
    const isByRelay = kind === 'replace' && retryAfter !== null
    const isStable = lastedMs >= (isByRelay ? REPLACED_STABLE_MS : STABLE_MS)
    if (isStable) this.#tries = 0
    const askedMs = (retryAfter ?? 0) * 1_000 * this.#chance()
    return kind === 'lost' || (isByRelay && !isStable) ? Math.max(askedMs, this.#nextWaitMs()) : askedMs
  }

  /** Next random wait. Full jitter spreads out gateways that lost a relay at the same time. */
  #nextWaitMs(): number {
    const most = Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** this.#tries)
    this.#tries = Math.min(this.#tries + 1, 16)
    return most * this.#chance()
  }

  #chance(): number {
    return this.#parts.random.bytes(4).readUInt32BE() / 2 ** 32
  }

  /** Resolves after `ms`, or earlier: at a stop, by `dialNow`, or when `until` resolves. */
  #wait(ms: number, until?: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { signal } = this.#stopped
    if (signal.aborted || ms === 0) return Promise.resolve()
    const ended = (): void => {
      cancel()
      signal.removeEventListener('abort', ended)
      resolve()
    }
    const cancel = this.#parts.clock.after(ms, ended)
    signal.addEventListener('abort', ended, { once: true })
    this.#endWait = ended
    void until?.then(ended)
    return promise
  }
}
