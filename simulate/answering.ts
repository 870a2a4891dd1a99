import type { WebSocket } from 'ws'
import type { Answer } from '../src/api/call.ts'
import type { Life } from './gateway.ts'
import { ClientSocket } from './socket.ts'
import { adminRequest, type AdminCall, type Asked, type Request, serviceRequest, type ServiceCall } from './requests.ts'

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

export interface AnswerWatcher {
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
export interface AnsweringParts {
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
