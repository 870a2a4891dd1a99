import { adminContract } from '../../src/admin/contract/index.ts'
import { contract } from '../../src/api/contract/index.ts'
import { adminOperations, operations } from '../../src/documents/api-calls.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Answer } from '../../src/api/call.ts'
import type { GatewayLife } from './gateway.ts'

export type ServiceCall = keyof typeof contract
type AdminCall = keyof typeof adminContract

/** A request by the name of its endpoint. */
interface RecordedRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly key: string | undefined
}

export interface RequestArguments {
  /** Fills `{id}` in the path. */
  readonly id?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Idempotency-Key. */
  readonly key?: string
}

export function serviceRequest(name: ServiceCall, args: RequestArguments = {}): RecordedRequest {
  return requestOf(name, contract[name], args)
}

export function adminRequest(name: AdminCall, args: RequestArguments = {}): RecordedRequest {
  return requestOf(name, adminContract[name], args)
}

function requestOf(
  name: string,
  { method, path }: Endpoint,
  { id, params, query = {}, body, key }: RequestArguments,
): RecordedRequest {
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

/** Error codes that an endpoint declares. `internal` is declared too, but never expected. */
export function declaredCodes(name: string, administrative: boolean): ReadonlySet<string> {
  return DECLARED.get(`${administrative ? 'admin ' : ''}${name}`) ?? new Set()
}

const OPEN = 1
const CLOSED = 3

/** The part of a client's socket that the stream uses. It passes on the text of each frame at once. */
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

  /** The client disconnects. */
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

  /** Reads frames of a server, which are neither masked nor fragmented. */
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

/** A user of a credential. */
export interface SimCaller {
  readonly integration: string
  readonly link: string
  readonly token: string
  readonly kind: 'key' | 'agent'
}

/** A request, with or without a response. */
export interface RecordedCall {
  readonly caller: SimCaller | null
  readonly request: RecordedRequest
  /** Monotonic milliseconds. */
  readonly requestedAt: number
  readonly over: 'http' | 'stream'
}

/** The parts of a response that checks read. `status` is 0 if the gateway died before. */
export interface RecordedReply {
  readonly status: number
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
  /** Code of a refusal. */
  readonly code: string | null
}

interface AnswerWatcher {
  readonly requested?: (exchange: RecordedCall) => void
  readonly answered?: (exchange: RecordedCall, reply: RecordedReply) => void
  /** A socket received an event or response, or was closed. */
  readonly received?: (caller: SimCaller, text: string) => void
}

interface Socket {
  readonly caller: SimCaller
  readonly socket: ClientSocket
}

const NO_REPLY: RecordedReply = { status: 0, text: '', body: {}, code: null }

/** Receivers of requests, time and journal. `guarded` calls watchers and ends the run if they throw. */
interface AnsweringParts {
  readonly life: Pick<GatewayLife, 'dispatcher' | 'admin' | 'hub'>
  /** Monotonic milliseconds. */
  readonly now: number
  note(line: string): void
  guarded(notify: () => void): void
}

/** All callers of the gateway with their requests and sockets. */
export class Answering {
  readonly #parts: AnsweringParts
  readonly callers: SimCaller[] = []
  /** True while responses to writes are lost. */
  withholds = false
  readonly #watchers: AnswerWatcher[] = []
  readonly #waiting = new Map<RecordedCall, (reply: RecordedReply) => void>()
  #sockets: Socket[] = []
  #ids = 0
  readonly #byId = new Map<string, { readonly exchange: RecordedCall; readonly socket: ClientSocket }>()

  constructor(parts: AnsweringParts) {
    this.#parts = parts
  }

  /** Number of pending requests. */
  get waiting(): number {
    return this.#waiting.size
  }

  get sockets(): number {
    return this.#sockets.length
  }

  /** The oldest pending request. */
  get oldest(): RecordedCall | undefined {
    return this.#waiting.keys().next().value
  }

  watch(watcher: AnswerWatcher): void {
    this.#watchers.push(watcher)
  }

  /** Sends a request over HTTPS. Resolves with the response, or with status 0 if the gateway dies before. */
  ask(caller: SimCaller, name: ServiceCall, args: RequestArguments = {}): Promise<RecordedReply> {
    const request = serviceRequest(name, args)
    const { method, path, query, body, key } = request
    return this.#exchange({ caller, request, requestedAt: this.#parts.now, over: 'http' }, () =>
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

  /** Sends a request of an administrator. */
  order(name: AdminCall, args: RequestArguments = {}): Promise<RecordedReply> {
    const request = adminRequest(name, args)
    const { method, path, query, body } = request
    return this.#exchange({ caller: null, request, requestedAt: this.#parts.now, over: 'http' }, () =>
      this.#parts.life.admin.answer({
        method,
        path,
        query,
        body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
      }),
    )
  }

  /** Connects to the stream. Returns false if the gateway refuses the caller. */
  connect(caller: SimCaller): boolean {
    const { hub } = this.#parts.life
    try {
      const room = hub.admit(caller.token, '127.0.0.1')
      if (room !== null) {
        // No place becomes free, because all clients here answer pings.
        room.catch(() => {})
        this.#parts.note(`${nameOf(caller)} is refused: there are too many sockets`)
        return false
      }
    } catch (error) {
      this.#parts.note(`${nameOf(caller)} is refused: ${error instanceof Error ? error.message : ''}`)
      return false
    }
    const socket = new ClientSocket((text) => this.#received(caller, socket, text))
    this.#sockets.push({ caller, socket })
    hub.accept(socket as unknown as WebSocket, { token: caller.token, peer: '127.0.0.1' })
    return true
  }

  /** Subscribes on the caller's socket, if there is one. */
  subscribe(caller: SimCaller, topics: readonly string[]): void {
    const socket = this.#socketOf(caller)
    this.#ids += 1
    socket?.say({ id: `s${this.#ids}`, subscribe: topics })
  }

  /** Sends a request on the stream. Returns null if the caller has no socket. */
  say(caller: SimCaller, name: ServiceCall, args: RequestArguments = {}): Promise<RecordedReply> | null {
    const socket = this.#socketOf(caller)
    if (socket === undefined) return null
    this.#ids += 1
    const id = String(this.#ids)
    const request = serviceRequest(name, args)
    const { method, path, query, body, key } = request
    const exchange: RecordedCall = { caller, request, requestedAt: this.#parts.now, over: 'stream' }
    return new Promise((resolve) => {
      this.#begin(exchange, resolve)
      this.#byId.set(id, { exchange, socket })
      socket.say({ id, method, path, query, body, ...(key === undefined ? {} : { idempotencyKey: key }) })
    })
  }

  /** A client disconnects without a close frame. */
  leave(caller: SimCaller): void {
    const socket = this.#socketOf(caller)
    if (socket === undefined) return
    this.#drop(socket)
    socket.leave()
  }

  /** Ends all sockets and pending requests, because the gateway has died. */
  forget(): void {
    this.#sockets = []
    this.#byId.clear()
    for (const exchange of [...this.#waiting.keys()]) this.#end(exchange, NO_REPLY)
  }

  #socketOf(caller: SimCaller): ClientSocket | undefined {
    return this.#sockets.find((open) => open.caller === caller)?.socket
  }

  #drop(socket: ClientSocket): void {
    this.#sockets = this.#sockets.filter((open) => open.socket !== socket)
    for (const [id, pending] of this.#byId) {
      if (pending.socket !== socket) continue
      this.#byId.delete(id)
      this.#end(pending.exchange, NO_REPLY)
    }
  }

  #exchange(exchange: RecordedCall, send: () => Answer | Promise<Answer>): Promise<RecordedReply> {
    return new Promise((resolve) => {
      this.#begin(exchange, resolve)
      void Promise.resolve(send()).then(({ status, body }) => this.#end(exchange, replyOf(status, String(body ?? ''))))
    })
  }

  #begin(exchange: RecordedCall, resolve: (reply: RecordedReply) => void): void {
    this.#waiting.set(exchange, resolve)
    const { request, caller, over } = exchange
    this.#parts.note(
      `${nameOf(caller)} asks${over === 'stream' ? ' on the stream' : ''} ${request.method} ${request.path}${textOf(request)}`,
    )
    this.#parts.guarded(() => this.#watchers.forEach((watcher) => watcher.requested?.(exchange)))
  }

  /** Ignores late responses of a dead gateway. */
  #end(exchange: RecordedCall, reply: RecordedReply): void {
    const resolve = this.#waiting.get(exchange)
    const { request, caller } = exchange
    if (resolve === undefined || (this.withholds && request.method !== 'GET' && reply.status !== 0)) return
    this.#waiting.delete(exchange)
    this.#parts.note(
      `${nameOf(caller)} gets ${reply.status || 'nothing'} for ${request.method} ${request.path} ${reply.text}`,
    )
    this.#parts.guarded(() => this.#watchers.forEach((watcher) => watcher.answered?.(exchange, reply)))
    resolve(reply)
  }

  #received(caller: SimCaller, socket: ClientSocket, text: string): void {
    if (!this.#sockets.some((open) => open.socket === socket)) return
    const ended = text === 'terminated' || text.startsWith('closed ')
    if (ended) this.#drop(socket)
    this.#parts.note(`${nameOf(caller)} hears ${text}`)
    this.#parts.guarded(() => this.#watchers.forEach((watcher) => watcher.received?.(caller, text)))
    if (!ended) this.#answeredOn(text)
  }

  #answeredOn(text: string): void {
    const message = JSON.parse(text) as { readonly id?: string; readonly status?: number; readonly body?: unknown }
    const pending = message.id === undefined ? undefined : this.#byId.get(message.id)
    if (pending === undefined || message.id === undefined) return
    this.#byId.delete(message.id)
    this.#end(pending.exchange, replyOf(message.status ?? 0, JSON.stringify(message.body ?? null)))
  }
}

function replyOf(status: number, text: string): RecordedReply {
  const value: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  const body = value as RecordedReply['body']
  const error = body['error'] as { readonly code?: string } | undefined
  return { status, text, body, code: status >= 400 ? (error?.code ?? '') : null }
}

export function nameOf(caller: SimCaller | null): string {
  return caller === null ? 'administrator' : `${caller.kind} ${caller.link}`
}

function textOf({ query, body }: RecordedRequest): string {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return `${parameters.length === 0 ? '' : `?${parameters.join('&')}`}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`
}
