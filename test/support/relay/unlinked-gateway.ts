import { type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import { connect, type TLSSocket } from 'node:tls'
import { madeUpHome } from '../../../bench/made-up-home.ts'
import { respond } from '../../../src/tunnel/stream-responses.ts'
import { proofBytes } from '../../../src/wire/identity-proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL, TUNNEL_PROTOCOL } from '../../../src/wire/tunnel.ts'

export interface UnlinkedGatewayParts {
  readonly number: number
  readonly port: number
  readonly ca: string
  /** IP address of the gateway. */
  readonly from: string
}

/** A fake gateway at its own address, which authenticates itself and waits to be linked. */
export class UnlinkedGateway {
  /** Code for linking it; null if the relay closed the connection first. */
  readonly code: Promise<string | null>
  readonly #socket: TLSSocket
  readonly #parts: UnlinkedGatewayParts
  readonly #resolve: (code: string | null) => void

  constructor(parts: UnlinkedGatewayParts) {
    const { port, ca, from } = parts
    this.#parts = parts
    const { promise, resolve } = Promise.withResolvers<string | null>()
    this.code = promise
    this.#resolve = resolve
    const to = { host: '127.0.0.1', port, ca, servername: 'localhost', localAddress: from }
    this.#socket = connect({ ...to, ALPNProtocols: [TUNNEL_PROTOCOL] }, () => this.#serve())
    this.#socket.on('error', () => {}).once('close', () => resolve(null))
  }

  end(): void {
    this.#socket.destroy()
  }

  #serve(): void {
    const session = performServerHandshake(this.#socket)
    session.on('error', () => {})
    session.on('stream', (stream, headers) => {
      stream.on('error', () => {})
      this.#answer(stream, headers).catch(() => this.end())
    })
  }

  async #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const { nonce = '', code } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { nonce?: string; code?: string }
    if (code !== undefined) this.#resolve(code)
    respond(stream, 200, { 'content-type': 'application/json' })
    stream.end(JSON.stringify(headers[':path'] === '/hello' ? this.#hello(nonce) : {}))
  }

  #hello(nonce: string): object {
    const { serial, identity } = madeUpHome(this.#parts.number)
    const exporter = this.#socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.from(serial))
    const signature = identity.sign(proofBytes(serial, Buffer.from(nonce, 'base64url'), exporter)).toString('base64url')
    const { publicKey } = identity
    return { serial, publicKey, signature, slot: 0, epoch: Date.now(), passthrough: 'on', wants: null }
  }
}
