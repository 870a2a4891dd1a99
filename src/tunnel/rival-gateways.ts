import type { Epochs } from './epochs.ts'
import type { LinkedAccountsParts } from './linked-accounts.ts'
import type { RelaySettingsFile, Rival } from './settings-file.ts'
import type { Tunnel } from './tunnel.ts'

/** Takeovers of one slot after which another gateway counts as found. */
const TAKEOVERS_TO_FIND = 2
/**
 * Takeovers of one slot after which this gateway gives way. Both gateways count about the same number, so the one that
 * connected first reaches its limit first.
 */
const TAKEOVERS_TO_GIVE_WAY = { first: 3, newcomer: 4 }
/** A gateway is the newcomer if the takeovers begin within this time of its first connection. */
const NEWCOMER_MS = 10_000
/** A gateway that gave way serves again after so much time in which its tunnel met no other gateway. */
const UNOPPOSED_MS = 10_000
/** Takeovers are counted anew after so much time without one. */
const FORGOTTEN_MS = 30_000
/** Administrators of the serving gateway see for this long that another gateway was found. */
const SHOWN_MS = 24 * 60 * 60_000
/** Least time between writes that only change the time of the finding. */
const STORED_MS = 60_000
/** Lower than every epoch of `Epochs`: a tunnel with this epoch serves only while no other gateway does. */
const OLDEST_EPOCH = 0

/** Response to a takeover; `stay_away`: this gateway gave way before; null: the new tunnel is this gateway's. */
export type TakeoverResponse = 'take_back' | 'give_way' | 'stay_away' | null

export interface RivalGatewaysParts extends Pick<LinkedAccountsParts, 'clock' | 'log'> {
  readonly epochs: Pick<Epochs, 'next' | 'isOwn' | 'exceed'>
  /** Called for each takeover by a gateway that counts as found. */
  readonly onTakeover: () => void
  readonly file: Pick<RelaySettingsFile, 'current' | 'replace'>
}

/**
 * Finds a second gateway with a copy of this one's data folder. When a tunnel takes the place of an own one, the relay
 * reports the epoch of the new tunnel; an epoch that this gateway did not assign is another gateway's. Both gateways
 * take their place back until the one that connected first gives way. The settings file keeps the result over a
 * restart.
 */
export class RivalGateways {
  readonly #parts: RivalGatewaysParts
  readonly #takeovers = new Map<number, Set<number>>()
  #rival: Rival | null = null
  #takeoverAt = -Infinity
  #connectedAt: number | null = null
  #isNewcomer = false

  constructor(parts: RivalGatewaysParts) {
    this.#parts = parts
    this.load()
  }

  /** Reads the stored result, at the start and after an administrator changed the relay. */
  load(): void {
    this.#rival = this.#parts.file.current?.rival ?? null
    this.#connectedAt = null
    this.#takeovers.clear()
  }

  /** True while another gateway was left to serve. */
  get gaveWay(): boolean {
    return this.#rival?.gaveWay === true
  }

  /** Epoch ms at which another gateway was last found; null a day later, unless this gateway gave way. */
  get lastSeenAt(): number | null {
    if (this.#rival === null) return null
    const { at, gaveWay } = this.#rival
    return gaveWay || this.#parts.clock.now() - at < SHOWN_MS ? at : null
  }

  /** Epoch of the next tunnel. A gateway that gave way uses the lowest: it serves only if the other one is gone. */
  async nextEpoch(): Promise<number> {
    return this.gaveWay ? OLDEST_EPOCH : this.#parts.epochs.next()
  }

  /**
   * The relay accepted a tunnel. The relay reports another gateway at once: without such a report the other one is
   * gone, and a gateway that gave way serves again.
   * @param onServing called when this gateway serves again
   */
  handleConnected(tunnel: Pick<Tunnel, 'state' | 'closed'>, onServing: () => void): void {
    const { clock } = this.#parts
    this.#connectedAt ??= clock.monotonic()
    if (!this.gaveWay) return
    const cancel = clock.after(UNOPPOSED_MS, () => {
      if (this.#rival === null || !this.gaveWay || tunnel.state !== 'linked') return
      void this.#store({ ...this.#rival, gaveWay: false }).then(onServing)
    })
    void tunnel.closed.then(cancel)
  }

  /** Decides how to respond when a tunnel with the epoch `by` took the place of the own tunnel with the epoch `own`. */
  handleTakeover(slot: number, own: number, by: number): TakeoverResponse {
    const { epochs, clock, onTakeover } = this.#parts
    // Two gateways can assign the same epoch; one gateway never assigns it twice.
    if (epochs.isOwn(by) && by !== own) return null
    if (this.gaveWay) return 'stay_away'
    this.#count(slot, by)
    epochs.exceed(by)
    const takeovers = this.#takeovers.get(slot)?.size ?? 0
    if (takeovers < TAKEOVERS_TO_FIND) return 'take_back'
    const gaveWay = takeovers >= TAKEOVERS_TO_GIVE_WAY[this.#isNewcomer ? 'newcomer' : 'first']
    void this.#store({ at: clock.now(), gaveWay })
    onTakeover()
    if (!gaveWay) return 'take_back'
    this.#takeovers.clear()
    return 'give_way'
  }

  #count(slot: number, by: number): void {
    const now = this.#parts.clock.monotonic()
    if (now - this.#takeoverAt > FORGOTTEN_MS) this.#takeovers.clear()
    this.#takeoverAt = now
    if (this.#takeovers.size === 0) this.#isNewcomer = now - (this.#connectedAt ?? now) < NEWCOMER_MS
    this.#takeovers.set(slot, (this.#takeovers.get(slot) ?? new Set()).add(by))
  }

  async #store(rival: Rival): Promise<void> {
    const { file, log } = this.#parts
    const before = file.current?.rival ?? null
    this.#rival = rival
    if (before?.gaveWay === rival.gaveWay && Math.abs(rival.at - before.at) < STORED_MS) return
    try {
      await file.replace((current) => current && { ...current, rival })
    } catch (error) {
      log.error({ err: error }, 'The other gateway with a copy of this data folder could not be stored.')
    }
  }
}
