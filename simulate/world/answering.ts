import { adminContract } from '../../src/admin/contract/index.ts'
import { contract } from '../../src/api/contract/index.ts'
import { adminOperations, operations } from '../../src/documents/operations.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Answer } from '../../src/api/call.ts'
import type { Life } from './gateway.ts'

export type ServiceCall = keyof typeof contract
type AdminCall = keyof typeof adminContract

/** A request by the name of its endpoint. */
interface Request {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly key: string | undefined
}

export interface Asked {
  /** What the path names. */
  readonly id?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Idempotency-Key. */
  readonly key?: string
}

export function serviceRequest(name: ServiceCall, asked: Asked = {}): Request {
  return requestOf(name, contract[name], asked)
}

export function adminRequest(name: AdminCall, asked: Asked = {}): Request {
  return requestOf(name, adminContract[name], asked)
}

function requestOf(name: string, { method, path }: Endpoint, { id, params, query = {}, body, key }: Asked): Request {
  const named: Readonly<Record<string, string>> = { ...params, ...(id === undefined ? {} : { id }) }
  const filled = path.replace(/\{(\w+)\}/g, (_, one: string) => encodeURIComponent(named[one] ?? ''))
  return { name, method, path: filled, query, body, key }
}

const DECLARED = new Map(
  [...operations(), ...adminOperations()].map(({ id, administrative, errors }) => [
    `${administrative ? 'admin ' : ''}${id}`,
    new Set<string>(errors),
  ]),
)

/** Codes that an endpoint may refuse with. A defect is declared as well, and never expected. */
export function declaredCodes(name: string, administrative: boolean): ReadonlySet<string> {
  return DECLARED.get(`${administrative ? 'admin ' : ''}${name}`) ?? new Set()
}

const OPEN = 1
const CLOSED = 3

/** A client's socket, as much of it as the stream needs; what is written to it comes out as texts, at once. */
class ClientSocket extends EventEmitter {
  readyState: number = OPEN
  readonly extensions = ''
  isPaused = false
  readonly #onText: (text: string) => void
  #rest = Buffer.alloc(0)
  readonly _socket = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      this.#read(chunk)
      done()
    },
  })

  constructor(onText: (text: string) => void) {
    super()
    this.#onText = onText
  }

  /** The client answers each ping. */
  ping(): void {
    this.emit('pong')
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  close(code: number): void {
    this.#onText(`closed ${code}`)
    this.#end()
  }

  terminate(): void {
    this.#onText('terminated')
    this.#end()
  }

  /** The client goes away. */
  leave(): void {
    this.#end()
  }

  say(message: object): void {
    this.emit('message', Buffer.from(JSON.stringify(message)), false)
  }

  #end(): void {
    if (this.readyState === CLOSED) return
    this.readyState = CLOSED
    this.emit('close')
  }

  /** Frames of a server: never masked, never in parts. */
  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (let frame = frameIn(this.#rest); frame !== null; frame = frameIn(this.#rest)) {
      this.#onText(this.#rest.toString('utf8', frame.start, frame.end))
      this.#rest = this.#rest.subarray(frame.end)
    }
  }
}

function frameIn(bytes: Buffer): { readonly start: number; readonly end: number } | null {
  const size = bytes[1]
  if (size === undefined) return null
  const start = size === 127 ? 10 : size === 126 ? 4 : 2
  if (bytes.length < start) return null
  const length = size === 127 ? Number(bytes.readBigUInt64BE(2)) : size === 126 ? bytes.readUInt16BE(2) : size
  return bytes.length < start + length ? null : { start, end: start + length }
}

/** A credential in somebody's hands. */
export interface Caller {
  readonly integration: string
  readonly link: string
  readonly token: string
  readonly kind: 'key' | 'agent'
}

/** A request that was answered, or never will be. */
export interface Exchange {
  readonly caller: Caller | null
  readonly request: Request
  /** Monotonic milliseconds. */
  readonly askedAt: number
  readonly over: 'http' | 'stream'
}

/** An answer as far as checks read it; `status` 0: the gateway died before it came. */
export interface Got {
  readonly status: number
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
  /** Of a refusal. */
  readonly code: string | null
}

