import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import type { z } from 'zod'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import { notices, type Passthrough, replaced, welcome } from '@hm-gateway/wire/control.ts'
import type { Enrolment } from '../enrolment/enrolment.ts'
import type { Notice } from '../accounts/notices.ts'
import type { HeldLine } from './directory.ts'
import { exchange } from './exchange.ts'
import type { HeldTunnel } from './held-tunnel.ts'
import type { FullPlaces } from './places.ts'
import type { Hello } from './proof.ts'

/** A gateway that is not linked, and that its relay has no room for, comes back at some time within this one. */
export const NO_ROOM_RETRY_SECONDS = 60

/** A full tunnel is logged once in this time. */
const FULL_LOGGED_MS = 60_000

export interface ProvedTunnelParts {
  readonly tunnel: HeldTunnel
  readonly hello: Hello
  /** This node's name. */
  readonly node: string
  /** The gateway's address. */
  readonly peer: string
  readonly enrolment: Pick<Enrolment, 'served'>
  readonly clock: Clock
}

/** A tunnel whose gateway has proved itself. */
export class ProvedTunnel implements HeldLine {
  readonly tunnel: HeldTunnel
  readonly node: string
  readonly peer: string
  readonly serial: string
  readonly slot: number
  readonly epoch: number
  readonly publicKey: string
  /** By the clock that never jumps. */
  readonly since: number
  isLinked = false
  /** Resolves when the gateway was told all that there was to tell; never rejects. */
  told: Promise<void> = Promise.resolve()
  readonly #passthrough: Passthrough
  readonly #clock: Clock
  readonly #enrolment: Pick<Enrolment, 'served'>
  #isServed = false
  #keep: () => void = () => {}
  #fullLoggedAt = -Infinity

  constructor({ tunnel, hello, node, peer, enrolment, clock }: ProvedTunnelParts) {
    this.tunnel = tunnel
    this.node = node
    this.peer = peer
    this.serial = hello.serial
    this.slot = hello.slot
    this.epoch = hello.epoch
    this.publicKey = hello.publicKey
    this.since = clock.monotonic()
    this.#passthrough = hello.passthrough
    this.#clock = clock
    this.#enrolment = enrolment
  }

  open(headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | 'gone' | 'busy' {
    // The gateway would refuse it itself.
    const isUnwanted = this.#passthrough === 'off' && headers[':authority'] === 'tls'
    const stream = isUnwanted ? 'gone' : this.tunnel.open(headers, endStream)
    if (stream !== 'gone' && stream !== 'busy' && headers[':authority'] !== 'control') this.#noteServed()
    return stream
  }

  /** Once a tunnel; a store that is away is asked again with the next request. */
  #noteServed(): void {
    if (this.#isServed) return
    this.#isServed = true
    this.#enrolment.served(this.serial).catch(() => {
      this.#isServed = false
    })
  }

  get isOpen(): boolean {
    return this.tunnel.isOpen
  }

  destroy(): void {
    this.tunnel.destroy()
  }

  /** Ends after so long, unless it is kept before. */
  endAfter(ms: number): void {
    this.keep()
    this.#keep = this.#clock.after(ms, () => this.destroy())
  }

  keep(): void {
    this.#keep()
  }

  /** Logs that a request was refused for want of a place, at most once in `FULL_LOGGED_MS`. */
  full(places: FullPlaces, log: Log): void {
    const now = this.#clock.monotonic()
    if (now - this.#fullLoggedAt < FULL_LOGGED_MS) return
    this.#fullLoggedAt = now
    const { serial, slot, tunnel } = this
    log.warn({ serial, slot, places, streams: tunnel.streams }, 'A gateway’s tunnel is full: requests are refused.')
  }

  async replacedBy(epoch: number): Promise<void> {
    await exchange(this.tunnel, { path: '/replaced', body: { epoch }, answer: replaced.answer }, this.#clock)
  }

  /** Whether the gateway has the news, or refuses it because it does not know the message. */
  async notify(news: readonly Notice[]): Promise<boolean> {
    const bodies = news.map(({ kind, account, browser, place, at }) => ({ kind, account, browser, place, at }))
    const body = { notices: bodies } satisfies z.input<typeof notices.ask>
    const taken = await exchange(this.tunnel, { path: '/notices', body, answer: notices.answer }, this.#clock)
    return taken.ok || taken.error.kind === 'refused'
  }

  /** There is no room for one that is not linked: it is told when to come back, and ends. */
  async sendAway(): Promise<void> {
    await this.tell('/welcome', welcome, { linked: false, accounts: [], retryAfter: NO_ROOM_RETRY_SECONDS })
    this.destroy()
  }

  /** Whether the gateway took what it was told; one that did not is given up. */
  async tell<A extends z.ZodType>(
    path: string,
    { answer }: { readonly ask: A; readonly answer: z.ZodType },
    body: z.input<A> & object,
  ): Promise<boolean> {
    const told = await exchange(this.tunnel, { path, body, answer }, this.#clock)
    // One that only ends what is under way takes no question.
    if (!told.ok && this.tunnel.isOpen) this.tunnel.destroy()
    return told.ok
  }
}
