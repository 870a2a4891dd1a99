import { Emitter } from '../lib/emitter.ts'
import type { Random } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { PassthroughMode } from '../wire/control.ts'
import {
  AccountNotices,
  type AccountNoticesParts,
  LinkedAccounts,
  type LinkedAccountsParts,
} from './linked-accounts.ts'
import type { LinkMessageHandler, LinkAsk } from './control.ts'
import { anchorOf, dial, type DialFailure } from './dial.ts'
import type { GatewayIdentity } from './identity.ts'
import { OpenStreams, DuplicateRequests } from './open-streams.ts'
import { PendingRequests, type PendingRequestsParts, relayAnswered } from './pending-requests.ts'
import { RivalGateways, type RivalGatewaysParts } from './rival-gateways.ts'
import type { PendingRelayRequest, TunnelSettings } from './settings-file.ts'
import { PersistentTunnel, type Trouble } from './persistent-tunnel.ts'
import { TunnelPlacement } from './tunnel-placement.ts'
import { Tunnel, type TunnelParts, type TunnelState } from './tunnel.ts'
import { STREAMS_MAX } from '../wire/tunnel.ts'

export interface RelayLinkParts
  extends
    Pick<TunnelParts, 'streams' | 'hosted' | 'house'>,
    LinkedAccountsParts,
    Pick<PendingRequestsParts, 'unlinked'>,
    Pick<RivalGatewaysParts, 'epochs' | 'usurped'> {
  readonly serial: string
  /** The gateway's key, created at the first use; null if that fails (logged). */
  readonly identity: () => Promise<GatewayIdentity | null>
  /** Records notices about linked accounts. */
  readonly notices: Pick<AccountNoticesParts, 'record' | 'tooMany'>
  /** Called when this gateway leaves the relay to the other one. */
  readonly gaveWay: () => void
  readonly random: Random
}

/** The gateway's relay: settings, tunnels and the commands of administrators. */
export class RelayLink {
  readonly #parts: RelayLinkParts
  readonly #changes: Emitter<void>
  readonly #duplicates: DuplicateRequests
  readonly #open: OpenStreams
  readonly #accounts: LinkedAccounts
  readonly #notices: AccountNotices
  readonly #full: FullTunnels
  readonly #pending: PendingRequests
  readonly #placement: TunnelPlacement
  readonly #rivals: RivalGateways
  #code: LinkAsk | null = null

  constructor(parts: RelayLinkParts) {
    this.#parts = parts
    this.#duplicates = new DuplicateRequests(parts.clock)
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
    this.#placement = new TunnelPlacement((slot) => this.#slot(slot))
    this.#changes = new Emitter((error) => parts.log.error({ err: error }, 'A listener of the relay failed.'))
  }

