import type { TLSSocket } from 'node:tls'
import type { BucketOptions } from '@hm-gateway/lib/token-bucket.ts'
import { drain, link, welcome } from '@hm-gateway/wire/relay-messages.ts'
import { OPENING_MS, RETIRED_MS, UNLINKED_END_MS } from '@hm-gateway/wire/tunnel.ts'
import type { Enrolment, LinkChange } from '../enrolment/enrolment.ts'
import { type PendingNotices, deliverNotices } from './deliver-notices.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import { type LocalTunnel, type LocalDirectory, compareAge, type RemoteTunnel } from './directory.ts'
import { handshakeLimit } from './handshake-limit.ts'
import { peerOf } from '../limits/connections.ts'
import { FairShares } from '../limits/fair-shares.ts'
import { TunnelSession, type TunnelCloseReason } from './tunnel-session.ts'
import { authenticateGateway, type GatewayHello } from './authenticate-gateway.ts'
import { GatewayTunnel } from './gateway-tunnel.ts'
import { admitUnlinked, UNLINKED_MS } from './unlinked-tunnels.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Gateways reconnect within this time when a node stops. */
const DRAIN_SECONDS = 30
/** Retry interval while the store is unavailable. */
const STORE_RETRY_MS = 5_000

export interface TunnelsParts extends Pick<RelayParts, 'origin' | 'clock' | 'random' | 'log' | 'metrics'> {
  readonly directory: LocalDirectory
  readonly enrolment: Pick<Enrolment, 'standing' | 'accountsOf' | 'begin' | 'markServed' | 'unlinkAll'>
  readonly notices: PendingNotices
  /** Name of this node. */
  readonly node: string
  /** Number of nodes of the relay. */
  readonly nodes: () => number
  /** Resolves when the other nodes can find all gateways of this node. */
  readonly announced: () => Promise<void>
  /** For tests only. */
  readonly limits?: { readonly handshakesOfAddress: BucketOptions; readonly unlinkedMax?: number }
}

/**
 * The tunnels of this node. Authenticates each new gateway, sends it a welcome message with its linked accounts, and
 * puts linked gateways into the directory, so that clients' requests reach them.
 */
export class Tunnels {
  readonly #parts: TunnelsParts
  readonly #admitHandshake: ReturnType<typeof handshakeLimit>
  /** Authenticated tunnels by serial. */
  readonly #tunnels = new Map<string, Set<GatewayTunnel>>()
  readonly #unlinked = new FairShares<GatewayTunnel>()
  #lastCheck = Promise.resolve()
  #isDraining = false

  constructor(parts: TunnelsParts) {
    this.#parts = parts
    this.#admitHandshake = handshakeLimit(parts.clock, parts.limits?.handshakesOfAddress)
  }

