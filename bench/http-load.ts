import { connect, type TLSSocket } from 'node:tls'

export interface Door {
  readonly port: number
  readonly ca: string
}

const CONNECTIONS = 32

/**
 * Keep-alive connections that always have a request outstanding: they count answers by their length, and parse nothing.
 */
export class HttpLoad {
  readonly #sockets: TLSSocket[] = []
  readonly #request: Buffer
  #answerBytes = 0
  #done = 0
  #running = false
  #wrong: string | null = null

  private constructor(request: string) {
    this.#request = Buffer.from(request)
  }

  /** Opens the connections and learns how long an answer is. `expect` is the status that every answer must have. */
  static async open(door: Door, request: string, expect = 200): Promise<HttpLoad> {
    const load = new HttpLoad(request)
    for (let count = 0; count < CONNECTIONS; count += 1) load.#sockets.push(await opened(door))
    load.#answerBytes = await answerLength(load.#sockets[0] as TLSSocket, load.#request, expect)
    for (const socket of load.#sockets) load.#listen(socket)
    return load
  }

  /** Keeps every connection busy for a time; resolves to the answers counted. */
  async run(durationMs: number): Promise<number> {
    this.#done = 0
    this.#running = true
    for (const socket of this.#sockets) socket.write(this.#request)
    await new Promise((resolve) => setTimeout(resolve, durationMs))
    this.#running = false
    const done = this.#done
    // What is still outstanding arrives before the next round begins.
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (this.#wrong) throw new Error(this.#wrong)
    return done
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #listen(socket: TLSSocket): void {
    let pending = 0
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.length
      while (pending >= this.#answerBytes) {
        pending -= this.#answerBytes
        this.#done += 1
        if (this.#running) socket.write(this.#request)
      }
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
      servername: 'localhost',
      ALPNProtocols: ['http/1.1'],
    })
    socket.setNoDelay(true)
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
  })
}

function answerLength(socket: TLSSocket, request: Buffer, expect: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
      if (text.length < head + 4 + length) return
      socket.off('data', take)
      if (!text.startsWith(`HTTP/1.1 ${expect}`)) reject(new Error(`expected ${expect}, got: ${text.slice(0, 300)}`))
      else resolve(head + 4 + length)
    }
    socket.on('data', take)
    socket.write(request)
  })
}
