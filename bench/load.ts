import { once } from 'node:events'
import { connect as connectPlainly, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { WebSocket } from 'ws'

export interface Listener {
  readonly port: number
  readonly ca: string
  /** Name in its certificate; `localhost` by default. */
  readonly serverName?: string
  /** True for plain http without a certificate, as some peers of the gateway listen. */
  readonly plain?: true
}

const HOST = '127.0.0.1'
/** Connections of a busy load. */
export const CONNECTIONS = 32
/** Wait for pending responses at the end of a round. */
const ANSWERS_WAIT_MS = 10_000
const COLD_EVERY_MS = 100
const HEAD_END = '\r\n\r\n'

/** A load that runs for a while and is timed. */
export interface LoadRun {
  /** Resolves with the duration of each response in milliseconds. */
  run(durationMs: number): Promise<readonly number[]>
  close(): void
}

/** One connection of a load. */
interface Lane {
  readonly send: () => void
  readonly close: () => void
}

/** Connections that always have a pending request while they run. */
class Lanes implements LoadRun {
  readonly #lanes: Lane[] = []
  #times: number[] = []
  #outstanding = 0
  #running = false
  #wrong: Error | null = null

  /** Returns the callback for each response. */
  add(lane: Lane): () => void {
    let begun = 0
    const send = (): void => {
      begun = performance.now()
      lane.send()
    }
    this.#lanes.push({ ...lane, send })
    return () => {
      this.#times.push(performance.now() - begun)
      if (this.#running) send()
      else this.#outstanding -= 1
    }
  }

  fail(error: Error): void {
    this.#wrong ??= error
  }

  async run(durationMs: number): Promise<readonly number[]> {
    using _awake = polling()
    this.#times = []
    this.#running = true
    this.#outstanding = this.#lanes.length
    for (const lane of this.#lanes) lane.send()
    await pause(durationMs)
    this.#running = false
    const times = this.#times.slice()
    const until = performance.now() + ANSWERS_WAIT_MS
    // Pending responses must arrive before the next round.
    while (this.#outstanding > 0 && performance.now() < until) await pause(20)
    if (this.#outstanding > 0) this.fail(new Error('a response is missing, or shorter than the first one'))
    if (this.#wrong !== null) throw this.#wrong
    return times
  }

  close(): void {
    for (const lane of this.#lanes) lane.close()
  }
}

/**
 * Keep-alive connections that count responses by their common length, without parsing.
 * @param request the request of all connections, or a function of the connection's number
 * @param expect required status of every response
 */
export async function httpLoad(
  address: Listener,
  request: string | ((connection: number) => string),
  expect = 200,
  connections = CONNECTIONS,
): Promise<LoadRun> {
  const requests = Array.from({ length: connections }, (_, index) =>
    Buffer.from(typeof request === 'string' ? request : request(index)),
  )
  // In parallel, because a server limits the wait for the first request.
  const sockets = await Promise.all(requests.map(() => openConnection(address)))
  const { status, bytes, body } = await roundTrip(sockets[0] as Socket, requests[0] as Buffer)
  if (status !== expect) throw new Error(`expected ${expect}, got ${status}: ${body.slice(0, 300)}`)
  const load = new Lanes()
  for (const [index, socket] of sockets.entries()) {
    const answered = load.add({
      send: () => socket.write(requests[index] as Buffer),
      close: () => socket.destroy(),
    })
    let pending = 0
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.length
      if (pending < bytes) return
      // One request is pending at a time, so extra bytes mean a longer response.
      if (pending > bytes) load.fail(new Error('a response is longer than the first one'))
      pending = 0
      answered()
    })
    socket.on('error', (error) => load.fail(error))
  }
  return load
}

/** One connection that sends a request every 100 ms, like a home's client. The server's caches are cold then. */
export async function coldLoad(address: Listener, request: string): Promise<LoadRun> {
  const socket = await openConnection(address)
  return {
    run: async (durationMs) => {
      using _awake = polling()
      return await paced(socket, () => request, COLD_EVERY_MS, performance.now() + durationMs)
    },
    close: () => socket.destroy(),
  }
}

/** Sends consecutive requests at this pace. Returns their durations. */
export async function paced(
  socket: Socket,
  request: () => string,
  everyMs: number,
  until: number,
): Promise<readonly number[]> {
  const times: number[] = []
  while (performance.now() < until) {
    const begun = performance.now()
    await bodyOf(socket, request())
    const took = performance.now() - begun
    times.push(took)
    await pause(Math.max(0, everyMs - took))
  }
  return times
}

/** Sockets that repeat a request. @param isAnswer returns false for other messages and throws for a refusal */
export function messageLoad(
  sockets: readonly WebSocket[],
  message: string,
  isAnswer: (data: Buffer) => boolean = () => true,
): LoadRun {
  const load = new Lanes()
  for (const socket of sockets) {
    const answered = load.add({ send: () => socket.send(message), close: () => socket.terminate() })
    socket.on('error', (error) => load.fail(error))
    socket.on('message', (data: Buffer) => {
      try {
        if (isAnswer(data)) answered()
      } catch (error) {
        load.fail(error as Error)
      }
    })
  }
  return load
}

export async function openSocket(address: Listener, path: string, token: string | null): Promise<WebSocket> {
  const trust = { ca: address.ca, servername: address.serverName ?? 'localhost' }
  const socket = new WebSocket(`${address.plain ? 'ws' : 'wss'}://${HOST}:${address.port}${path}`, {
    ...(address.plain ? {} : trust),
    perMessageDeflate: false,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  return socket
}

/** Opens sockets of the gateway's stream that subscribe to everything. */
export async function openSubscribers(address: Listener, tokens: readonly string[]): Promise<readonly WebSocket[]> {
  const sockets: WebSocket[] = []
  for (const token of tokens) {
    const socket = await openSocket(address, '/v1/stream', token)
    socket.send(JSON.stringify({ id: '1', subscribe: ['*'] }))
    await once(socket, 'message')
    sockets.push(socket)
  }
  return sockets
}

export function openSockets(address: Listener, path: string, token: string | null): Promise<WebSocket[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => openSocket(address, path, token)))
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

export async function openConnection(address: Listener): Promise<Socket> {
  const trust = { ca: address.ca, servername: address.serverName ?? 'localhost', ALPNProtocols: ['http/1.1'] }
  const place = { host: HOST, port: address.port }
  const socket = address.plain ? connectPlainly(place) : connect({ ...place, ...trust })
  socket.setNoDelay(true)
  await once(socket, address.plain ? 'connect' : 'secureConnect')
  // The pending request reports the error.
  socket.on('error', () => {})
  return socket
}

export interface RawResponse {
  readonly status: number
  readonly head: string
  /** Raw body, with chunk headers. */
  readonly body: string
  /** Length of the response with its head. */
  readonly bytes: number
}

/** Sends a request on a connection. Resolves with the complete response. */
export function roundTrip(socket: Socket, request: string | Buffer): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let expected: number | null = null
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      bytes += chunk.length
      expected ??= lengthOf(Buffer.concat(chunks))
      const isWhole =
        expected === CHUNKED ? chunk.toString('latin1').endsWith(`0${HEAD_END}`) : bytes >= (expected ?? Infinity)
      if (!isWhole) return
      socket.off('data', take).off('error', reject)
      resolve(answerOf(Buffer.concat(chunks)))
    }
    socket.on('data', take).on('error', reject)
    socket.write(request)
  })
}

/** Stands for the length of a chunked response. */
const CHUNKED = -1

/** Length of a response with its head, or null if the head is incomplete. */
function lengthOf(received: Buffer): number | null {
  const end = received.indexOf(HEAD_END)
  if (end < 0) return null
  const head = received.toString('latin1', 0, end)
  if (/transfer-encoding: chunked/i.test(head)) return CHUNKED
  return end + HEAD_END.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
}

function answerOf(whole: Buffer): RawResponse {
  const end = whole.indexOf(HEAD_END)
  const head = whole.toString('latin1', 0, end)
  const body = whole.toString('utf8', end + HEAD_END.length)
  return { status: Number(head.slice(9, 12)), head, body, bytes: whole.length }
}

/** Sends a request and returns the body. @throws Error for a status from 300 on */
export async function bodyOf(socket: Socket, request: string): Promise<string> {
  const { status, body } = await roundTrip(socket, request)
  if (status >= 300) throw new Error(`a request of the benchmark got status ${status}: ${body.slice(0, 400)}`)
  return body
}

/** Sends a request on a new connection. */
export async function fetchOnce(address: Listener, request: string): Promise<RawResponse> {
  const socket = await openConnection(address)
  const answer = await roundTrip(socket, request)
  socket.destroy()
  return answer
}

/** Reads JSON from the gateway. @throws Error if it refuses */
export async function read<T>(address: Listener, path: string, token: string): Promise<T> {
  const { status, body } = await fetchOnce(address, requestText('GET', path, address.port, token))
  if (status !== 200) throw new Error(`GET ${path} got status ${status}: ${body.slice(0, 400)}`)
  return JSON.parse(body) as T
}

/**
 * Keeps the event loop of this process busy until disposed. Otherwise a server would pay for waking the load with each
 * response, a slow server more often than a fast one, and the ratio would measure wake-ups.
 */
export function polling(): Disposable {
  let going = true
  const turn = (): void => {
    if (going) setImmediate(turn)
  }
  turn()
  return {
    [Symbol.dispose]: () => {
      going = false
    },
  }
}
