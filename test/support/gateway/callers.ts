import { Agent, request } from 'node:https'
import { createSecureContext, type SecureContext } from 'node:tls'
import { WebSocket } from 'ws'
import { answerOf } from './answer-of.ts'
import { checkAnswer, checkEvent } from './conformance.ts'
import type { TestCaller, TestAnswer, TestRequest } from './verifies.ts'

export interface Access {
  readonly url: string
  readonly ca: string
  readonly token: string | null
  /** Name for TLS and Host if it differs from the address: a gateway behind a relay. */
  readonly serverName?: string
  /** Source address of the connection. */
  readonly from?: string
}

export interface RawAnswer extends TestAnswer {
  /** The raw body. */
  readonly text: string
}

/** A client over one transport that checks every response against the published document. */
export interface RawCaller extends TestCaller, AsyncDisposable {
  call(request: TestRequest): Promise<RawAnswer>
}

const ANSWER_WAIT_MS = 60_000

let trusted: { readonly ca: string; readonly secureContext: SecureContext } | null = null

/** A TLS context that trusts only this CA, created once for all connections to a gateway. */
export function trusting(ca: string): { readonly secureContext: SecureContext } {
  if (trusted?.ca !== ca) trusted = { ca, secureContext: createSecureContext({ ca }) }
  return { secureContext: trusted.secureContext }
}

interface RequestParts {
  readonly body: unknown
  readonly key?: string | undefined
  readonly token?: string | null | undefined
  readonly accept?: string
}

export class HttpCaller implements RawCaller {
  readonly transport = 'http'
  readonly #access: Access
  readonly #agent: Agent

