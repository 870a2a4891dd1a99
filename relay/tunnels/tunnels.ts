import type { TLSSocket } from 'node:tls'
import type { BucketOptions } from '@hm-gateway/lib/token-bucket.ts'
import { drain, link, welcome } from '@hm-gateway/wire/control.ts'
import { OPENING_MS, RETIRED_MS, UNLINKED_END_MS } from '@hm-gateway/wire/tunnel.ts'
import type { Enrolment, LinkChange } from '../enrolment/enrolment.ts'
import { type DeliveredNotices, deliverNotices } from './deliver-notices.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import { type HeldLine, type LocalDirectory, orderOf, type UpLine } from './directory.ts'
import { handshakes } from './handshakes.ts'
import { peerOf } from '../limits/connections.ts'
import { FairPlaces } from '../limits/fair-places.ts'
import { HeldTunnel, type TunnelEnd } from './held-tunnel.ts'
import { greet, type Hello } from './proof.ts'
import { ProvedTunnel } from './proved-tunnel.ts'
import { keepsUnlinked, UNLINKED_MS } from './unlinked-tunnels.ts'
import type { RelayParts } from '../store/parts.ts'

/** Gateways that a stopping node sends away come back within this time. */
const DRAIN_SECONDS = 30
/** After the store did not answer. */
const CHECK_AGAIN_MS = 5_000

export interface TunnelsParts extends Pick<RelayParts, 'origin' | 'clock' | 'random' | 'log' | 'metrics'> {
  readonly directory: LocalDirectory
  readonly enrolment: Pick<Enrolment, 'standing' | 'accountsOf' | 'begin' | 'served' | 'unlinkAll'>
  readonly notices: DeliveredNotices
  /** This node's name, and how many nodes the relay has now. */
  readonly node: string
  readonly nodes: () => number
  /** Resolves when other nodes find every gateway that is held here. */
  readonly announced: () => Promise<void>
  /** For tests; otherwise those of `handshakes` and `keepsUnlinked`. */
  readonly limits?: { readonly handshakesOfAddress: BucketOptions; readonly unlinkedMax?: number }
}

/** Holds the tunnels of gateways: lets them in, knows which are linked, and tells them what concerns them. */
export class Tunnels {
  readonly #parts: TunnelsParts
  readonly #mayBegin: ReturnType<typeof handshakes>
  readonly #proved = new Map<string, Set<ProvedTunnel>>()
  /** The tunnels that are not linked; their addresses share the places. */
  readonly #unlinked = new FairPlaces<ProvedTunnel>()
  #checking = Promise.resolve()
  #draining = false

  constructor(parts: TunnelsParts) {
    this.#parts = parts
    this.#mayBegin = handshakes(parts.clock, parts.limits?.handshakesOfAddress)
  }

