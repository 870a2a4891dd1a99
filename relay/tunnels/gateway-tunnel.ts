import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import type { z } from 'zod'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import { notices, type PassthroughMode, replaced, welcome } from '@hm-gateway/wire/relay-messages.ts'
import type { Enrolment } from '../enrolment/enrolment.ts'
import type { Notice } from '../accounts/notices.ts'
import type { LocalTunnel } from './directory.ts'
import { sendControlRequest } from './control-request.ts'
import type { TunnelSession } from './tunnel-session.ts'
import type { ExhaustedQuota } from './stream-quota.ts'
import type { GatewayHello } from './authenticate-gateway.ts'

/** An unlinked gateway that the relay has no room for retries within this time. */
export const SENT_AWAY_RETRY_SECONDS = 60

/** Shortest time between two warnings that a tunnel is full. */
const FULL_WARNING_MS = 60_000

export interface GatewayTunnelParts {
  readonly session: TunnelSession
  readonly hello: GatewayHello
  /** Name of this node. */
  readonly node: string
  /** IP address of the gateway. */
  readonly peer: string
  readonly enrolment: Pick<Enrolment, 'markServed'>
  readonly clock: Clock
}

/** The tunnel of a gateway that has authenticated itself. */
export class GatewayTunnel implements LocalTunnel {
  readonly session: TunnelSession
  readonly node: string
  readonly peer: string
  readonly serial: string
  readonly slot: number
  readonly epoch: number
  readonly publicKey: string
  /** Monotonic ms. */
  readonly connectedAt: number
  /** True once the gateway knows that its home is linked: only then the tunnel carries clients' requests. */
  isLinked = false
  /** Resolves when the gateway has received the latest welcome message; never rejects. */
  lastWelcome: Promise<void> = Promise.resolve()
  readonly #passthrough: PassthroughMode
  readonly #clock: Clock
  readonly #enrolment: Pick<Enrolment, 'markServed'>
  #isMarkedServed = false
  #cancelEnd: () => void = () => {}
  #warnedFullAt = -Infinity

  constructor({ session, hello, node, peer, enrolment, clock }: GatewayTunnelParts) {
    this.session = session
    this.node = node
    this.peer = peer
    this.serial = hello.serial
    this.slot = hello.slot
    this.epoch = hello.epoch
    this.publicKey = hello.publicKey
    this.connectedAt = clock.monotonic()
    this.#passthrough = hello.passthrough
    this.#clock = clock
    this.#enrolment = enrolment
  }

  open(headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | 'gone' | 'busy' {
    // A gateway without passthrough would refuse the connection itself.
    const isRefused = this.#passthrough === 'off' && headers[':authority'] === 'tls'
    const stream = isRefused ? 'gone' : this.session.open(headers, endStream)
    if (stream !== 'gone' && stream !== 'busy' && headers[':authority'] !== 'control') this.#markServed()
    return stream
  }

  /**
   * Records once per tunnel that the gateway has served a client. If the store is unavailable, the next request tries
   * again.
   */
  #markServed(): void {
    if (this.#isMarkedServed) return
    this.#isMarkedServed = true
    this.#enrolment.markServed(this.serial).catch(() => {
      this.#isMarkedServed = false
    })
  }

  get isOpen(): boolean {
    return this.session.isOpen
  }

  destroy(): void {
    this.session.destroy()
  }

  /** Schedules the end of the tunnel; replaces an earlier schedule. */
  endAfter(ms: number): void {
    this.cancelEnd()
    this.#cancelEnd = this.#clock.after(ms, () => this.destroy())
  }

  cancelEnd(): void {
    this.#cancelEnd()
  }

  /** Warns that the tunnel refuses requests, at most once in `FULL_WARNING_MS`. */
  warnFull(quota: ExhaustedQuota, log: Log): void {
    const now = this.#clock.monotonic()
    if (now - this.#warnedFullAt < FULL_WARNING_MS) return
    this.#warnedFullAt = now
    const { serial, slot, session } = this
    const details = { serial, slot, places: quota, streams: session.streams }
    log.warn(details, 'A gateway’s tunnel is full: requests are refused.')
  }

  async notifyReplaced(epoch: number): Promise<void> {
    const request = { path: '/replaced', body: { epoch }, response: replaced.response }
    await sendControlRequest(this.session, request, this.#clock)
  }

  /** True if the gateway received the notices, or refused them because it does not know the message. */
  async deliver(list: readonly Notice[]): Promise<boolean> {
    const bodies = list.map(({ kind, account, browser, place, at }) => ({ kind, account, browser, place, at }))
    const body = { notices: bodies } satisfies z.input<typeof notices.request>
    const request = { path: '/notices', body, response: notices.response }
    const response = await sendControlRequest(this.session, request, this.#clock)
    return response.ok || response.error.kind === 'refused'
  }

  /** Tells an unlinked gateway that there is no room and when to retry, and ends the tunnel. */
  async turnAway(): Promise<void> {
    await this.send('/welcome', welcome, { linked: false, accounts: [], retryAfter: SENT_AWAY_RETRY_SECONDS })
    this.destroy()
  }

  /**
   * Sends a control message, validated by its schemas of request and response. Returns whether the gateway accepted it;
   * otherwise the tunnel ends.
   */
  async send<A extends z.ZodType>(
    path: string,
    { response: schema }: { readonly request: A; readonly response: z.ZodType },
    body: z.input<A> & object,
  ): Promise<boolean> {
    const response = await sendControlRequest(this.session, { path, body, response: schema }, this.#clock)
    // A retired tunnel takes no messages, but its open streams may finish.
    if (!response.ok && this.session.isOpen) this.session.destroy()
    return response.ok
  }
}
