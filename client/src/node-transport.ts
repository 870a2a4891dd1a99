import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { WebSocket } from 'ws'
import { ConnectionError, TrustError } from './error.ts'
import { GatewayAgent, type Through } from './node-agent.ts'
import { type Ca, servedCa } from './node-trust.ts'
import type { HttpAnswer, HttpRequest, StreamLine, StreamListener, Transport } from './transport.ts'

/** A connection on which nothing moves for so long while an answer is due is given up. */
export const SILENCE_MAX_MS = 60_000
/** The stream is open within this. */
export const STREAM_OPEN_WAIT_MS = 10_000
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
}

/** Codes of a peer whose certificate was not accepted. */
const NOT_TRUSTED = /^(?:CERT_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|INVALID_CA|ERR_TLS_CERT)/

const unzipped = promisify(gunzip)

/** Requests by `node:https`, the stream by `ws`. */
export class NodeTransport implements Transport {
  readonly #options: NodeOptions
  readonly #agent: GatewayAgent
  /** Which of the addresses is in use. */
  #current = 0

  constructor(options: NodeOptions) {
    this.#options = options
    this.#agent = new GatewayAgent(options.ca?.pem ?? null, options.through ?? null, { keepAlive: true })
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    const failures: Error[] = []
    for (let tried = 0; tried < this.#options.addresses.length; tried += 1) {
      try {
        return await this.#send(request)
      } catch (error) {
        request.signal?.throwIfAborted()
        if (!(error instanceof ConnectionError)) throw error
        // What was sent may have been done: it is not sent again.
        if (error.isSent) throw error
        failures.push(await this.#explained(error))
        this.#next()
      }
    }
    throw failures.find((each) => each instanceof TrustError) ?? failures[0] ?? new Error('There is no address.')
  }

  stream({ opened, heard, closed }: StreamListener): StreamLine {
    let isOpen = false
    const socket = new WebSocket(`${this.#address.replace('https:', 'wss:')}/v1/stream`, {
      agent: this.#agent,
      headers: { authorization: `Bearer ${this.#options.token}` },
      perMessageDeflate: false,
      handshakeTimeout: STREAM_OPEN_WAIT_MS,
      maxPayload: ANSWER_BYTES_MAX,
    })
    socket.on('open', () => {
      isOpen = true
      opened()
    })
    socket.on('message', (data: Buffer, isBinary) => heard(isBinary ? null : data.toString('utf8')))
    socket.on('ping', () => heard(null))
    // Each error is followed by the close.
    socket.on('error', () => {})
    socket.on('close', (code) => {
      if (!isOpen) this.#next()
      closed(code)
    })
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      },
      close: () => socket.terminate(),
    }
  }

  get #address(): string {
    return this.#options.addresses[this.#current] ?? ''
  }

  #next(): void {
    this.#current = (this.#current + 1) % this.#options.addresses.length
  }

  /** Why there was no connection: another CA is told, where one was the reason. */
  async #explained(error: ConnectionError): Promise<Error> {
    const { ca, through = null } = this.#options
    const { code = '' } = error.cause as { readonly code?: string }
    if (ca === null || !NOT_TRUSTED.test(code)) return error
    const served = await servedCa(this.#address, through).catch(() => null)
    return served && served.fingerprint !== ca.fingerprint ? new TrustError(ca.fingerprint, served.fingerprint) : error
  }

  /** @throws ConnectionError */
  async #send({ method, path, headers, body, signal }: HttpRequest): Promise<HttpAnswer> {
    const address = this.#address
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
      const reason = error instanceof Error ? error.message : String(error)
      throw new ConnectionError(`The gateway at ${address} did not answer: ${reason}`, { isSent, cause: error })
    }
  }
}

async function answerOf(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error('The answer is too large.')
    chunks.push(chunk)
  }
  const packed = Buffer.concat(chunks)
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
