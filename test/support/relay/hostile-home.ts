import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { performServerHandshake } from 'node:http2'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import * as fc from 'fast-check'
import { type MadeUpHome, madeUpHome } from '../../../bench/made-up-home.ts'
import { respond } from '../../../src/tunnel/stream-responses.ts'
import { SeededRandom } from '../../../src/sim/model/seeded-random.ts'
import { proofBytes } from '../../../src/wire/identity-proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL, TUNNEL_PROTOCOL } from '../../../src/wire/tunnel.ts'
import { hostile } from './hostile-bytes.ts'
import { FRAMES, strangeAnswer } from './hostile-frames.ts'

/** Share of a hostile home's bytes that stay unchanged, so that most of them are understood. */
const SOUND_CHANCE = 0.7
/** Kinds of responses: valid, invalid, or valid with misplaced frames. */
const WAYS = ['sound', 'sound', 'strange', 'strange', 'frame', 'never'] as const

export interface HostileHomeParts {
  readonly number: number
  readonly port: number
  readonly ca: string
  /** Random source of this tunnel. */
  readonly seed: number
}

/** A tunnel of a fake home that authenticates itself, is linked, and then sends hostile bytes. */
export class HostileTunnel {
  /** True once the relay has welcomed the home and sends requests; false if it never did. */
  readonly linked: Promise<boolean>
  readonly #socket: TLSSocket
  readonly #home: MadeUpHome
  readonly #chance: () => number
  #isHostile = false

  constructor({ number, port, ca, seed }: HostileHomeParts) {
    this.#home = madeUpHome(number)
    const random = new SeededRandom(`hostile home ${seed}`)
    this.#chance = () => random.float()
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.linked = promise
    this.#socket = connect(
      { host: '127.0.0.1', port, ca, servername: 'localhost', ALPNProtocols: [TUNNEL_PROTOCOL] },
      () => void this.#serve(() => resolve(true)),
    )
    this.#socket.on('error', () => {})
    // A tunnel without a welcome has ended too.
    this.#socket.once('close', () => resolve(false))
  }

  end(): void {
    this.#socket.destroy()
  }

  async #serve(linked: () => void): Promise<void> {
    const session = performServerHandshake(await this.#mangling(), {
      settings: { enableConnectProtocol: true, maxConcurrentStreams: 256 },
    })
    session.on('error', () => {})
    session.on('stream', (stream, headers) => {
      stream.on('error', () => {})
      if (this.#isHostile) return this.#answer(stream, headers)
      this.#handleControl(stream, headers[':path'] ?? '').then(
        (isWelcome) => {
          if (!isWelcome) return
          this.#isHostile = true
          linked()
        },
        () => this.end(),
      )
    })
  }

  /** Responds like a gateway until the welcome message; returns true from then on. */
  async #handleControl(stream: ServerHttp2Stream, path: string): Promise<boolean> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const { nonce = '' } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly nonce?: string }
    respond(stream, 200, { 'content-type': 'application/json' })
    stream.end(JSON.stringify(path === '/hello' ? this.#hello(nonce) : {}))
    return path === '/welcome'
  }

  #hello(nonce: string): object {
    const { serial, identity } = this.#home
    const exporter = this.#socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.from(serial))
    const signature = identity.sign(proofBytes(serial, Buffer.from(nonce, 'base64url'), exporter)).toString('base64url')
    const { publicKey } = identity
    return { serial, publicKey, signature, slot: 0, epoch: Date.now(), passthrough: 'on', wants: null }
  }

  #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const way = WAYS[Math.floor(this.#chance() * WAYS.length)]
    if (way === 'never') return
    if (way === 'strange') return this.#say(strangeAnswer(stream.id ?? 1, this.#chance))
    if (way === 'frame') this.#say(FRAMES[Math.floor(this.#chance() * FRAMES.length)]!(stream.id ?? 1))
    const body = JSON.stringify({ house: 'x'.repeat(Math.floor(this.#chance() * 200_000)) })
    respond(stream, 200, { 'content-type': 'application/json' })
    if (headers[':method'] === 'CONNECT') stream.pipe(stream).on('error', () => {})
    else stream.resume().end(body)
  }

  #say(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes)
  }

  /**
   * The connection, whose bytes to the relay are mutated. The session has its own loopback socket: over a stream of
   * JavaScript, Node's HTTP/2 crashes the process if the reader is slow.
   */
  async #mangling(): Promise<Socket> {
    const socket = this.#socket
    const server = createServer({ noDelay: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const near = connectTcp({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true })
    const [far] = (await once(server, 'connection')) as [Socket]
    server.close()
    for (const end of [near, far]) end.on('error', () => {})
    far.on('data', (chunk: Buffer) => {
      if (!socket.destroyed && !socket.write(this.#mangled(chunk))) far.pause()
    })
    socket.on('drain', () => far.resume())
    socket.pipe(far)
    socket.once('close', () => far.destroy())
    far.once('close', () => socket.destroy())
    return near
  }

  #mangled(chunk: Buffer): Buffer {
    if (!this.#isHostile || this.#chance() < SOUND_CHANCE) return chunk
    const seed = Math.floor(this.#chance() * 2 ** 31)
    return fc.sample(hostile([chunk]), { numRuns: 1, seed })[0] ?? chunk
  }
}
