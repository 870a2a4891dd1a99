import { Emitter } from '../lib/emitter.ts'
import type { Random } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { Passthrough } from '../wire/control.ts'
import {
  AccountNotices,
  type AccountNoticesParts,
  LinkedAccounts,
  type LinkedAccountsParts,
} from './linked-accounts.ts'
import type { Enrolling, LinkAsk } from './control.ts'
import { anchorOf, dial, type DialFailure } from './dial.ts'
import type { Identity } from './identity.ts'
import { OpenStreams, Repeats } from './open-streams.ts'
import { PendingRequests, type PendingRequestsParts, settled } from './pending-requests.ts'
import { RivalGateways, type RivalGatewaysParts } from './rival-gateways.ts'
import type { PendingRequest, RelaySettings } from './settings-file.ts'
import { Slot, type Trouble } from './slot.ts'
import { Slots } from './slots.ts'
import { Tunnel, type TunnelParts, type TunnelState } from './tunnel.ts'
import { STREAMS_MAX } from '../wire/tunnel.ts'

export interface RelayLinkParts
  extends
    Pick<TunnelParts, 'streams' | 'hosted' | 'house'>,
    LinkedAccountsParts,
    Pick<PendingRequestsParts, 'unlinked'>,
    Pick<RivalGatewaysParts, 'epochs' | 'usurped'> {
  readonly serial: string
  /** The gateway's key, which is made when it is needed first; null where there is none, as the log tells. */
  readonly identity: () => Promise<Identity | null>
  /** Records news of linked accounts. */
  readonly notices: Pick<AccountNoticesParts, 'record' | 'tooMany'>
  /** This gateway leaves the relay to the other one. */
  readonly gaveWay: () => void
  readonly random: Random
}

/** The gateway's side of its relay: which one there is, the tunnels to it, and what administrators do about it. */
export class RelayLink {
  readonly #parts: RelayLinkParts
  readonly #changes: Emitter<void>
  readonly #repeats: Repeats
  readonly #open: OpenStreams
  readonly #accounts: LinkedAccounts
  readonly #notices: AccountNotices
  readonly #full: FullTunnels
  readonly #pending: PendingRequests
  readonly #slots: Slots
  readonly #rivals: RivalGateways
  #code: LinkAsk | null = null