  constructor(access: Access) {
    this.#access = access
    const { ca, serverName, from } = access
    this.#agent = new Agent({
      keepAlive: true,
      ...trusting(ca),
      ...(serverName ? { servername: serverName } : {}),
      ...(from ? { localAddress: from } : {}),
    })
  }

  async call({ method, path, query, body, key, token }: TestRequest): Promise<RawAnswer> {
    const question = query && Object.keys(query).length > 0 ? `?${new URLSearchParams(query).toString()}` : ''
    const answer = await this.send(method, `${path}${question}`, { body, key, token })
    checkAnswer(method, path, answer.status, answer.body)
    return answer
  }

  /** Sends a request to any path of the gateway, without checking the response. */
  send(method: string, path: string, parts: RequestParts): Promise<RawAnswer> {
    const { body, key, token = this.#access.token, accept } = parts
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const { serverName } = this.#access
    const headers = {
      ...(serverName === undefined ? {} : { host: serverName }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(accept === undefined ? {} : { accept }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    }
    return new Promise<RawAnswer>((resolve, reject) => {
      const sent = request(
        `${this.#access.url}${path}`,
        { method, headers, agent: this.#agent, timeout: ANSWER_WAIT_MS },
        (response) => void answerOf(response).then(resolve, reject),
      )
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered in ${ANSWER_WAIT_MS} ms`)))
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A gateway may close the idle connection of a stranger in the moment in which the stranger reuses it.
        if (token === null && sent.reusedSocket && error.code === 'ECONNRESET')
          this.send(method, path, parts).then(resolve, reject)
        else reject(error)
      })
      sent.end(payload)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await Promise.resolve()
  }
}

/** Close codes of a credential that is no longer valid. */
const ACCESS_ENDED_CODES: readonly number[] = [4401, 4403]

/** Requests over the stream, with one socket per token, since the upgrade sets a socket's token. */
export class StreamCaller implements RawCaller {
  readonly transport = 'stream'
  readonly #access: Access
  readonly #sockets = new Map<string | null, Promise<TestSocket>>()
  #ids = 0

  constructor(access: Access) {
    this.#access = access
  }

  async call({ method, path, query, body, key, token = this.#access.token }: TestRequest): Promise<RawAnswer> {
    let socket: TestSocket
    try {
      socket = await this.#socket(token)
    } catch (error) {
      if (error instanceof UpgradeRefused) return error.answer
      throw error
    }
    this.#ids += 1
    const id = `r${this.#ids}`
    const text = await socket.ask(id, {
      id,
      method,
      path,
      ...(query ? { query } : {}),
      ...(key === undefined ? {} : { idempotencyKey: key }),
      ...(body === undefined ? {} : { body }),
    })
    const { status, body: answer } = JSON.parse(text) as { status: number; body: unknown }
    // The gateway had closed the socket before this request; the access check gives the reason.
    if (status === 0 && ACCESS_ENDED_CODES.includes(await socket.ended))
      return this.call({ method, path, token, ...(query ? { query } : {}), ...(body === undefined ? {} : { body }) })
    const raw = text.slice(text.indexOf(',"body":') + ',"body":'.length, -1)
    checkAnswer(method, path, status, answer)
    return { status, body: answer, text: raw }
  }

  #socket(token: string | null): Promise<TestSocket> {
    const known = this.#sockets.get(token)
    if (known) return known
    const made = TestSocket.open({ ...this.#access, token })
    this.#sockets.set(token, made)
    // A socket that was refused or has ended is not reused: the next request connects anew.
    made.then(
      (socket) => socket.ended.then(() => this.#sockets.delete(token)),
      () => this.#sockets.delete(token),
    )
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.values()) (await socket.catch(() => null))?.close()
  }
}

/** The upgrade got an ordinary refusal. */
export class UpgradeRefused extends Error {
  readonly answer: RawAnswer
  constructor(answer: RawAnswer) {
    super(`the upgrade was refused with ${answer.status}`)
    this.answer = answer
  }
}

export interface StreamMessage {
  readonly [field: string]: unknown
}

/** A client of the stream that records every event and lets a test await the next one. */
export class TestSocket {
  readonly socket: WebSocket
  readonly events: StreamMessage[] = []
  /** Resolves with the close code. */
  readonly ended: Promise<number>
  readonly #answers = new Map<string, (text: string) => void>()
  readonly #waiting = new Set<() => void>()
  /** Waits for an event. A home lets its radio's time pass faster meanwhile. */
  hasten = <T>(work: Promise<T>): Promise<T> => work

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.ended = new Promise((resolve) => {
      socket.once('close', (code) => {
        // The end of the socket answers its pending requests.
        for (const answer of this.#answers.values()) answer('{"id":null,"status":0,"body":null}')
        resolve(code)
      })
    })
    socket.on('error', () => {})
    socket.on('message', (data: Buffer) => this.#take(data.toString('utf8')))
  }

  /** @param query with its question mark */
  static open(access: Access, headers: Record<string, string> = {}, query = ''): Promise<TestSocket> {
    const authorization = access.token === null ? {} : { authorization: `Bearer ${access.token}` }
    const socket = new WebSocket(`${access.url.replace('https', 'wss')}/v1/stream${query}`, {
      ...trusting(access.ca),
      ...(access.serverName === undefined ? {} : { servername: access.serverName }),
      headers: {
        ...(access.serverName === undefined ? {} : { host: access.serverName }),
        ...authorization,
        ...headers,
      },
      perMessageDeflate: false,
    })
    return new Promise((resolve, reject) => {
      const opened = new TestSocket(socket)
      socket.once('open', () => resolve(opened))
      socket.once('error', reject)
      socket.once('unexpected-response', (_request, response) => {
        answerOf(response).then((answer) => reject(new UpgradeRefused(answer)), reject)
      })
    })
  }

  /** Sends a message with an id and resolves to the text of its response. */
  ask(id: string, message: object): Promise<string> {
    return new Promise((resolve) => {
      this.#answers.set(id, resolve)
      this.socket.send(JSON.stringify(message))
    })
  }

  async subscribe(topics: readonly string[], since?: number): Promise<StreamMessage> {
    const text = await this.ask('sub', { id: 'sub', subscribe: topics, ...(since === undefined ? {} : { since }) })
    return JSON.parse(text) as StreamMessage
  }

  /** The first matching event, past or future. */
  async event(fits: (event: StreamMessage) => boolean): Promise<StreamMessage> {
    return this.events.find(fits) ?? this.hasten(this.#coming(fits))
  }

  async #coming(fits: (event: StreamMessage) => boolean): Promise<StreamMessage> {
    for (;;) {
      const found = this.events.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve)
      })
    }
  }

  close(): void {
    this.socket.close()
  }

  #take(text: string): void {
    const message = JSON.parse(text) as StreamMessage
    if ('status' in message) {
      const id = String(message['id'])
      this.#answers.get(id)?.(text)
      this.#answers.delete(id)
      return
    }
    if ('event' in message) checkEvent(message)
    this.events.push(message)
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
}