  /** Takes over the TLS connection of somebody who speaks the tunnel's protocol. */
  accept(socket: TLSSocket): void {
    const { clock, log, metrics } = this.#parts
    const peer = peerOf({ socket })
    if (this.#draining || !this.#mayBegin(peer)) {
      metrics.handshakes.add({ outcome: 'limited' })
      return void socket.destroy()
    }
    let proved: ProvedTunnel | null = null
    const tunnel = new HeldTunnel({
      socket,
      clock,
      log,
      closed: (reason) => {
        late()
        if (proved !== null) this.#forget(proved, reason)
      },
      worn: () => void proved?.tell('/drain', drain, { retryAfter: 0 }),
      full: (places) => proved?.full(places, log),
    })
    const late = clock.after(OPENING_MS, () => {
      if (proved === null) tunnel.destroy()
    })
    this.#open(tunnel, peer, (given) => {
      proved = given
    }).catch((error: unknown) => {
      log.warn({ err: error }, 'A tunnel could not be opened.')
      tunnel.destroy()
    })
  }

  /** Somebody linked an account to a home, or took it away: its gateway is told whose it is now. */
  linkChanged({ gateway }: Pick<LinkChange, 'gateway'>): void {
    for (const each of this.#proved.get(gateway) ?? []) void this.#welcomeNext(each)
  }

  /**
   * Another node has a tunnel of this gateway, of this slot, epoch and key: an older one here is given up. Answers the
   * one here where it is the younger. Of another key, or one that was not told, neither is: those here are held
   * against the store.
   */
  outdated(gateway: string, line: UpLine): HeldLine | null {
    const { directory } = this.#parts
    const { slot, epoch, publicKey } = line
    this.#judgeOthers(gateway, publicKey)
    const rival = directory.of(gateway).find((each) => each.slot === slot && each.publicKey === publicKey)
    const order = rival === undefined ? 0 : orderOf(rival, line)
    if (rival === undefined || order === 0) return null
    if (order > 0) return rival
    directory.remove(rival)
    this.#retire(rival, epoch)
    return null
  }

  /** There are several nodes now, or again: gateways dial anew, and then keep two tunnels. */
  spread(): void {
    for (const each of this.#all()) if (each.isLinked) void each.tell('/drain', drain, { retryAfter: DRAIN_SECONDS })
  }

  /** Looks whose each home is now: what was told while the bus was away was not heard. */
  checkAll(): void {
    this.#checking = this.#checking
      .then(() => this.#checkAll())
      .catch((error: unknown) => {
        this.#parts.log.debug({ err: error }, 'Whose homes are now cannot be known yet.')
        this.#parts.clock.after(CHECK_AGAIN_MS, () => this.checkAll())
      })
  }

  /** Resolves when every change so far was told, and other nodes find what is held here. */
  async settled(): Promise<void> {
    await Promise.all(this.#all().map(({ told }) => told))
    await this.#parts.announced()
  }

  /**
   * Sends every gateway away, to come back at some time within `DRAIN_SECONDS`. Where there are other nodes it is
   * reached here until it is there; what is under way may end.
   */
  async drain(): Promise<void> {
    const { clock, directory, nodes } = this.#parts
    this.#draining = true
    await Promise.all(
      this.#all().map(async (each) => {
        const left = (): void => {
          directory.remove(each)
          each.tunnel.retire(RETIRED_MS)
        }
        await each.tell('/drain', drain, { retryAfter: DRAIN_SECONDS })
        if (nodes() > 1) clock.after(DRAIN_SECONDS * 1_000, left)
        else left()
      }),
    )
  }

  /** Ends every tunnel at once. */
  stop(): void {
    this.#draining = true
    for (const { tunnel } of this.#all()) tunnel.destroy()
  }

  /** Of tunnels whose gateways have proved themselves. */
  counts(): { readonly linked: number; readonly unlinked: number; readonly streams: number } {
    const all = this.#all()
    const streams = all.reduce((sum, { tunnel }) => sum + tunnel.streams, 0)
    const linked = all.filter(({ isLinked }) => isLinked).length
    return { linked, unlinked: all.length - linked, streams }
  }

  async #checkAll(): Promise<void> {
    for (const each of this.#all()) {
      if (!each.tunnel.isOpen) continue
      const isLinked = (await this.#parts.enrolment.standing(each.serial, each.publicKey)) === 'linked'
      if (isLinked !== each.isLinked) await this.#welcomeNext(each)
    }
  }

  #all(): readonly ProvedTunnel[] {
    return [...this.#proved.values()].flatMap((each) => [...each])
  }

  async #open(tunnel: HeldTunnel, peer: string, isProvedAs: (proved: ProvedTunnel) => void): Promise<void> {
    const { node, nodes, origin, enrolment, random, clock, log, metrics } = this.#parts
    const greeted = await greet(tunnel, { node, nodes: nodes(), origin }, { clock, random })
    metrics.handshakes.add({ outcome: greeted.ok ? 'proved' : 'refused' })
    if (!greeted.ok) {
      log.debug({ failure: greeted.error }, 'A tunnel was refused.')
      return tunnel.destroy()
    }
    const proved = new ProvedTunnel({ tunnel, hello: greeted.value, node, peer, enrolment, clock })
    if (!tunnel.isOpen) return
    isProvedAs(proved)
    const known = this.#proved.get(proved.serial) ?? new Set()
    this.#proved.set(proved.serial, known.add(proved))
    this.#unlinked.add(proved, proved.peer)
    await this.#enrol(proved, greeted.value)
  }

  async #enrol(proved: ProvedTunnel, { wants }: Hello): Promise<void> {
    const { enrolment, log } = this.#parts
    const { serial, publicKey } = proved
    await this.#welcomeNext(proved)
    const { isLinked, slot } = proved
    log.info({ serial, slot, linked: isLinked }, 'A gateway is connected.')
    if (wants === 'unlink' && isLinked) await enrolment.unlinkAll(serial)
    if (!isLinked) {
      if (!keepsUnlinked(this.#unlinked, proved, this.#parts.limits?.unlinkedMax)) return
      proved.endAfter(UNLINKED_MS)
    }
    if (wants === 'link' || !isLinked) await proved.tell('/link', link, await enrolment.begin(serial, publicKey))
  }

  /** Says whose the home is once all before was told, each time as it is then. */
  #welcomeNext(proved: ProvedTunnel): Promise<void> {
    proved.told = proved.told
      .then(() => this.#welcome(proved))
      .catch((error: unknown) => this.#notWelcomed(proved, error))
    return proved.told
  }

  /** A home that is linked stays so while the store cannot say anything else of it. */
  #notWelcomed(proved: ProvedTunnel, error: unknown): void {
    const { clock, log } = this.#parts
    log.warn({ err: error }, 'A gateway could not be told whose it is.')
    if (!proved.isLinked || !(error instanceof RelayUnavailable)) return proved.destroy()
    clock.after(CHECK_AGAIN_MS, () => {
      if (this.#isHeld(proved)) void this.#welcomeNext(proved)
    })
  }

  /** The home is reached from the time on at which its gateway knows that it is linked, and no longer than it is. */
  async #welcome(proved: ProvedTunnel): Promise<void> {
    const { enrolment } = this.#parts
    const { serial, publicKey, tunnel } = proved
    const isLinked = (await enrolment.standing(serial, publicKey)) === 'linked'
    if (!this.#isHeld(proved)) return
    if (!isLinked && proved.isLinked) this.#unreached(proved)
    // One that another has taken the place of takes no words any more.
    if (!tunnel.isOpen) return
    const accounts = isLinked ? await enrolment.accountsOf(serial) : []
    const told = await proved.tell('/welcome', welcome, { linked: isLinked, accounts, retryAfter: null })
    if (told && isLinked && !proved.isLinked && this.#isHeld(proved)) this.#reached(proved)
    if (told && isLinked) await deliverNotices(proved, accounts, this.#parts.notices)
  }

  /** One that has ended meanwhile is counted no more. */
  #isHeld(proved: ProvedTunnel): boolean {
    return this.#proved.get(proved.serial)?.has(proved) === true
  }

  #reached(proved: ProvedTunnel): void {
    const { directory } = this.#parts
    proved.isLinked = true
    proved.keep()
    this.#unlinked.delete(proved)
    const { serial, slot, publicKey } = proved
    const older = directory.of(serial).filter((each) => each.slot === slot && each.publicKey === publicKey)
    if (!directory.add(proved)) {
      const younger = Math.max(...older.map(({ epoch }) => epoch))
      return void proved.replacedBy(younger).finally(() => proved.destroy())
    }
    for (const each of older) this.#retire(each, proved.epoch)
    // Which of two keys was replaced by the other may have changed since this one was looked up.
    if (this.#judgeOthers(serial, publicKey)) void this.#welcomeNext(proved)
  }

  /** Asks the store about tunnels of this gateway with another key; whether there are any. */
  #judgeOthers(serial: string, publicKey: string | null): boolean {
    const others = [...(this.#proved.get(serial) ?? [])].filter((each) => each.isLinked && each.publicKey !== publicKey)
    for (const each of others) void this.#welcomeNext(each)
    return others.length > 0
  }

  /** The gateway ends what is open through it; what it leaves open is cut off. */
  #unreached(proved: ProvedTunnel): void {
    const { clock, directory } = this.#parts
    proved.isLinked = false
    this.#unlinked.add(proved, proved.peer)
    directory.remove(proved)
    clock.after(UNLINKED_END_MS, () => proved.tunnel.cutStreams())
    proved.endAfter(UNLINKED_MS)
  }

  /** Another tunnel took its place: the gateway gives it up itself, once what is under way has ended. */
  #retire(line: HeldLine, epoch: number): void {
    void line.replacedBy(epoch)
    this.#parts.clock.after(RETIRED_MS, () => line.destroy())
  }

  #forget(proved: ProvedTunnel, reason: TunnelEnd): void {
    const { clock, log, metrics } = this.#parts
    const { serial, slot, since } = proved
    const known = this.#proved.get(serial)
    if (known?.delete(proved) !== true) return
    proved.keep()
    metrics.tunnelsEnded.add({ reason })
    const seconds = Math.round((clock.monotonic() - since) / 1_000)
    log.info({ serial, slot, reason, seconds }, 'A gateway’s connection is over.')
    if (known.size === 0) this.#proved.delete(proved.serial)
    this.#unlinked.delete(proved)
    this.#parts.directory.remove(proved)
  }
}
