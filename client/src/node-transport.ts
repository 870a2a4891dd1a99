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

/** A connection on which nothing moves for so long while an answer is due is given up. */
export const SILENCE_MAX_MS = 60_000
/** An address of several answers within this, and the stream is open within this. */
export const OPEN_WAIT_MS = 10_000
/** An address that has answered is used for so long before it is asked again beside the others. */
export const GOOD_FOR_MS = 10_000
/** The largest answer that is taken: a house of thousands of units is a few MiB. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024

export interface NodeOptions {
  /** Where the gateway is, the likeliest first: where one cannot be reached the next is tried. */
  readonly addresses: readonly string[]
  readonly token: string
  /** The only CA that is trusted; null: those of the machine, for a relay with a public certificate. */
  readonly ca: Ca | null
  /** The relay that passes connections on to the gateway; directly unless told. */
  readonly through?: Through
  /** The address that has just shown the CA, where one has: it is gone to without asking. */
  readonly found?: string
}

/** Codes of a peer whose certificate was not accepted. */
const NOT_TRUSTED = /^(?:CERT_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|INVALID_CA|ERR_TLS_CERT)/

/** What a WebSocket says of a line that never opened. */
const BROKEN = 1006

const unzipped = promisify(gunzip)

/** Requests by `node:https`, the stream by `ws`. */
export class NodeTransport implements Transport {
  readonly #options: NodeOptions
  readonly #agent: GatewayAgent
  readonly #addresses: readonly string[]
  /** Which of the addresses is in use. */
  #current: string
  /** Until then, in the time of `performance.now`, it is taken for good without asking. */
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
        // What was sent may have been done: it is not sent again.
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
    // Why there is no way is told to the next request.
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

  #opened(address: string, { opened, heard, closed }: StreamListener): WebSocket {
    const socket = new WebSocket(`${address.replace('https:', 'wss:')}/v1/stream`, {
      agent: this.#agent,
      headers: { authorization: `Bearer ${this.#options.token}` },
      perMessageDeflate: false,
      handshakeTimeout: OPEN_WAIT_MS,
      maxPayload: ANSWER_BYTES_MAX,
    })
    socket.on('open', () => {
      this.#isGood(address)
      opened()
    })
    socket.on('message', (data: Buffer, isBinary) => heard(isBinary ? null : data.toString('utf8')))
    socket.on('ping', () => heard(null))
    // Each error is followed by the close.
    socket.on('error', () => {})
    socket.on('close', (code) => {
      this.#goodUntil = 0
      closed(code)
    })
    return socket
  }

  /** The address to go to: the one that answered just now, or the first that answers, that one before the others. */
  async #reached(signal: AbortSignal | undefined): Promise<string> {
    if (this.#addresses.length === 1 || performance.now() < this.#goodUntil) return this.#current
    const places = [this.#current, ...this.#addresses.filter((each) => each !== this.#current)]
    const attempt = (address: string, ending: AbortSignal): Promise<string> => this.#asked(address, ending)
    const address = await firstOf(places, attempt, { timing: systemTiming, signal })
    this.#current = address
    this.#isGood(address)
    return address
  }

  #isGood(address: string): void {
    if (address === this.#current) this.#goodUntil = performance.now() + GOOD_FOR_MS
  }

  /**
   * An address, once something has come from there that was verified. Nothing is changed by what is asked, so it may be
   * asked of several at once; the connection is kept for what comes next.
   */
  async #asked(address: string, ending: AbortSignal): Promise<string> {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(OPEN_WAIT_MS)])
    try {
      await answerOf(await got(`${address}/ca.pem`, { agent: this.#agent, signal }))
      return address
    } catch (error) {
      throw await this.#explained(unanswered(address, false, error), address)
    }
  }

  /** Why there was no connection: another CA is told, where one was the reason. */
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
        // A connection that is used again has been through that.
        if (isSent) return
        socket.once('secureConnect', () => {
          isSent = true
        })
      })
      sent.on('timeout', () => sent.destroy(new Error(`Nothing came for ${SILENCE_MAX_MS / 1000} s.`)))
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