interface AnswerWatcher {
  readonly asked?: (exchange: Exchange) => void
  readonly answered?: (exchange: Exchange, got: Got) => void
  /** Something came over a socket: an event, an answer, or its end. */
  readonly told?: (caller: Caller, text: string) => void
}

interface Socket {
  readonly caller: Caller
  readonly socket: ClientSocket
}

const NO_ANSWER: Got = { status: 0, text: '', body: {}, code: null }

/** What requests go to, the time, and the journal; `guarded` tells watchers and ends the run by what they throw. */
interface AnsweringParts {
  readonly life: Pick<Life, 'dispatcher' | 'admin' | 'hub'>
  /** Monotonic milliseconds. */
  readonly now: number
  note(line: string): void
  guarded(tell: () => void): void
}

/** All who ask the gateway something, and what they are told. */
export class Answering {
  readonly #parts: AnsweringParts
  readonly callers: Caller[] = []
  /** Whether answers to writes are lost on their way. */
  withholds = false
  readonly #watchers: AnswerWatcher[] = []
  readonly #waiting = new Map<Exchange, (got: Got) => void>()
  #sockets: Socket[] = []
  #ids = 0
  readonly #byId = new Map<string, { readonly exchange: Exchange; readonly socket: ClientSocket }>()

  constructor(parts: AnsweringParts) {
    this.#parts = parts
  }

  /** Requests under way. */
  get waiting(): number {
    return this.#waiting.size
  }

  get sockets(): number {
    return this.#sockets.length
  }

  /** The request that waits longest for its answer. */
  get oldest(): Exchange | undefined {
    return this.#waiting.keys().next().value
  }

  watch(watcher: AnswerWatcher): void {
    this.#watchers.push(watcher)
  }

