import { connect } from 'node:tls'
import { SeededRandom } from '../../../src/sim/model/seeded-random.ts'
import { trusting } from '#support/gateway/callers.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import type { CorpusCase } from './cases.ts'

/** Time after which a connection without response and end is closed. */
const SILENT_MS = 4_000
/** Start time of the corpus's home; its clock stands still afterwards. */
const BEGINS = Date.UTC(2026, 9, 1, 10)

type Values = Readonly<Record<string, string>>

/** The gateway of the corpus: the same home at the same time, with programs and a person whose secrets are known. */
export class CorpusHome implements AsyncDisposable {
  readonly #running: TestGateway
  readonly #values: Values
  readonly #ca: string

  private constructor(running: TestGateway, values: Values, ca: string) {
    this.#running = running
    this.#values = values
    this.#ca = ca
  }

  static async open(fastPath = true): Promise<CorpusHome> {
    const running = await TestGateway.open({ begins: BEGINS, random: new SeededRandom('corpus'), fastPath })
    const { admin, gateway } = running
    const key = async (expose: readonly string[], settings: object): Promise<{ id: string; token: string }> => {
      const made = { name: 'Corpus', expose, settings }
      const { integration } = await admin.call<{ integration: { id: string } }>('POST', '/integrations', made)
      const { token } = await admin.call<{ token: string }>('POST', '/keys', { integration: integration.id })
      return { id: integration.id, token }
    }
    const operator = async (scope: string): Promise<string> =>
      (await admin.call<{ token: string }>('POST', '/operators', { name: scope, scopes: [scope] })).token
    const settings = { advanced_config: 'read_write', structural: 'on', automations: 'on', schedules: 'on' }
    const main = await key(['all'], { ...settings, allow_unlock: 'on' })
    const part = await key(['unit:hall-light'], {})
    using visitor = new ConsoleVisitor(running)
    const { cookie, half } = await visitor.signInByLink()
    const values = {
      main: main.token,
      part: part.token,
      metrics: await operator('metrics'),
      backup: await operator('backup'),
      cookie,
      half,
      serial: gateway.serial,
      id: `${gateway.serial}:${main.id}:`,
      ofMain: main.id,
      ofPart: part.id,
    }
    const ca = await visitor.ask({ path: '/ca.pem' })
    return new CorpusHome(running, values, ca.text)
  }

  /** The responses to all cases, in order, with live values replaced. */
  play(cases: readonly CorpusCase[]): Promise<readonly string[]> {
    return this.#running.still(async () => {
      const answers: string[] = []
      for (const [index, corpusCase] of cases.entries())
        answers.push(this.#plain(corpusCase, await this.#hear(corpusCase, index)))
      return answers
    })
  }

  #hear({ pieces, end }: CorpusCase, index: number): Promise<string> {
    return new Promise((resolve) => {
      const options = {
        host: '127.0.0.1',
        port: this.#running.gateway.port,
        // A separate address for each case, so that limits on guesses do not affect other cases.
        localAddress: `127.77.${index >> 7}.${(index & 127) + 1}`,
        ...trusting(this.#ca),
        servername: 'localhost',
      }
      const socket = connect(options)
      const chunks: Buffer[] = []
      let isSilent = false
      const silent = setTimeout(() => {
        isSilent = true
        socket.destroy()
      }, SILENT_MS)
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (Buffer.concat(chunks).toString('latin1').startsWith('HTTP/1.1 101')) socket.destroy()
      })
      socket.on('error', () => {})
      socket.once('close', () => {
        clearTimeout(silent)
        resolve(Buffer.concat(chunks).toString('latin1') + (isSilent ? '(left open)' : ''))
      })
      socket.once('secureConnect', () => void this.#write(socket, pieces, end))
    })
  }

  async #write(socket: ReturnType<typeof connect>, pieces: readonly string[], end: string): Promise<void> {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, 5))
      if (!socket.destroyed) socket.write(piece.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => this.#value(name)))
    }
    if (end === 'half' && !socket.destroyed) socket.end()
  }

  #value(name: string): string {
    const value = this.#values[name]
    if (value === undefined) throw new Error(`The corpus has no value ${name}.`)
    return value
  }

  /** Replaces everything that differs between two runs of the same gateway. */
  #plain({ live }: CorpusCase, received: string): string {
    if (received.startsWith('HTTP/1.1 101')) return received.slice(0, received.indexOf('\r\n\r\n'))
    let text = received.replaceAll(/^Date: .*\r$/gim, 'Date: (date)\r')
    for (const [name, value] of Object.entries(this.#values)) text = text.replaceAll(value, `(${name})`)
    text = text
      .replaceAll(/"reference":"[^"]*"|has it under [a-z0-9]{10}/g, '(reference)')
      .replaceAll(`:${this.#running.gateway.port}`, ':(port)')
      .replaceAll(/\b1790\d{9}\b/g, '(time)')
      .replaceAll(/^etag: .*$/gim, 'etag: (tag)')
      .replaceAll(/(\/assets\/\w+-)[A-Z0-9]{8}\b/g, '$1(build)')
    // Sensors report until the clock of the corpus stops.
    const read = text.replaceAll(/"(temperature|humidity|light|battery)":[\d.]+/g, '"$1":(reading)')
    if (read !== text) text = read.replaceAll(/^content-length: .*$/gim, '(live)')
    if (text.includes('content-encoding: gzip'))
      text = text.replace(/\r\n\r\n[^]*/, '').replace(/^content-length: .*$/im, '(live)')
    return live
      ? text.replace(/\r\n\r\n[^]*/, '').replace(/^(?:etag|content-length|keep-alive): .*$/gim, '(live)')
      : text
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]()
  }
}