  constructor(parts: RelayLinkParts) {
    this.#parts = parts
    this.#repeats = new Repeats(parts.clock)
    this.#open = new OpenStreams(parts.clock)
    this.#accounts = new LinkedAccounts(parts)
    this.#notices = new AccountNotices({
      ...parts.notices,
      accounts: () => parts.file.current?.accounts ?? [],
      clock: parts.clock,
    })
    this.#full = new FullTunnels(parts)
    this.#pending = new PendingRequests(parts)
    this.#rivals = new RivalGateways(parts)
    this.#slots = new Slots((slot) => this.#slot(slot))
    this.#changes = new Emitter((error) => parts.log.error({ err: error }, 'A listener of the relay failed.'))
  }

  /** Dials the relay that was connected last, if there is one. */
  start(): void {
    this.#rivals.begin()
    if (this.#parts.file.current !== null) this.#slots.start()
  }

  /** Resolves once every tunnel is over and the settings are stored. */
  async stop(): Promise<void> {
    await this.#slots.stop()
    await this.#parts.file.settled()
  }

  status(): RelayStatus {
    const { current } = this.#parts.file
    const tunnels = this.#slots.tunnels()
    return {
      serial: this.#parts.serial,
      state: current === null ? 'off' : stateOf(tunnels.map(({ tunnel }) => tunnel.state)),
      settings: current,
      passthrough: this.#parts.file.passthrough,
      gaveWay: this.#rivals.gaveWay,
      trouble: this.#rivals.gaveWay ? 'gave_way' : (this.#slots.first?.trouble ?? null),
      rivalAt: this.#rivals.lately,
      tunnels: tunnels.map(tunnelStatus),
      fullAt: this.#full.lately,
      pending: this.#parts.file.pending,
      code: this.#code !== null && this.#code.expiresAt > this.#parts.clock.now() ? this.#code : null,
    }
  }

  /**
   * Uses the relay at `url` from now on; with a fingerprint its own CA is trusted and nothing else. Without one the
   * relay of now keeps its CA. Answers when the relay has said whether the home is linked, or after a while. Nothing
   * changes where whoever asked may no more once it was reached, or where it cannot be stored and told.
   * @throws StorageUnavailable
   */
  async connect(
    url: string,
    fingerprint: string | null,
    { mayStill, record }: { readonly mayStill: () => boolean; readonly record: () => void },
  ): Promise<Result<RelayStatus, DialFailure | 'ended'>> {
    const { clock, file } = this.#parts
    const knownCa = file.current?.url === url ? file.current.ca : null
    const anchor = fingerprint === null ? ok(knownCa) : await anchorOf(url, fingerprint, clock)
    if (!anchor.ok) return anchor
    const tried = await dial({ url, ca: anchor.value }, this.#parts)
    if (!tried.ok) return fail(tried.error)
    tried.value.destroy()
    if (!mayStill()) return fail('ended')
    await file.replace((current) => {
      // Of the same relay they stay until it says which there are.
      const accounts = current?.url === url ? current.accounts : []
      const { passthrough, pending } = file
      const isPending = pending !== null && (pending.wish === 'unlink' || pending.url === url)
      const settings = { url, ca: anchor.value, accounts, passthrough, ...(isPending ? { pending } : {}) }
      if (current?.url !== url || current.rival === undefined) return settings
      return { ...settings, rival: { ...current.rival, gaveWay: false } }
    }, record)
    await this.stop()
    this.#code = null
    this.start()
    return ok(await this.#settled(({ state, code }) => state === 'linked' || code !== null))
  }

  /** Uses no relay from now on; key and mode stay, so that the same relay knows it again. @throws StorageUnavailable */
  async disconnect(told: () => void): Promise<RelayStatus> {
    await this.#parts.file.replace(() => null, told)
    await this.stop()
    this.#rivals.begin()
    this.#code = null
    return this.status()
  }

  /** Asks the relay for a code by which one more account is linked. @throws StorageUnavailable */
  async link(): Promise<RelayStatus> {
    const known = this.#code
    await this.#pending.ask('link', () => {})
    this.#renew()
    return this.#settled(({ code, pending }) => code !== null && code !== known && pending === null)
  }

  /**
   * Ends all access through the relay, and asks the relay to forget all accounts of this home: now, and with each
   * connection until it has. A gateway that gave way connects for this alone.
   * @throws StorageUnavailable
   */
  async unlink(told: () => void): Promise<RelayStatus> {
    await this.#pending.ask('unlink', told)
    this.#open.end()
    if (this.#slots.first === null) this.#slots.start()
    this.#renew()
    return this.#settled(({ pending }) => pending === null)
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
    for (const { tunnel } of this.#slots.tunnels()) tunnel.replace()
    return this.status()
  }

  /** The relay hears of a request by a new tunnel, which is dialled at once. */
  #renew(): void {
    this.#slots.first?.tunnel?.replace()
    this.#slots.first?.hurry()
  }

  #slot(slot: number): Slot {
    const { clock, random } = this.#parts
    return new Slot({ clock, random, open: () => this.#dial(slot), changed: () => this.#changes.emit() })
  }

  async #dial(slot: number): Promise<Result<Tunnel, Trouble>> {
    const { file, serial, identity } = this.#parts
    const settings = file.current
    if (settings === null) return fail('unreachable')
    const key = await identity()
    if (key === null) return fail('no_key')
    const dialled = await dial(settings, this.#parts)
    if (!dialled.ok) return dialled
    const wants = slot === 0 ? this.#pending.wish : null
    const epoch = await this.#rivals.nextEpoch()
    const greeting = { serial, slot, epoch, passthrough: this.#parts.file.passthrough, wants }
    const tunnel: Tunnel = new Tunnel({
      ...this.#parts,
      socket: dialled.value,
      identity: key,
      greeting,
      open: this.#open,
      repeats: this.#repeats,
      enrolling: {
        ...this.#enrolling(settings.url, wants),
        replaced: (by) => this.replaced(by, { slot, epoch, takeBack: () => tunnel.replace() }),
      },
      isWanted: (relay) => this.#slots.isWanted(slot, relay),
      passthrough: () => this.#parts.file.passthrough,
      isShut: () => this.#pending.isUnlinking,
      full: () => this.#full.full(slot),
    })
    if (!(await tunnel.opened)) return fail('not_welcome')
    this.#rivals.connected(tunnel, () => this.#renew())
    // Somebody asked for something while this one was dialled.
    if (slot === 0 && this.#pending.wish !== null && this.#pending.wish !== wants) tunnel.replace()
    if (this.#slots.opened(slot, tunnel)) return ok(tunnel)
    tunnel.destroy()
    return fail('not_welcome')
  }

  /** A tunnel of this number has taken the place of an own one. */
  replaced(by: number, own: { readonly slot: number; readonly epoch: number; readonly takeBack: () => void }): void {
    switch (this.#rivals.replaced(own.slot, own.epoch, by)) {
      case 'take_back':
        own.takeBack()
        break
      case 'give_way':
        this.#parts.gaveWay()
        this.#stayAway()
        break
      case 'stay_away':
        // The relay takes the request to unlink from it all the same.
        if (!this.#pending.isUnlinking) this.#stayAway()
        break
      case null:
    }
  }

  /** Leaves the relay to the other gateway. */
  #stayAway(): void {
    void this.stop()
    this.#changes.emit()
  }

  /** What the relay at `url` tells over a tunnel that asked for this. */
  #enrolling(url: string, wants: 'link' | 'unlink' | null): Omit<Enrolling, 'replaced'> {
    const confirmed = async (): Promise<void> => {
      await this.#pending.confirmed(url, wants)
      this.#changes.emit()
    }
    return {
      linkAsked: (code) => {
        this.#code = code
        this.#changes.emit()
        if (wants === 'link') void confirmed()
      },
      welcomed: async ({ accounts, linked }) => {
        if (await this.#accounts.welcomed(url, accounts)) this.#code = null
        if (wants === 'unlink' && !linked) {
          await confirmed()
          // A relay sends a code to a new tunnel of a home without accounts.
          if (this.#rivals.gaveWay) this.#stayAway()
          else this.#renew()
        }
        this.#changes.emit()
      },
      noticed: (news) => this.#notices.take(news),
    }
  }

  /** The status once the relay has answered, or has not for a while. */
  async #settled(isSettled: (status: RelayStatus) => boolean): Promise<RelayStatus> {
    await settled(this.#parts.clock, this.#changes, () => isSettled(this.status()))
    await this.#accounts.settled()
    return this.status()
  }
}

/** `off`: no relay is connected; `connecting`: there is no tunnel at present. */
export type RelayState = 'off' | 'connecting' | Exclude<TunnelState, 'opening'>

interface TunnelStatus {
  readonly slot: number
  readonly node: string
  readonly silentMs: number
  readonly streams: number
}

/** What administrators see of the relay. */
export interface RelayStatus {
  readonly serial: string
  readonly state: RelayState
  readonly settings: RelaySettings | null
  /** Also of the next relay, where none is connected. */
  readonly passthrough: Passthrough
  /** `gave_way`: another gateway with the same key serves the home, and this one dials no more. */
  readonly trouble: Trouble | 'gave_way' | null
  /** True while this gateway leaves the home to another one with the same key. */
  readonly gaveWay: boolean
  /** When another gateway with the same key was at the relay last, epoch ms, within a day; otherwise null. */
  readonly rivalAt: number | null
  readonly tunnels: readonly TunnelStatus[]
  /** When all places of a tunnel were taken last, epoch ms, within the last hour; otherwise null. */
  readonly fullAt: number | null
  /** What an administrator asked of a relay that has not confirmed it yet. */
  readonly pending: PendingRequest | null
  /** What the owner types on the relay's page, while it holds. */
  readonly code: LinkAsk | null
}

/** The best state of all tunnels. */
export function stateOf(states: readonly TunnelState[]): RelayState {
  if (states.includes('linked')) return 'linked'
  return states.includes('unlinked') ? 'unlinked' : 'connecting'
}

export function tunnelStatus({ slot, tunnel }: { readonly slot: number; readonly tunnel: Tunnel }): TunnelStatus {
  const { relay, silentMs, streams } = tunnel
  return { slot, node: relay?.node ?? '', silentMs: Math.round(silentMs), streams }
}

/** A full tunnel is logged once in this time. */
const LOGGED_EACH_MS = 60_000
/** Administrators see for this long that a tunnel was full. */
const SHOWN_MS = 60 * 60_000

/** Remembers when all places of a tunnel were taken: the relay refuses further requests then. */
export class FullTunnels {
  readonly #parts: Pick<RelayLinkParts, 'clock' | 'log'>
  #last: { readonly at: number; readonly monotonic: number } | null = null
  #loggedAt = -Infinity

  constructor(parts: Pick<RelayLinkParts, 'clock' | 'log'>) {
    this.#parts = parts
  }

  /** When a tunnel was full last, epoch ms; null if that is longer ago than `SHOWN_MS`. */
  get lately(): number | null {
    if (this.#last === null) return null
    return this.#parts.clock.monotonic() - this.#last.monotonic < SHOWN_MS ? this.#last.at : null
  }

  full(slot: number): void {
    const monotonic = this.#parts.clock.monotonic()
    this.#last = { at: this.#parts.clock.now(), monotonic }
    if (monotonic - this.#loggedAt < LOGGED_EACH_MS) return
    this.#loggedAt = monotonic
    this.#parts.log.warn(
      { slot, streams: STREAMS_MAX },
      'A connection to the relay is full: further requests are refused.',
    )
  }
}