  /** Asks over HTTPS; resolves with the answer, also where the gateway dies before it gives one. */
  ask(caller: Caller, name: ServiceCall, asked: Asked = {}): Promise<Got> {
    const request = serviceRequest(name, asked)
    const { method, path, query, body, key } = request
    return this.#exchange({ caller, request, askedAt: this.#parts.now, over: 'http' }, () =>
      this.#parts.life.dispatcher.answer({
        method,
        path,
        query,
        token: caller.token,
        via: 'home',
        peer: '127.0.0.1',
        idempotencyKey: key,
        body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
      }),
    )
  }

  /** Asks as an administrator. */
  order(name: AdminCall, asked: Asked = {}): Promise<Got> {
    const request = adminRequest(name, asked)
    const { method, path, query, body } = request
    return this.#exchange({ caller: null, request, askedAt: this.#parts.now, over: 'http' }, () =>
      this.#parts.life.admin.answer({
        method,
        path,
        query,
        body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
      }),
    )
  }

  /** Connects to the stream; false where the caller is not let in. */
  connect(caller: Caller): boolean {
    const { hub } = this.#parts.life
    try {
      const room = hub.admit(caller.token, '127.0.0.1')
      if (room !== null) {
        // Every client here answers pings, so that no place becomes free.
        room.catch(() => {})
        this.#parts.note(`${nameOf(caller)} is not let in: there are too many sockets`)
        return false
      }
    } catch (error) {
      this.#parts.note(`${nameOf(caller)} is not let in: ${error instanceof Error ? error.message : ''}`)
      return false
    }
    const socket = new ClientSocket((text) => this.#heard(caller, socket, text))
    this.#sockets.push({ caller, socket })
    // As much of a socket as the stream uses.
    hub.accept(socket as unknown as WebSocket, { token: caller.token, peer: '127.0.0.1' })
    return true
  }

  /** Subscribes on a socket of the caller; where there is none nothing happens. */
  subscribe(caller: Caller, topics: readonly string[]): void {
    const found = this.#socketOf(caller)
    this.#ids += 1
    found?.say({ id: `s${this.#ids}`, subscribe: topics })
  }

  /** Asks on the stream; null where the caller has no socket. */
  say(caller: Caller, name: ServiceCall, asked: Asked = {}): Promise<Got> | null {
    const socket = this.#socketOf(caller)
    if (socket === undefined) return null
    this.#ids += 1
    const id = String(this.#ids)
    const request = serviceRequest(name, asked)
    const { method, path, query, body, key } = request
    const exchange: Exchange = { caller, request, askedAt: this.#parts.now, over: 'stream' }
    return new Promise((resolve) => {
      this.#begin(exchange, resolve)
      this.#byId.set(id, { exchange, socket })
      socket.say({ id, method, path, query, body, ...(key === undefined ? {} : { idempotencyKey: key }) })
    })
  }

  /** A client goes away without a word. */
  leave(caller: Caller): void {
    const socket = this.#socketOf(caller)
    if (socket === undefined) return
    this.#drop(socket)
    socket.leave()
  }

  /** The gateway is gone: what is under way is never answered. */
  forget(): void {
    this.#sockets = []
    this.#byId.clear()
    for (const exchange of [...this.#waiting.keys()]) this.#end(exchange, NO_ANSWER)
  }

  #socketOf(caller: Caller): ClientSocket | undefined {
    return this.#sockets.find((each) => each.caller === caller)?.socket
  }

  #drop(socket: ClientSocket): void {
    this.#sockets = this.#sockets.filter((each) => each.socket !== socket)
    for (const [id, asked] of this.#byId) {
      if (asked.socket !== socket) continue
      this.#byId.delete(id)
      this.#end(asked.exchange, NO_ANSWER)
    }
  }

  #exchange(exchange: Exchange, send: () => Answer | Promise<Answer>): Promise<Got> {
    return new Promise((resolve) => {
      this.#begin(exchange, resolve)
      void Promise.resolve(send()).then(({ status, body }) => this.#end(exchange, gotOf(status, String(body ?? ''))))
    })
  }

  #begin(exchange: Exchange, resolve: (got: Got) => void): void {
    this.#waiting.set(exchange, resolve)
    const { request, caller, over } = exchange
    this.#parts.note(
      `${nameOf(caller)} asks${over === 'stream' ? ' on the stream' : ''} ${request.method} ${request.path}${textOf(request)}`,
    )
    this.#parts.guarded(() => this.#watchers.forEach((watcher) => watcher.asked?.(exchange)))
  }

  /** Nothing happens where it was ended before: the gateway that answers now is dead. */
  #end(exchange: Exchange, got: Got): void {
    const resolve = this.#waiting.get(exchange)
    const { request, caller } = exchange
    if (resolve === undefined || (this.withholds && request.method !== 'GET' && got.status !== 0)) return
    this.#waiting.delete(exchange)
    this.#parts.note(
      `${nameOf(caller)} gets ${got.status || 'nothing'} for ${request.method} ${request.path} ${got.text}`,
    )
    this.#parts.guarded(() => this.#watchers.forEach((watcher) => watcher.answered?.(exchange, got)))
    resolve(got)
  }

  #heard(caller: Caller, socket: ClientSocket, text: string): void {
    if (!this.#sockets.some((each) => each.socket === socket)) return
    const ended = text === 'terminated' || text.startsWith('closed ')
    if (ended) this.#drop(socket)
    this.#parts.note(`${nameOf(caller)} hears ${text}`)
    this.#parts.guarded(() => this.#watchers.forEach((watcher) => watcher.told?.(caller, text)))
    if (!ended) this.#answeredOn(text)
  }

  #answeredOn(text: string): void {
    const message = JSON.parse(text) as { readonly id?: string; readonly status?: number; readonly body?: unknown }
    const asked = message.id === undefined ? undefined : this.#byId.get(message.id)
    if (asked === undefined || message.id === undefined) return
    this.#byId.delete(message.id)
    this.#end(asked.exchange, gotOf(message.status ?? 0, JSON.stringify(message.body ?? null)))
  }
}

function gotOf(status: number, text: string): Got {
  const value: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  const body = value as Got['body']
  const error = body['error'] as { readonly code?: string } | undefined
  return { status, text, body, code: status >= 400 ? (error?.code ?? '') : null }
}

export function nameOf(caller: Caller | null): string {
  return caller === null ? 'administrator' : `${caller.kind} ${caller.link}`
}

function textOf({ query, body }: Request): string {
  const asked = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return `${asked.length === 0 ? '' : `?${asked.join('&')}`}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`
}
