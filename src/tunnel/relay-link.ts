import { Emitter } from '../lib/emitter.ts'
import type { Random } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { PassthroughMode } from '../wire/relay-messages.ts'
import { AccountNotices, type AccountNoticesParts } from './account-notices.ts'
import { FullTunnels } from './full-tunnels.ts'
import { LinkedAccounts, type LinkedAccountsParts } from './linked-accounts.ts'
import type { LinkMessageHandler, LinkCode } from './control-streams.ts'
import { pinnedCertificate, dial, type DialFailure } from './dial.ts'
import type { GatewayIdentity } from './identity.ts'
import { DuplicateRequests } from './duplicate-requests.ts'
import { OpenStreams } from './open-streams.ts'
import { PendingRequests, type PendingRequestsParts, waitForRelay } from './pending-requests.ts'
import { RivalGateways, type RivalGatewaysParts } from './rival-gateways.ts'
import type { PendingRelayRequest, TunnelSettings } from './settings-file.ts'
import { PersistentTunnel, type TunnelFailure } from './persistent-tunnel.ts'
import { TunnelPlacement } from './tunnel-placement.ts'
import { Tunnel, type TunnelParts, type TunnelState } from './tunnel.ts'

export interface RelayLinkParts
  extends
    Pick<TunnelParts, 'streams' | 'hosted' | 'houseName'>,
    LinkedAccountsParts,
    Pick<PendingRequestsParts, 'recordUnlinked'>,
    Pick<RivalGatewaysParts, 'epochs' | 'onTakeover'> {
  readonly serial: string
  /** The gateway's key, created at the first use; null if that fails (logged). */
  readonly identity: () => Promise<GatewayIdentity | null>
  /** Records notices about linked accounts. */
  readonly notices: Pick<AccountNoticesParts, 'record' | 'recordOmitted'>
  /** Called when this gateway leaves the relay to another one with the same key. */
  readonly onGiveWay: () => void
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
  #code: LinkCode | null = null

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
    this.#placement = new TunnelPlacement((slot) => this.#makeTunnel(slot))
    this.#changes = new Emitter((error) => parts.log.error({ err: error }, 'A listener of the relay failed.'))
  }

  /** Dials the stored relay, if there is one. */
  start(): void {
    this.#rivals.load()
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
      state: current === null ? 'off' : bestState(tunnels.map(({ tunnel }) => tunnel.state)),
      settings: current,
      passthrough: this.#parts.file.passthrough,
      gaveWay: this.#rivals.gaveWay,
      trouble: this.#rivals.gaveWay ? 'gave_way' : (this.#placement.first?.failure ?? null),
      rivalAt: this.#rivals.lastSeenAt,
      tunnels: tunnels.map(tunnelStatus),
      fullAt: this.#full.lastFullAt,
      pending: this.#parts.file.pending,
      code: this.#code !== null && this.#code.expiresAt > this.#parts.clock.now() ? this.#code : null,
    }
  }

  /**
   * Switches to the relay at `url`. With a fingerprint only its own CA is trusted; without one the current relay keeps
   * its CA. Resolves when the relay has reported whether the home is linked, or after a timeout. Changes nothing if
   * `isStillAllowed` is false once the relay is reached (`ended`), or if the change cannot be stored and recorded.
   * @throws StorageUnavailable
   */
  async connect(
    url: string,
    fingerprint: string | null,
    { isStillAllowed, record }: { readonly isStillAllowed: () => boolean; readonly record: () => void },
  ): Promise<Result<RelayStatus, DialFailure | 'ended'>> {
    const { clock, file } = this.#parts
    const knownCa = file.current?.url === url ? file.current.ca : null
    const anchor = fingerprint === null ? ok(knownCa) : await pinnedCertificate(url, fingerprint, clock)
    if (!anchor.ok) return anchor
    const probe = await dial({ url, ca: anchor.value }, this.#parts)
    if (!probe.ok) return fail(probe.error)
    probe.value.destroy()
    if (!isStillAllowed()) return fail('ended')
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
    return ok(await this.#statusOnce(({ state, code }) => state === 'linked' || code !== null))
  }

  /**
   * Disconnects from the relay. Key and mode stay, so that the same relay recognises the gateway later.
   * @throws StorageUnavailable
   */
  async disconnect(record: () => void): Promise<RelayStatus> {
    await this.#parts.file.replace(() => null, record)
    await this.stop()
    this.#rivals.load()
    this.#code = null
    return this.status()
  }

  /** Requests a code from the relay to link another account. @throws StorageUnavailable */
  async link(): Promise<RelayStatus> {
    const earlierCode = this.#code
    await this.#pending.store('link', () => {})
    this.#replaceFirstTunnel()
    return this.#statusOnce(({ code, pending }) => code !== null && code !== earlierCode && pending === null)
  }

  /**
   * Ends all access through the relay, and asks the relay to unlink all accounts, on each connection until it has. A
   * gateway that gave way connects only for this.
   * @throws StorageUnavailable
   */
  async unlink(record: () => void): Promise<RelayStatus> {
    await this.#pending.store('unlink', record)
    this.#open.end()
    if (this.#placement.first === null) this.#placement.start()
    this.#replaceFirstTunnel()
    return this.#statusOnce(({ pending }) => pending === null)
  }

  /**
   * Sets whether clients reach the gateway's own TLS through the relay: not at all, in addition to requests that the
   * relay can read, or only so. Ends streams of a forbidden kind as soon as the mode is stored.
   * @throws StorageUnavailable if it cannot be stored; then no stream ends
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

  /** Replaces the first tunnel at once: the greeting of the new one carries the pending request. */
  #replaceFirstTunnel(): void {
    this.#placement.first?.tunnel?.replace()
    this.#placement.first?.dialNow()
  }

  #makeTunnel(slot: number): PersistentTunnel {
    const { clock, random } = this.#parts
    return new PersistentTunnel({ clock, random, open: () => this.#dial(slot), changed: () => this.#changes.emit() })
  }

  async #dial(slot: number): Promise<Result<Tunnel, TunnelFailure>> {
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
      linkMessages: {
        ...this.#linkMessages(settings.url, wants),
        onReplaced: (by) => this.handleTakeover(by, { slot, epoch, takeBack: () => tunnel.replace() }),
      },
      isUseful: (relay) => this.#placement.isUseful(slot, relay),
      passthrough: () => this.#parts.file.passthrough,
      isUnlinking: () => this.#pending.isUnlinking,
      onFull: () => this.#full.note(slot),
    })
    if (!(await tunnel.opened)) return fail('not_welcome')
    this.#rivals.handleConnected(tunnel, () => this.#replaceFirstTunnel())
    // An administrator made a request during the dialling.
    if (slot === 0 && this.#pending.wish !== null && this.#pending.wish !== wants) tunnel.replace()
    if (this.#placement.register(slot, tunnel)) return ok(tunnel)
    tunnel.destroy()
    return fail('not_welcome')
  }

  /** Reacts to a tunnel with the epoch `by` that took the place of an own one at the relay. */
  handleTakeover(
    by: number,
    own: { readonly slot: number; readonly epoch: number; readonly takeBack: () => void },
  ): void {
    switch (this.#rivals.handleTakeover(own.slot, own.epoch, by)) {
      case 'take_back':
        own.takeBack()
        break
      case 'give_way':
        this.#parts.onGiveWay()
        this.#disconnectForRival()
        break
      case 'stay_away':
        // The relay accepts a request to unlink from either gateway.
        if (!this.#pending.isUnlinking) this.#disconnectForRival()
        break
      case null:
    }
  }

  /** Closes the tunnels, because another gateway with the same key serves the home. */
  #disconnectForRival(): void {
    void this.stop()
    this.#changes.emit()
  }

  /** Handlers for messages of the relay at `url` on a tunnel whose greeting carried the request `wants`. */
  #linkMessages(url: string, wants: 'link' | 'unlink' | null): Omit<LinkMessageHandler, 'onReplaced'> {
    const confirmed = async (): Promise<void> => {
      await this.#pending.remove(url, wants)
      this.#changes.emit()
    }
    return {
      onLinkCode: (code) => {
        this.#code = code
        this.#changes.emit()
        if (wants === 'link') void confirmed()
      },
      onWelcome: async ({ accounts, linked }) => {
        if (await this.#accounts.welcomed(url, accounts)) this.#code = null
        if (wants === 'unlink' && !linked) {
          await confirmed()
          // A new tunnel gets a code, because the home has no accounts.
          if (this.#rivals.gaveWay) this.#disconnectForRival()
          else this.#replaceFirstTunnel()
        }
        this.#changes.emit()
      },
      onNotices: (list) => this.#notices.handle(list),
    }
  }

  /** The status once `isAnswered` is true of it, or after a timeout. */
  async #statusOnce(isAnswered: (status: RelayStatus) => boolean): Promise<RelayStatus> {
    await waitForRelay(this.#parts.clock, this.#changes, () => isAnswered(this.status()))
    await this.#accounts.settled()
    return this.status()
  }
}

/** `off`: no relay is connected; `connecting`: there is no tunnel at present. */
export type RelayState = 'off' | 'connecting' | Exclude<TunnelState, 'opening'>

interface TunnelStatus {
  /** 0 for the first tunnel, 1 for the second. */
  readonly slot: number
  readonly node: string
  /** Time since the relay's last sign of life. */
  readonly silentMs: number
  readonly streams: number
}

/** Status of the gateway's relay, for administrators. */
export interface RelayStatus {
  readonly serial: string
  readonly state: RelayState
  readonly settings: TunnelSettings | null
  /** Applies to the next relay if none is connected. */
  readonly passthrough: PassthroughMode
  /** `gave_way`: another gateway with the same key serves the home, and this one dials no more. */
  readonly trouble: TunnelFailure | 'gave_way' | null
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
  readonly code: LinkCode | null
}

/** The best state of all tunnels. */
export function bestState(states: readonly TunnelState[]): RelayState {
  if (states.includes('linked')) return 'linked'
  return states.includes('unlinked') ? 'unlinked' : 'connecting'
}

export function tunnelStatus({ slot, tunnel }: { readonly slot: number; readonly tunnel: Tunnel }): TunnelStatus {
  const { relay, silentMs, streams } = tunnel
  return { slot, node: relay?.node ?? '', silentMs: Math.round(silentMs), streams }
}
