import { connect as connectPlainly, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { polling } from './polling.ts'

export interface Door {
  readonly port: number
  readonly ca: string
  /** Whose certificate it shows; `localhost` unless said. */
  readonly serverName?: string
  /** Over plain http, as some peers of the gateway listen: there is no certificate to look at then. */
  readonly plain?: true
}

const CONNECTIONS = 32
/** For what is outstanding at the end of a round. */
const ANSWERS_WAIT_MS = 10_000

/**
 * Keep-alive connections that always have a request outstanding: they count answers by their length, and parse nothing.
 */
export class HttpLoad {
  readonly #sockets: Socket[] = []
  readonly #requests: readonly Buffer[]
  #answerBytes = 0
  #done = 0
  #outstanding = 0
  #running = false
  #wrong: string | null = null

  private constructor(requests: readonly string[]) {
    this.#requests = requests.map((request) => Buffer.from(request))
  }

  /**
   * Opens the connections and learns how long an answer is, which is the same for all. `expect` is the status that every
   * answer must have.
   * @param request the same for all connections, or that of each, by its number.
   */
  static async open(
    door: Door,
    request: string | ((connection: number) => string),
    expect = 200,
    connections = CONNECTIONS,
  ): Promise<HttpLoad> {
    const load = new HttpLoad(
      Array.from({ length: connections }, (_, index) => (typeof request === 'string' ? request : request(index))),
    )
    // Together, since a server waits only so long for the first request of each.
    load.#sockets.push(...(await Promise.all(load.#requests.map(() => reached(door)))))
    load.#answerBytes = await answerLength(load.#sockets[0] as Socket, load.#requests[0] as Buffer, expect)
    for (const [index, socket] of load.#sockets.entries()) load.#listen(socket, load.#requests[index] as Buffer)
    return load
  }

  /** Keeps every connection busy for a time; resolves to the answers counted. */
  async run(durationMs: number): Promise<number> {
    using _awake = polling()
    this.#done = 0
    this.#running = true
    this.#outstanding = this.#sockets.length
    for (const [index, socket] of this.#sockets.entries()) socket.write(this.#requests[index] as Buffer)
    await new Promise((resolve) => setTimeout(resolve, durationMs))
    this.#running = false
    const done = this.#done
    const until = performance.now() + ANSWERS_WAIT_MS
    // What is still outstanding arrives before the next round begins.
    while (this.#outstanding > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
    if (this.#outstanding > 0) this.#wrong ??= 'an answer did not come, or is shorter than the first one was'
    if (this.#wrong) throw new Error(this.#wrong)
    return done
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #listen(socket: Socket, request: Buffer): void {
    let pending = 0
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.length
      if (pending < this.#answerBytes) return
      // One request is outstanding at a time: more bytes than its answer has are of an answer of another length.
      if (pending > this.#answerBytes) this.#wrong = 'an answer is longer than the first one was'
      pending = 0
      this.#done += 1
      if (this.#running) socket.write(request)
      else this.#outstanding -= 1
    })
    socket.on('error', (error) => {
      this.#wrong = `a connection of the load failed: ${error.message}`
    })
  }
}

export function requestText(
  method: string,
  path: string,
  port: number,
  token: string | null,
  extra = '',
  body = '',
): string {
  const authorization = token === null ? '' : `authorization: Bearer ${token}\r\n`
  const content = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n${authorization}${content}${extra}\r\n${body}`
}

export function opened(door: Door): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port: door.port,
      ca: door.ca,
      servername: door.serverName ?? 'localhost',
      ALPNProtocols: ['http/1.1'],
    })
    socket.setNoDelay(true)
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
  })
}

function reached(door: Door): Promise<Socket> {
  if (!door.plain) return opened(door)
  return new Promise((resolve, reject) => {
    const socket = connectPlainly(door.port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** How many bytes the answer to a request has, with its head. */
export function answerLength(socket: Socket, request: Buffer, expect: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const bytes = answerBytes(text, head)
      if (bytes === null) return
      socket.off('data', take)
      if (!text.startsWith(`HTTP/1.1 ${expect}`)) reject(new Error(`expected ${expect}, got: ${text.slice(0, 300)}`))
      else resolve(bytes)
    }
    socket.on('data', take)
    socket.write(request)
  })
}

/** Of an answer whose head ends at `head`, with it; null where it is not whole yet. */
function answerBytes(text: string, head: number): number | null {
  if (/transfer-encoding: chunked/i.test(text.slice(0, head)))
    return text.endsWith('\r\n0\r\n\r\n') ? text.length : null
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
  return text.length < head + 4 + length ? null : head + 4 + length
}
