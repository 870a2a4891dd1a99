import type { Clock } from '../lib/clock.ts'
import { Emitter } from '../lib/emitter.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { Passthrough } from '../wire/control.ts'
import type { HelloAsk, LinkAsk } from './control.ts'
import { anchorOf, dial, type DialFailure } from './dial.ts'
import type { Epochs } from './epochs.ts'
import type { Identity } from './identity.ts'
import { LinkedAccounts, type LinkedAccountsParts } from './linked-accounts.ts'
import { FullTunnels } from './full-tunnels.ts'
import { OpenStreams } from './open-streams.ts'
import { type RelayStatus, stateOf } from './relay-status.ts'
import { Repeats } from './repeats.ts'
import type { RelaySettingsFile } from './settings-file.ts'
import { Spread } from './spread.ts'
import { Slot, type Trouble } from './slot.ts'
import { Tunnel, type TunnelParts } from './tunnel.ts'

/** With two nodes or more a gateway keeps two tunnels, on different ones. */
const SLOTS = [0, 1] as const
/** How long an administrator's request waits for what the relay says to it. */
const SETTLE_MS = 15_000
/** How long requests under way may go on when the gateway stops. */
const STOP_MS = 1_000

export interface RelayLinkParts extends Pick<TunnelParts, 'streams' | 'hosted' | 'house'> {
  readonly serial: string
  readonly file: RelaySettingsFile
  /** The gateway's key, which is made when it is needed first; null where there is none, as the log tells. */
  readonly identity: () => Promise<Identity | null>
  /** The numbers that its tunnels go by. */
  readonly epochs: Pick<Epochs, 'next' | 'isOwn'>
  readonly enrolled: LinkedAccountsParts['enrolled']
  readonly unsettled: LinkedAccountsParts['unsettled']
  /** Somebody else has dialled with this gateway's key. */
  readonly usurped: () => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The gateway's side of its relay: which one there is, the tunnels to it, and what administrators do about it. */
export class RelayLink {
  readonly #parts: RelayLinkParts
  readonly #changes: Emitter<void>
  readonly #repeats: Repeats
  readonly #open: OpenStreams
  readonly #accounts: LinkedAccounts
  readonly #full: FullTunnels
  #slots: readonly (Slot | null)[] = []
  #spread = new Spread()
  #wants: 'link' | 'unlink' | null = null
  #code: LinkAsk | null = null

  constructor(parts: RelayLinkParts) {
    this.#parts = parts
    this.#repeats = new Repeats(parts.clock)
    this.#open = new OpenStreams(parts.clock)
    this.#accounts = new LinkedAccounts(parts)
    this.#full = new FullTunnels(parts)
    this.#changes = new Emitter((error) => parts.log.error({ err: error }, 'A listener of the relay failed.'))
  }

  /** Dials the relay that was connected last, if there is one. */
  start(): void {
    if (this.#parts.file.current !== null) this.#slots = SLOTS.map((slot) => (slot === 0 ? this.#slot(slot) : null))
  }

  async stop(): Promise<void> {
    const slots = this.#slots
    this.#slots = []
    this.#spread = new Spread()
    await Promise.all(slots.flatMap((slot) => slot?.stop(STOP_MS) ?? []))
  }

  status(): RelayStatus {
    const { current } = this.#parts.file
    const [first] = this.#slots
    const tunnels = this.#tunnels()
    return {
      serial: this.#parts.serial,
      state: current === null ? 'off' : stateOf(tunnels.map(({ tunnel }) => tunnel.state)),
      settings: current,
      passthrough: this.#passthrough(),
      trouble: first?.trouble ?? null,
      tunnels: tunnels.map(({ slot, tunnel }) => ({
        slot,
        node: tunnel.relay?.node ?? '',
        silentMs: Math.round(tunnel.silentMs),
        streams: tunnel.streams,
      })),
      fullAt: this.#full.lately,
      code: this.#code !== null && this.#code.expiresAt > this.#parts.clock.now() ? this.#code : null,
    }
  }

  /**
   * Uses the relay at `url` from now on; with a fingerprint its own CA is trusted and nothing else. Answers when the
   * relay has said whether the home is linked, or after `SETTLE_MS`. Nothing changes where whoever asked may no more
   * once it was reached, or where it cannot be stored and told.
   * @throws StorageUnavailable
   */
  async connect(
    url: string,
    fingerprint: string | null,
    { mayStill, told }: { readonly mayStill: () => boolean; readonly told: () => void },
  ): Promise<Result<RelayStatus, DialFailure | 'ended'>> {
    const { clock, file } = this.#parts
    const anchor = fingerprint === null ? ok(null) : await anchorOf(url, fingerprint, clock)
    if (!anchor.ok) return anchor
    const tried = await dial({ url, ca: anchor.value }, this.#parts)
    if (!tried.ok) return fail(tried.error)
    tried.value.destroy()
    if (!mayStill()) return fail('ended')
    await file.replace((current) => {
      // Of the same relay they stay until it says which there are.
      const accounts = current?.url === url ? current.accounts : []
      return { url, ca: anchor.value, accounts, passthrough: file.passthrough }
    }, told)
    await this.stop()
    this.#code = null
    this.start()
    return ok(await this.#settled(({ state, code }) => state === 'linked' || code !== null))
  }

  /** Uses no relay from now on; key and mode stay, so that the same relay knows it again. @throws StorageUnavailable */
  async disconnect(told: () => void): Promise<RelayStatus> {
    await this.#parts.file.replace(() => null, told)
    await this.stop()
    this.#code = null
    return this.status()
  }

  /** Asks the relay for a code by which one more account is linked. */
  async link(): Promise<RelayStatus> {
    const known = this.#code
    this.#ask('link')
    return this.#settled(({ code }) => code !== null && code !== known)
  }

  /** Asks the relay to forget all accounts of this home. */
  async unlink(): Promise<RelayStatus> {
    this.#ask('unlink')
    return this.#settled(({ state }) => state === 'unlinked')
  }

  /**
   * Says whether clients reach the gateway's own TLS through the relay, beside requests that the relay can read or in
   * no other way. What does not fit ends as soon as that is stored.
   * @throws StorageUnavailable where it cannot be; nothing ends then.
   */
  async passthrough(mode: Passthrough, told: () => void): Promise<RelayStatus> {
    const { file } = this.#parts
    await file.replace((current) => current && { ...current, passthrough: mode }, told)
    const { api, mcp, tls } = this.#parts.streams
    if (mode === 'only') this.#open.end([api, mcp])
    if (mode === 'off') this.#open.end([tls])
    // The relay is told by the next ones.
    for (const { tunnel } of this.#tunnels()) tunnel.replace()
    return this.status()
  }

  #passthrough(): Passthrough {
    return this.#parts.file.passthrough
  }

  #ask(wants: 'link' | 'unlink'): void {
    this.#wants = wants
    for (const { slot, tunnel } of this.#tunnels()) if (slot === 0) tunnel.replace()
  }

  #tunnels(): readonly { readonly slot: number; readonly tunnel: Tunnel }[] {
    return this.#slots.flatMap((each, slot) => {
      const tunnel = each?.tunnel ?? null
      return tunnel === null ? [] : [{ slot, tunnel }]
    })
  }

