import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Result } from '../lib/result.ts'
import type { DialFailure } from './dial.ts'
import type { Tunnel, TunnelEnd } from './tunnel.ts'

/** The first wait is anything up to the one, later ones up to twice as much each, at most the other. */
const WAIT_MIN_MS = 500
const WAIT_MAX_MS = 50_000
/** A tunnel that lasted so long was sound: the next wait is a first one again. */
const SOUND_MS = 1_000
/** One that the relay itself wants another for has to last so long: else it could have the gateway dial on and on. */
const REPLACED_SOUND_MS = 10_000

/** Why there is no tunnel: no connection, no key to prove who the gateway is, or the relay did not welcome it. */
export type Trouble = DialFailure | 'no_key' | 'not_welcome'

export interface SlotParts {
  readonly clock: Clock
  readonly random: Random
  /** Dials, and answers with a tunnel whose relay has welcomed the gateway. */
  readonly open: () => Promise<Result<Tunnel, Trouble>>
  /** Something that an administrator is told has changed. */
  readonly changed: () => void
}

/**
 * Keeps one tunnel to the relay for ever: dials anew when it ends, after a random wait that grows, and opens the next
 * one before it gives up one that the relay wants to be rid of.
 */
export class Slot {
  readonly #parts: SlotParts
  readonly #stopped = new AbortController()
  #tunnel: Tunnel | null = null
  /** Another one has taken their place; requests that are under way may end. */
  readonly #retired = new Set<Tunnel>()
  #trouble: Trouble | null = null
  #cutShort: () => void = () => {}
  #tries = 0
  readonly #running: Promise<void>

  constructor(parts: SlotParts) {
    this.#parts = parts
    this.#running = this.#run()
  }

  get tunnel(): Tunnel | null {
    return this.#tunnel
  }

  /** What kept the last try from becoming a tunnel; null while there is one, or none was tried. */
  get trouble(): Trouble | null {
    return this.#trouble
  }

  /** Dials at once where it waits to dial anew. */
  hurry(): void {
    this.#tries = 0
    this.#cutShort()
  }

  /** Dials no more and lets what is open end, for `graceMs` at most. */
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
        this.#trouble = opened.error
        if (this.#tunnel?.isOpen === false) this.#tunnel = null
        this.#parts.changed()
        await this.#wait(this.#nextWaitMs())
      }
    }
  }

  async #serve(tunnel: Tunnel): Promise<void> {
    this.#retire()
    this.#tunnel = tunnel
    this.#trouble = null
    this.#parts.changed()
    const since = this.#parts.clock.monotonic()
    const end = await tunnel.over
    const waitMs = this.#waitMsAfter(end, this.#parts.clock.monotonic() - since)
    let isLost = end.kind === 'lost'
    // What the relay asked for spares the others; a tunnel that is lost meanwhile is a matter of its own.
    if (!isLost) {
      const lost = tunnel.closed.then(() => {
        isLost = true
      })
      await this.#wait(waitMs, lost)
    }
    if (!isLost) return
    this.#tunnel = null
    this.#parts.changed()
    await this.#wait(end.kind === 'lost' ? waitMs : this.#nextWaitMs())
  }

  #retire(): void {
    const tunnel = this.#tunnel
    if (tunnel === null) return
    this.#retired.add(tunnel)
    void tunnel.closed.then(() => this.#retired.delete(tunnel))
    tunnel.retire()
  }

  /** At least as long as the relay asked for; one that the gateway itself wants another for waits not at all. */
  #waitMsAfter({ kind, retryAfter }: TunnelEnd, lastedMs: number): number {
    const isAsked = kind === 'replace' && retryAfter !== null
    const isSound = lastedMs >= (isAsked ? REPLACED_SOUND_MS : SOUND_MS)
    if (isSound) this.#tries = 0
    const askedMs = (retryAfter ?? 0) * 1_000 * this.#chance()
    return kind === 'lost' || (isAsked && !isSound) ? Math.max(askedMs, this.#nextWaitMs()) : askedMs
  }

  /** Full jitter: gateways that lost a relay together do not come back together. */
  #nextWaitMs(): number {
    const most = Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** this.#tries)
    this.#tries = Math.min(this.#tries + 1, 16)
    return most * this.#chance()
  }

  #chance(): number {
    return this.#parts.random.bytes(4).readUInt32BE() / 2 ** 32
  }

  /** Until so much time has passed, the slot is stopped, or `cutShort` resolves. */
  #wait(ms: number, cutShort?: Promise<void>): Promise<void> {
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
    this.#cutShort = ended
    void cutShort?.then(ended)
    return promise
  }
}