  /** Dials the stored relay, if there is one. */
  start(): void {
    this.#rivals.begin()
    if (this.#parts.file.current !== null) this.#placement.start()
  }

  /** Resolves once every tunnel is closed and the settings are stored. */
  async stop(): Promise<void> {
    await this.#placement.stop()
    await this.#parts.file.settled()
  }

  status(): RelayStatus {
    const { current } = this.#parts.file
    const tunnels = this.#placement.tunnels()
    return {
      serial: this.#parts.serial,
      state: current === null ? 'off' : stateOf(tunnels.map(({ tunnel }) => tunnel.state)),
      settings: current,
      passthrough: this.#parts.file.passthrough,
      gaveWay: this.#rivals.gaveWay,
      trouble: this.#rivals.gaveWay ? 'gave_way' : (this.#placement.first?.trouble ?? null),
      rivalAt: this.#rivals.lately,
      tunnels: tunnels.map(tunnelStatus),
      fullAt: this.#full.lately,
      pending: this.#parts.file.pending,
      code: this.#code !== null && this.#code.expiresAt > this.#parts.clock.now() ? this.#code : null,
    }
  }

  /**
   * Switches to the relay at `url`. With a fingerprint only its own CA is trusted; without one the current relay keeps
   * its CA. Resolves when the relay has reported whether the home is linked, or after a timeout. Changes nothing if
   * `mayStill` is false once the relay is reached, or if the change cannot be stored and recorded. @throws
   * StorageUnavailable
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
    const probe = await dial({ url, ca: anchor.value }, this.#parts)
    if (!probe.ok) return fail(probe.error)
    probe.value.destroy()
    if (!mayStill()) return fail('ended')
    await file.replace((current) => {
      // A known relay keeps its accounts until its next welcome.
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

  /**
   * Disconnects from the relay. Key and mode stay, so that the same relay recognises the gateway later. @throws
   * StorageUnavailable
   */
  async disconnect(record: () => void): Promise<RelayStatus> {
    await this.#parts.file.replace(() => null, record)
    await this.stop()
    this.#rivals.begin()
    this.#code = null
    return this.status()
  }

  /** Requests a code from the relay to link another account. @throws StorageUnavailable */
  async link(): Promise<RelayStatus> {
    const earlierCode = this.#code
    await this.#pending.ask('link', () => {})
    this.#renew()
    return this.#settled(({ code, pending }) => code !== null && code !== earlierCode && pending === null)
  }

  /**
   * Ends all access through the relay, and asks the relay to unlink all accounts, on each connection until it has. A
   * gateway that gave way connects only for this. @throws StorageUnavailable
   */
  async unlink(record: () => void): Promise<RelayStatus> {
    await this.#pending.ask('unlink', record)
    this.#open.end()
    if (this.#placement.first === null) this.#placement.start()
    this.#renew()
    return this.#settled(({ pending }) => pending === null)
  }

  /**
   * Sets whether clients reach the gateway's own TLS through the relay: not at all, in addition to requests that the
   * relay can read, or only so. Ends streams of a forbidden kind as soon as the mode is stored. @throws
   * StorageUnavailable if it cannot be stored; then no stream ends
   */
  async passthrough(mode: PassthroughMode, record: () => void): Promise<RelayStatus> {
    const { file } = this.#parts
    await file.replace((current) => current && { ...current, passthrough: mode }, record)
    const { api, mcp, tls } = this.#parts.streams
    if (mode === 'only') this.#open.end([api, mcp])
    if (mode === 'off') this.#open.end([tls])
    // The next tunnels report the mode to the relay.
    for (const { tunnel } of this.#placement.tunnels()) tunnel.replace()
    return this.status()
  }

  /** Dials a new tunnel at once, whose greeting carries the pending request. */
  #renew(): void {
    this.#placement.first?.tunnel?.replace()
    this.#placement.first?.hurry()
  }

  #slot(slot: number): PersistentTunnel {
    const { clock, random } = this.#parts
    return new PersistentTunnel({ clock, random, open: () => this.#dial(slot), changed: () => this.#changes.emit() })
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
      duplicates: this.#duplicates,
      enrolment: {
        ...this.#enrolment(settings.url, wants),
        replaced: (by) => this.replaced(by, { slot, epoch, takeBack: () => tunnel.replace() }),
      },
      isWanted: (relay) => this.#placement.isWanted(slot, relay),
      passthrough: () => this.#parts.file.passthrough,
      isShut: () => this.#pending.isUnlinking,
      full: () => this.#full.full(slot),
    })
    if (!(await tunnel.opened)) return fail('not_welcome')
    this.#rivals.connected(tunnel, () => this.#renew())
    // An administrator made a request during the dialling.
    if (slot === 0 && this.#pending.wish !== null && this.#pending.wish !== wants) tunnel.replace()
    if (this.#placement.opened(slot, tunnel)) return ok(tunnel)
    tunnel.destroy()
    return fail('not_welcome')
  }

  /** Reacts to a tunnel with the epoch `by` that replaced one of this gateway. */
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
        // The relay accepts a request to unlink from either gateway.
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

  /** Handlers of the relay's messages on a tunnel that sent `wants`. */
  #enrolment(url: string, wants: 'link' | 'unlink' | null): Omit<LinkMessageHandler, 'replaced'> {
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
          // A new tunnel gets a code, because the home has no accounts.
          if (this.#rivals.gaveWay) this.#stayAway()
          else this.#renew()
        }
        this.#changes.emit()
      },
      noticed: (news) => this.#notices.take(news),
    }
  }

  /** Status after the relay's response, or after a timeout. */
  async #settled(isSettled: (status: RelayStatus) => boolean): Promise<RelayStatus> {
    await relayAnswered(this.#parts.clock, this.#changes, () => isSettled(this.status()))
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

/** Status of the relay for administrators. */
export interface RelayStatus {
  readonly serial: string
  readonly state: RelayState
  readonly settings: TunnelSettings | null
  /** Applies to the next relay if none is connected. */
  readonly passthrough: PassthroughMode
  /** `gave_way`: another gateway with the same key serves the home, and this one dials no more. */
  readonly trouble: Trouble | 'gave_way' | null
  /** True while this gateway leaves the home to another one with the same key. */
  readonly gaveWay: boolean
  /** Epoch ms at which another gateway with the same key was last seen at the relay, within a day; otherwise null. */
  readonly rivalAt: number | null
  readonly tunnels: readonly TunnelStatus[]
  /** Epoch ms at which a tunnel was last full, within an hour; otherwise null. */
  readonly fullAt: number | null
  /** Request of an administrator that the relay has not confirmed. */
  readonly pending: PendingRelayRequest | null
  /** Valid code for the owner to type on the relay's page. */
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

/** Least time between log entries about full tunnels. */
const LOG_EVERY_MS = 60_000
/** Time for which administrators see that a tunnel was full. */
const SHOWN_MS = 60 * 60_000

/** Remembers when a tunnel was full: the relay then refuses further requests. */
export class FullTunnels {
  readonly #parts: Pick<RelayLinkParts, 'clock' | 'log'>
  #last: { readonly at: number; readonly monotonic: number } | null = null
  #loggedAt = -Infinity

  constructor(parts: Pick<RelayLinkParts, 'clock' | 'log'>) {
    this.#parts = parts
  }

  /** Epoch ms at which a tunnel was last full; null if that is longer ago than `SHOWN_MS`. */
  get lately(): number | null {
    if (this.#last === null) return null
    return this.#parts.clock.monotonic() - this.#last.monotonic < SHOWN_MS ? this.#last.at : null
  }

  full(slot: number): void {
    const monotonic = this.#parts.clock.monotonic()
    this.#last = { at: this.#parts.clock.now(), monotonic }
    if (monotonic - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = monotonic
    this.#parts.log.warn(
      { slot, streams: STREAMS_MAX },
      'A connection to the relay is full: further requests are refused.',
    )
  }
}