  #slot(slot: number): Slot {
    const { clock, random } = this.#parts
    return new Slot({ clock, random, open: () => this.#dial(slot), changed: () => this.#changes.emit() })
  }

  async #dial(slot: number): Promise<Result<Tunnel, Trouble>> {
    const { file, serial, identity, epochs } = this.#parts
    const settings = file.current
    if (settings === null) return fail('unreachable')
    const key = await identity()
    if (key === null) return fail('no_key')
    const dialled = await dial(settings, this.#parts)
    if (!dialled.ok) return dialled
    const wants = slot === 0 ? this.#wants : null
    const epoch = await epochs.next()
    const greeting = { serial, slot, epoch, passthrough: this.#passthrough(), wants }
    const tunnel = new Tunnel({
      ...this.#parts,
      socket: dialled.value,
      identity: key,
      greeting,
      open: this.#open,
      repeats: this.#repeats,
      enrolling: this.#enrolling(settings.url),
      isWanted: (relay) => this.#isWanted(slot, relay),
      passthrough: () => this.#passthrough(),
      full: () => this.#full.full(slot),
    })
    if (!(await tunnel.opened)) return fail('not_welcome')
    if (wants === this.#wants) this.#wants = null
    if (slot === 0) this.#firstOpened(tunnel)
    else if (!this.#spread.secondOpened(tunnel)) {
      tunnel.destroy()
      return fail('not_welcome')
    }
    return ok(tunnel)
  }

  #isWanted(slot: number, relay: HelloAsk): boolean {
    if (slot > 0 && this.#spread.isAlone(relay)) this.#endSecond()
    return this.#spread.isWanted(slot, relay)
  }

  #firstOpened(tunnel: Tunnel): void {
    const [first, second] = this.#slots
    if (!first) return
    switch (this.#spread.firstOpened(tunnel, Boolean(second))) {
      case 'open':
        this.#slots = [first, this.#slot(1)]
        break
      case 'move':
        second?.tunnel?.replace()
        break
      case 'end':
        this.#endSecond()
        break
      case null:
    }
  }

  #endSecond(): void {
    const [first, second] = this.#slots
    if (!first || !second) return
    this.#slots = [first, null]
    void second.stop(STOP_MS)
  }

  /** The relay sent a code for the owner. */
  linkAsked(code: LinkAsk): void {
    this.#code = code
    this.#changes.emit()
  }

  replaced(epoch: number): void {
    if (!this.#parts.epochs.isOwn(epoch)) this.#parts.usurped()
  }

  /** What the relay at `url` tells. */
  #enrolling(url: string): TunnelParts['enrolling'] {
    return {
      linkAsked: (code) => this.linkAsked(code),
      welcomed: async (accounts) => {
        if (await this.#accounts.welcomed(url, accounts)) this.#code = null
        this.#changes.emit()
      },
      replaced: (epoch) => this.replaced(epoch),
    }
  }

  /** What there is when the relay has answered, or has not for so long. */
  #settled(isSettled: (status: RelayStatus) => boolean): Promise<RelayStatus> {
    const { promise, resolve } = Promise.withResolvers<RelayStatus>()
    const look = (isLate: boolean): void => {
      if (!isLate && !isSettled(this.status())) return
      cancel()
      forget()
      resolve(this.#accounts.settled().then(() => this.status()))
    }
    const cancel = this.#parts.clock.after(SETTLE_MS, () => look(true))
    const forget = this.#changes.on(() => look(false))
    look(false)
    return promise
  }
}