  /** Takes over a TLS connection whose client has chosen the protocol of tunnels. */
  accept(socket: TLSSocket): void {
    const { clock, log, metrics } = this.#parts
    const peer = peerOf({ socket })
    if (this.#isDraining || !this.#admitHandshake(peer)) {
      metrics.handshakes.add({ outcome: 'limited' })
      return void socket.destroy()
    }
    let tunnel: GatewayTunnel | null = null
    const session = new TunnelSession({
      socket,
      clock,
      log,
      onClose: (reason) => {
        cancelTimeout()
        if (tunnel !== null) this.#forget(tunnel, reason)
      },
      onExhausted: () => void tunnel?.send('/drain', drain, { retryAfter: 0 }),
      onQuotaExhausted: (quota) => tunnel?.warnFull(quota, log),
    })
    const cancelTimeout = clock.after(OPENING_MS, () => {
      if (tunnel === null) session.destroy()
    })
    this.#authenticate(session, peer, (authenticated) => {
      tunnel = authenticated
    }).catch((error: unknown) => {
      log.warn({ err: error }, 'A tunnel could not be opened.')
      session.destroy()
    })
  }

  /** Sends a gateway its linked accounts again after one was linked or unlinked. */
  linkChanged({ gateway }: Pick<LinkChange, 'gateway'>): void {
    for (const tunnel of this.#tunnels.get(gateway) ?? []) void this.#queueWelcome(tunnel)
  }

  /**
   * Handles another node's announcement of a tunnel. Retires the local tunnel of the same slot and key if it is older,
   * and returns it if it is newer. Local tunnels with another key are checked against the store.
   */
  resolveConflict(gateway: string, remote: RemoteTunnel): LocalTunnel | null {
    const { directory } = this.#parts
    const { slot, epoch, publicKey } = remote
    this.#recheckOtherKeys(gateway, publicKey)
    const rival = directory.tunnelsOf(gateway).find((local) => local.slot === slot && local.publicKey === publicKey)
    const order = rival === undefined ? 0 : compareAge(rival, remote)
    if (rival === undefined || order === 0) return null
    if (order > 0) return rival
    directory.remove(rival)
    this.#retire(rival, epoch)
    return null
  }

  /** Makes linked gateways reconnect after a second node was found: each then keeps tunnels at two nodes. */
  rebalance(): void {
    for (const tunnel of this.#all())
      if (tunnel.isLinked) void tunnel.send('/drain', drain, { retryAfter: DRAIN_SECONDS })
  }

  /** Reads the links of all homes again, because messages sent while the bus was unavailable are lost. */
  recheckLinks(): void {
    this.#lastCheck = this.#lastCheck
      .then(() => this.#recheckLinks())
      .catch((error: unknown) => {
        this.#parts.log.debug({ err: error }, 'The links of homes could not be read. The relay tries again.')
        this.#parts.clock.after(STORE_RETRY_MS, () => this.recheckLinks())
      })
  }

  /** Resolves when every gateway has received its latest welcome message and the other nodes can find it. */
  async settled(): Promise<void> {
    await Promise.all(this.#all().map(({ lastWelcome }) => lastWelcome))
    await this.#parts.announced()
  }

  /**
   * Makes all gateways reconnect within `DRAIN_SECONDS`. If there are other nodes, the tunnels here serve until then.
   * Open streams may finish.
   */
  async drain(): Promise<void> {
    const { clock, directory, nodes } = this.#parts
    this.#isDraining = true
    await Promise.all(
      this.#all().map(async (tunnel) => {
        const retire = (): void => {
          directory.remove(tunnel)
          tunnel.session.retire(RETIRED_MS)
        }
        await tunnel.send('/drain', drain, { retryAfter: DRAIN_SECONDS })
        if (nodes() > 1) clock.after(DRAIN_SECONDS * 1_000, retire)
        else retire()
      }),
    )
  }

  /** Ends every tunnel immediately. */
  stop(): void {
    this.#isDraining = true
    for (const tunnel of this.#all()) tunnel.destroy()
  }

  /** Numbers of authenticated tunnels and of their open streams. */
  counts(): { readonly linked: number; readonly unlinked: number; readonly streams: number } {
    const all = this.#all()
    const streams = all.reduce((sum, { session }) => sum + session.streams, 0)
    const linked = all.filter(({ isLinked }) => isLinked).length
    return { linked, unlinked: all.length - linked, streams }
  }

  async #recheckLinks(): Promise<void> {
    for (const tunnel of this.#all()) {
      if (!tunnel.isOpen) continue
      const isLinked = (await this.#parts.enrolment.standing(tunnel.serial, tunnel.publicKey)) === 'linked'
      if (isLinked !== tunnel.isLinked) await this.#queueWelcome(tunnel)
    }
  }

  #all(): readonly GatewayTunnel[] {
    return [...this.#tunnels.values()].flatMap((tunnels) => [...tunnels])
  }

  async #authenticate(
    session: TunnelSession,
    peer: string,
    onAuthenticated: (tunnel: GatewayTunnel) => void,
  ): Promise<void> {
    const { node, nodes, origin, enrolment, random, clock, log, metrics } = this.#parts
    const hello = await authenticateGateway(session, { node, nodes: nodes(), origin }, { clock, random })
    metrics.handshakes.add({ outcome: hello.ok ? 'proved' : 'refused' })
    if (!hello.ok) {
      log.debug({ failure: hello.error }, 'A tunnel was refused.')
      return session.destroy()
    }
    const tunnel = new GatewayTunnel({ session, hello: hello.value, node, peer, enrolment, clock })
    if (!session.isOpen) return
    onAuthenticated(tunnel)
    const known = this.#tunnels.get(tunnel.serial) ?? new Set()
    this.#tunnels.set(tunnel.serial, known.add(tunnel))
    this.#unlinked.add(tunnel, tunnel.peer)
    await this.#greet(tunnel, hello.value)
  }

  /** Sends the welcome message, and a link code if the home has no account or its administrator asked for one. */
  async #greet(tunnel: GatewayTunnel, { wants }: GatewayHello): Promise<void> {
    const { enrolment, log } = this.#parts
    const { serial, publicKey } = tunnel
    await this.#queueWelcome(tunnel)
    const { isLinked, slot } = tunnel
    log.info({ serial, slot, linked: isLinked }, 'A gateway is connected.')
    if (wants === 'unlink' && isLinked) await enrolment.unlinkAll(serial)
    if (!isLinked) {
      if (!admitUnlinked(this.#unlinked, tunnel, this.#parts.limits?.unlinkedMax)) return
      tunnel.endAfter(UNLINKED_MS)
    }
    if (wants === 'link' || !isLinked) await tunnel.send('/link', link, await enrolment.begin(serial, publicKey))
  }

  /** Sends a welcome message after the previous one was received. */
  #queueWelcome(tunnel: GatewayTunnel): Promise<void> {
    tunnel.lastWelcome = tunnel.lastWelcome
      .then(() => this.#welcome(tunnel))
      .catch((error: unknown) => this.#welcomeFailed(tunnel, error))
    return tunnel.lastWelcome
  }

  /** A linked home stays linked while the store is unavailable. */
  #welcomeFailed(tunnel: GatewayTunnel, error: unknown): void {
    const { clock, log } = this.#parts
    log.warn({ err: error }, 'A gateway could not be told its linked accounts.')
    if (!tunnel.isLinked || !(error instanceof RelayUnavailable)) return tunnel.destroy()
    clock.after(STORE_RETRY_MS, () => {
      if (this.#isConnected(tunnel)) void this.#queueWelcome(tunnel)
    })
  }

  /**
   * Tells the gateway its accounts. A newly linked home becomes reachable after it knows, an unlinked one not before.
   */
  async #welcome(tunnel: GatewayTunnel): Promise<void> {
    const { enrolment } = this.#parts
    const { serial, publicKey } = tunnel
    const isLinked = (await enrolment.standing(serial, publicKey)) === 'linked'
    if (!this.#isConnected(tunnel)) return
    if (!isLinked && tunnel.isLinked) this.#markUnlinked(tunnel)
    // A retired tunnel takes no messages.
    if (!tunnel.isOpen) return
    const accounts = isLinked ? await enrolment.accountsOf(serial) : []
    const isWelcomed = await tunnel.send('/welcome', welcome, { linked: isLinked, accounts, retryAfter: null })
    if (isWelcomed && isLinked && !tunnel.isLinked && this.#isConnected(tunnel)) this.#markLinked(tunnel)
    if (isWelcomed && isLinked) await deliverNotices(tunnel, accounts, this.#parts.notices)
  }

  #isConnected(tunnel: GatewayTunnel): boolean {
    return this.#tunnels.get(tunnel.serial)?.has(tunnel) === true
  }

  #markLinked(tunnel: GatewayTunnel): void {
    const { directory } = this.#parts
    tunnel.isLinked = true
    tunnel.cancelEnd()
    this.#unlinked.delete(tunnel)
    const { serial, slot, publicKey } = tunnel
    const rivals = directory.tunnelsOf(serial).filter((local) => local.slot === slot && local.publicKey === publicKey)
    if (!directory.add(tunnel)) {
      const newest = Math.max(...rivals.map(({ epoch }) => epoch))
      return void tunnel.notifyReplaced(newest).finally(() => tunnel.destroy())
    }
    for (const older of rivals) this.#retire(older, tunnel.epoch)
    // The valid key of the gateway may have changed since this tunnel was checked.
    if (this.#recheckOtherKeys(serial, publicKey)) void this.#queueWelcome(tunnel)
  }

  /** Checks linked tunnels of this gateway with another key against the store; returns whether there are any. */
  #recheckOtherKeys(serial: string, publicKey: string | null): boolean {
    const tunnels = [...(this.#tunnels.get(serial) ?? [])]
    const withOtherKey = tunnels.filter((tunnel) => tunnel.isLinked && tunnel.publicKey !== publicKey)
    for (const tunnel of withOtherKey) void this.#queueWelcome(tunnel)
    return withOtherKey.length > 0
  }

  /** The gateway closes its streams itself; the relay resets the rest after `UNLINKED_END_MS`. */
  #markUnlinked(tunnel: GatewayTunnel): void {
    const { clock, directory } = this.#parts
    tunnel.isLinked = false
    this.#unlinked.add(tunnel, tunnel.peer)
    directory.remove(tunnel)
    clock.after(UNLINKED_END_MS, () => tunnel.session.resetStreams())
    tunnel.endAfter(UNLINKED_MS)
  }

  /** The gateway closes a replaced tunnel itself after its last stream; the relay does so after `RETIRED_MS`. */
  #retire(tunnel: LocalTunnel, epoch: number): void {
    void tunnel.notifyReplaced(epoch)
    this.#parts.clock.after(RETIRED_MS, () => tunnel.destroy())
  }

  #forget(tunnel: GatewayTunnel, reason: TunnelCloseReason): void {
    const { clock, log, metrics } = this.#parts
    const { serial, slot, connectedAt } = tunnel
    const known = this.#tunnels.get(serial)
    if (known?.delete(tunnel) !== true) return
    tunnel.cancelEnd()
    metrics.tunnelsEnded.add({ reason })
    const seconds = Math.round((clock.monotonic() - connectedAt) / 1_000)
    log.info({ serial, slot, reason, seconds }, 'A gateway has disconnected.')
    if (known.size === 0) this.#tunnels.delete(serial)
    this.#unlinked.delete(tunnel)
    this.#parts.directory.remove(tunnel)
  }
}
