import { once } from 'node:events'
import { connect as connectPlainly, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { WebSocket } from 'ws'

export interface Door {
  readonly port: number
  readonly ca: string
  /** Whose certificate it shows; `localhost` unless said. */
  readonly serverName?: string
  /** Over plain http, as some peers of the gateway listen: there is no certificate to look at then. */
  readonly plain?: true
}

const HOST = '127.0.0.1'
const CONNECTIONS = 32
/** For what is outstanding at the end of a round. */
const ANSWERS_WAIT_MS = 10_000
const HEAD_END = '\r\n\r\n'

/** Something that can be run for a while and counted. */
export interface Load {
  /** Resolves to the answers counted. */
  run(durationMs: number): Promise<number>
  close(): void
}

/** One connection of a load. */
interface Lane {
  readonly send: () => void
  readonly close: () => void
}

/** Connections that always have something outstanding while they run. */
class Lanes implements Load {
  readonly #lanes: Lane[] = []
  #done = 0
  #outstanding = 0
  #running = false
  #wrong: Error | null = null

  /** Answers what is to be called for each of its answers. */
  add(lane: Lane): () => void {
    this.#lanes.push(lane)
    return () => {
      this.#done += 1
      if (this.#running) lane.send()
      else this.#outstanding -= 1
    }
  }

  fail(error: Error): void {
    this.#wrong ??= error
  }

  async run(durationMs: number): Promise<number> {
    using _awake = polling()
    this.#done = 0
    this.#running = true
    this.#outstanding = this.#lanes.length
    for (const lane of this.#lanes) lane.send()
    await pause(durationMs)
    this.#running = false
    const done = this.#done
    const until = performance.now() + ANSWERS_WAIT_MS
    // Outstanding answers arrive before the next round begins.
    while (this.#outstanding > 0 && performance.now() < until) await pause(20)
    if (this.#outstanding > 0) this.fail(new Error('an answer did not come, or is shorter than the first one was'))
    if (this.#wrong !== null) throw this.#wrong
    return done
  }

  close(): void {
    for (const lane of this.#lanes) lane.close()
  }
}

/**
 * Keep-alive connections whose answers are counted by their length, which is the same for all; nothing is parsed.
 * @param request the same for all connections, or that of each, by its number.
 * @param expect the status that every answer must have.
 */
export async function httpLoad(
  door: Door,
  request: string | ((connection: number) => string),
  expect = 200,
  connections = CONNECTIONS,
): Promise<Load> {
  const requests = Array.from({ length: connections }, (_, index) =>
    Buffer.from(typeof request === 'string' ? request : request(index)),
  )
  // Together, since a server waits only so long for the first request of each.
  const sockets = await Promise.all(requests.map(() => opened(door)))
  const { status, bytes, body } = await asked(sockets[0] as Socket, requests[0] as Buffer)
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
      // One request is outstanding at a time: more bytes than its answer has are of an answer of another length.
      if (pending > bytes) load.fail(new Error('an answer is longer than the first one was'))
      pending = 0
      answered()
    })
    socket.on('error', (error) => load.fail(error))
  }
  return load
}

/** Sockets that ask the same again and again. @param isAnswer false for a message that is none; throws for a refusal. */
export function messageLoad(
  sockets: readonly WebSocket[],
  message: string,
  isAnswer: (data: Buffer) => boolean = () => true,
): Load {
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

export async function openSocket(door: Door, path: string, token: string | null): Promise<WebSocket> {
  const trust = { ca: door.ca, servername: door.serverName ?? 'localhost' }
  const socket = new WebSocket(`${door.plain ? 'ws' : 'wss'}://${HOST}:${door.port}${path}`, {
    ...(door.plain ? {} : trust),
    perMessageDeflate: false,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  return socket
}

/** Sockets of the gateway's stream that have subscribed to everything. */
export async function subscribed(door: Door, tokens: readonly string[]): Promise<readonly WebSocket[]> {
  const sockets: WebSocket[] = []
  for (const token of tokens) {
    const socket = await openSocket(door, '/v1/stream', token)
    socket.send(JSON.stringify({ id: '1', subscribe: ['*'] }))
    await once(socket, 'message')
    sockets.push(socket)
  }
  return sockets
}

export function openSockets(door: Door, path: string, token: string | null): Promise<WebSocket[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => openSocket(door, path, token)))
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

export async function opened(door: Door): Promise<Socket> {
  const trust = { ca: door.ca, servername: door.serverName ?? 'localhost', ALPNProtocols: ['http/1.1'] }
  const place = { host: HOST, port: door.port }
  const socket = door.plain ? connectPlainly(place) : connect({ ...place, ...trust })
  socket.setNoDelay(true)
  await once(socket, door.plain ? 'connect' : 'secureConnect')
  // The request under way on it reports the error.
  socket.on('error', () => {})
  return socket
}

export interface Answer {
  readonly status: number
  readonly head: string
  /** As it came: chunks stay chunks. */
  readonly body: string
  /** Of the whole answer, with its head. */
  readonly bytes: number
}

/** Asks on a connection; resolves with the whole answer. */
export function asked(socket: Socket, request: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let wanted: number | null = null
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      bytes += chunk.length
      wanted ??= lengthOf(Buffer.concat(chunks))
      const isWhole =
        wanted === CHUNKED ? chunk.toString('latin1').endsWith(`0${HEAD_END}`) : bytes >= (wanted ?? Infinity)
      if (!isWhole) return
      socket.off('data', take).off('error', reject)
      resolve(answerOf(Buffer.concat(chunks)))
    }
    socket.on('data', take).on('error', reject)
    socket.write(request)
  })
}

/** Instead of its length, of an answer that comes in chunks. */
const CHUNKED = -1

/** How many bytes an answer has with its head; null where that is not whole yet. */
function lengthOf(come: Buffer): number | null {
  const end = come.indexOf(HEAD_END)
  if (end < 0) return null
  const head = come.toString('latin1', 0, end)
  if (/transfer-encoding: chunked/i.test(head)) return CHUNKED
  return end + HEAD_END.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
}

function answerOf(whole: Buffer): Answer {
  const end = whole.indexOf(HEAD_END)
  const head = whole.toString('latin1', 0, end)
  const body = whole.toString('utf8', end + HEAD_END.length)
  return { status: Number(head.slice(9, 12)), head, body, bytes: whole.length }
}

/** The body of the answer. @throws Error for a status from 300 on. */
export async function served(socket: Socket, request: string): Promise<string> {
  const { status, body } = await asked(socket, request)
  if (status >= 300) throw new Error(`a request of the benchmark was answered ${status}: ${body.slice(0, 400)}`)
  return body
}

/** Asks on a connection of its own. */
export async function fetched(door: Door, request: string): Promise<Answer> {
  const socket = await opened(door)
  const answer = await asked(socket, request)
  socket.destroy()
  return answer
}

/** The JSON that the gateway answers to a read. @throws Error where it refuses. */
export async function read<T>(door: Door, path: string, token: string): Promise<T> {
  const { status, body } = await fetched(door, requestText('GET', path, door.port, token))
  if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${body.slice(0, 400)}`)
  return JSON.parse(body) as T
}

/**
 * Keeps the event loop of this process turning until it is disposed of. A server that answers a load that sleeps pays
 * for waking it with each answer, and a slower server more often than a faster one: the ratio would be of the system's
 * wake-ups.
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
