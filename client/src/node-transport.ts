import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { WebSocket } from 'ws'
import { ConnectionError, TrustError } from './error.ts'
import { firstOf } from './first-of.ts'
import { contentOf, GatewayAgent, got } from './node-agent.ts'
import { type Ca, servedCa } from './node-trust.ts'
import {
  type HttpAnswer,
  type HttpRequest,
  type StreamLine,
  type StreamListener,
  systemTiming,
  type Through,
  type Transport,
} from './transport.ts'

/** Timeout of a silent connection while a response is due. */
export const SILENCE_MAX_MS = 60_000
/** Timeout for probing an address and for opening the stream. */
export const OPEN_WAIT_MS = 10_000
/** An address that has responded is used this long before it is probed again beside the others. */
export const GOOD_FOR_MS = 10_000
/** Largest accepted response. A house of thousands of units takes a few MiB. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024

export interface NodeOptions {
  /** Addresses of the gateway, the most likely first. The next is tried when one cannot be reached. */
  readonly addresses: readonly string[]
  readonly token: string
  /** The only trusted CA; null for the CAs of the machine, if a relay has a public certificate. */
  readonly ca: Ca | null
  /** Relay that passes connections on to the gateway. Default: a direct connection. */
  readonly through?: Through
  /** The address that has just presented the CA, if any: it is used without a probe. */
  readonly found?: string
}

/** Error codes for an untrusted certificate. */
const NOT_TRUSTED = /^(?:CERT_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|INVALID_CA|ERR_TLS_CERT)/

/** Close code of a WebSocket that never opened. */
const BROKEN = 1006

const unzipped = promisify(gunzip)

/** Requests by `node:https`, the stream by `ws`. */
export class NodeTransport implements Transport {
  readonly #options: NodeOptions
  readonly #agent: GatewayAgent
  readonly #addresses: readonly string[]
  /** The address in use. */
  #current: string
  /** End of the time, by `performance.now`, in which the current address needs no probe. */
  #goodUntil = 0

  constructor(options: NodeOptions) {
    this.#options = options
    this.#agent = new GatewayAgent(options.ca?.pem ?? null, options.through ?? null, { keepAlive: true })
    this.#addresses = [...new Set(options.addresses)]
    this.#current = options.found ?? this.#addresses[0] ?? ''
    if (options.found !== undefined) this.#isGood(options.found)
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    for (let tries = 1; ; tries += 1) {
      const address = await this.#reached(request.signal)
      try {
        const answer = await this.#send(request, address)
        this.#isGood(address)
        return answer
      } catch (error) {
        this.#goodUntil = 0
        request.signal?.throwIfAborted()
        if (!(error instanceof ConnectionError)) throw error
        // The gateway may have carried out a request that was sent: no retry.
        if (error.isSent) throw error
        if (tries >= this.#addresses.length) throw await this.#explained(error, address)
      }
    }
  }

  stream(listener: StreamListener): StreamLine {
    const ending = new AbortController()
    let socket: WebSocket | null = null
    const opened = async (): Promise<void> => {
      const address = await this.#reached(ending.signal)
      ending.signal.throwIfAborted()
      socket = this.#opened(address, listener)
    }
    // The next request reports the reason.
    opened().catch(() => listener.closed(BROKEN))
    return {
      send: (text) => {
        if (socket?.readyState === WebSocket.OPEN) socket.send(text)
      },
      close: () => {
        ending.abort()
        socket?.terminate()
      },
    }
  }

  #opened(address: string, listener: StreamListener): WebSocket {
    const socket = new WebSocket(`${address.replace('https:', 'wss:')}/v1/stream`, {
      agent: this.#agent,
      headers: { authorization: `Bearer ${this.#options.token}` },
      perMessageDeflate: false,
      handshakeTimeout: OPEN_WAIT_MS,
      maxPayload: ANSWER_BYTES_MAX,
    })
    socket.on('open', () => {
      this.#isGood(address)
      listener.opened()
    })
    socket.on('message', (data: Buffer, isBinary) => listener.heard(isBinary ? null : data.toString('utf8')))
    socket.on('ping', () => listener.heard(null))
    // A `close` follows every error.
    socket.on('error', () => {})
    socket.on('close', (code) => {
      this.#goodUntil = 0
      listener.closed(code)
    })
    return socket
  }

  /** The current address if it responded recently; otherwise the first that responds to a probe. */
  async #reached(signal: AbortSignal | undefined): Promise<string> {
    if (this.#addresses.length === 1 || performance.now() < this.#goodUntil) return this.#current
    const places = [this.#current, ...this.#addresses.filter((address) => address !== this.#current)]
    const attempt = (address: string, ending: AbortSignal): Promise<string> => this.#probe(address, ending)
    const address = await firstOf(places, attempt, { timing: systemTiming, signal })
    this.#current = address
    this.#isGood(address)
    return address
  }

  #isGood(address: string): void {
    if (address === this.#current) this.#goodUntil = performance.now() + GOOD_FOR_MS
  }

  /**
   * Resolves to the address once a verified response has come from it. The probe changes nothing, so several addresses
   * can be probed at once. The connection is reused for the next request.
   */
  async #probe(address: string, ending: AbortSignal): Promise<string> {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(OPEN_WAIT_MS)])
    try {
      await answerOf(await got(`${address}/ca.pem`, { agent: this.#agent, signal }))
      return address
    } catch (error) {
      throw await this.#explained(unanswered(address, false, error), address)
    }
  }

  /** The reason for a failed connection: a TrustError if the gateway has another CA. */
  async #explained(error: ConnectionError, address: string): Promise<Error> {
    const { ca, through = null } = this.#options
    const { code = '' } = error.cause as { readonly code?: string }
    if (ca === null || !NOT_TRUSTED.test(code)) return error
    const served = await servedCa(address, through).catch(() => null)
    return served && served.fingerprint !== ca.fingerprint ? new TrustError(ca.fingerprint, served.fingerprint) : error
  }

  /** @throws ConnectionError */
  async #send({ method, path, headers, body, signal }: HttpRequest, address: string): Promise<HttpAnswer> {
    const own = { authorization: `Bearer ${this.#options.token}`, 'accept-encoding': 'gzip' }
    let isSent = false
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: { ...own, ...headers }, timeout: SILENCE_MAX_MS, signal }
      const sent = httpsRequest(`${address}${path}`, options, resolve)
      sent.on('socket', (socket: TLSSocket) => {
        isSent = sent.reusedSocket
        // A reused connection has finished its handshake.
        if (isSent) return
        socket.once('secureConnect', () => {
          isSent = true
        })
      })
      sent.on('timeout', () => sent.destroy(new Error(`No data for ${SILENCE_MAX_MS / 1000} s.`)))
      sent.on('error', reject)
      sent.end(body ?? undefined)
    })
    try {
      return await answerOf(await response)
    } catch (error) {
      throw unanswered(address, isSent, error)
    }
  }
}

function unanswered(address: string, isSent: boolean, cause: unknown): ConnectionError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ConnectionError(`The gateway at ${address} did not answer: ${reason}`, { isSent, cause })
}

async function answerOf(response: IncomingMessage): Promise<HttpAnswer> {
  const packed = await contentOf(response, ANSWER_BYTES_MAX)
  const isZipped = response.headers['content-encoding'] === 'gzip' && packed.length > 0
  const content = isZipped ? await unzipped(packed, { maxOutputLength: ANSWER_BYTES_MAX }) : packed
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name]
      return Array.isArray(value) ? value.join(', ') : (value ?? null)
    },
    text: content.toString('utf8'),
  }
}
