import { setTimeout as wait } from 'node:timers/promises'
import { type Access, HttpCaller, type StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'

const PAUSE_MS = 15

/** One try of a client: its time span and the status of its response; 0 for a broken connection. */
export interface Try {
  readonly begunAt: number
  readonly endedAt: number
  readonly status: number
}

async function tried(caller: HttpCaller, request: TestRequest): Promise<Try> {
  const begunAt = performance.now()
  const answer = await caller.call(request).catch(() => ({ status: 0 }))
  return { begunAt, endedAt: performance.now(), status: answer.status }
}

/** Repeats a step until stopped. */
class Repeated {
  readonly caller: HttpCaller
  readonly #running: Promise<void>
  #isOver = false

  constructor(access: Access, step: (caller: HttpCaller) => Promise<void>, pauseMs = PAUSE_MS) {
    this.caller = new HttpCaller(access)
    this.#running = this.#run(step, pauseMs)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
    await this.caller[Symbol.asyncDispose]()
  }

  async #run(step: (caller: HttpCaller) => Promise<void>, pauseMs: number): Promise<void> {
    while (!this.#isOver) {
      await step(this.caller)
      await wait(pauseMs)
    }
  }
}

/** Reads the home repeatedly. */
export class Reader extends Repeated {
  readonly tries: Try[] = []

  constructor(access: Access, pauseMs = PAUSE_MS) {
    const tries: Try[] = []
    const step = async (caller: HttpCaller): Promise<void> => {
      tries.push(await tried(caller, { method: 'GET', path: '/v1/state' }))
    }
    super(access, step, pauseMs)
    this.tries = tries
  }

  /** Milliseconds from this moment until the client is served reliably, before `until`. */
  answeredAgain(from: number, until: number): number {
    const after = this.tries.filter(({ begunAt, endedAt }) => endedAt >= from && begunAt < until)
    const lastFailed = after.findLastIndex(({ status }) => status !== 200)
    const first = after.slice(lastFailed + 1).find(({ begunAt }) => begunAt >= from)
    return first === undefined ? Infinity : first.endedAt - from
  }
}

/** Makes distinct changes, each once, and remembers the acknowledged ones. */
export class Writer extends Repeated {
  /** Status of the response by the change's name. */
  readonly changes: ReadonlyMap<string, number>

  /** @param next creates the next change with its name. */
  constructor(access: Access, next: () => readonly [string, TestRequest], pauseMs = PAUSE_MS) {
    const changes = new Map<string, number>()
    const step = async (caller: HttpCaller): Promise<void> => {
      const [name, request] = next()
      changes.set(name, (await tried(caller, request)).status)
    }
    super(access, step, pauseMs)
    this.changes = changes
  }
}

/** Follows the live stream and resumes with `since` after each disconnection. */
export class Follower {
  /** Events without a gap, in stretches. */
  readonly stretches: string[][] = [[]]
  /** Number of reconnections. */
  resumed = 0
  lastSeq = 0
  readonly #access: Access
  readonly #running: Promise<void>
  #socket: TestSocket | null = null
  #isOver = false

  constructor(access: Access) {
    this.#access = access
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#socket?.close()
    await this.#running
  }

  /** Resolves once this event or a later one was received. */
  async reached(seq: number): Promise<void> {
    while (this.lastSeq < seq) await wait(PAUSE_MS)
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const socket = await TestSocket.open(this.#access).catch(() => null)
      if (socket !== null) await this.#follow(socket)
      await wait(PAUSE_MS)
    }
  }

  async #follow(socket: TestSocket): Promise<void> {
    this.#socket = socket
    const early: StreamMessage[] = []
    let isTold = false
    const take = (event: StreamMessage): void => {
      this.lastSeq = Number(event['seq'])
      this.stretches.at(-1)?.push(JSON.stringify(event))
    }
    socket.socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as StreamMessage
      if (!('event' in message)) return
      if (isTold) take(message)
      else early.push(message)
    })
    const isLater = this.lastSeq > 0
    const answer = await socket.subscribe(['state', 'scenes'], isLater ? this.lastSeq : undefined)
    if (answer['status'] === 200) {
      const { seq, gap } = answer['body'] as { readonly seq: number; readonly gap?: boolean }
      if (isLater) this.resumed += 1
      if (!isLater || gap === true) {
        this.stretches.push([])
        this.lastSeq = seq
      }
      isTold = true
      for (const event of early) take(event)
    }
    if (this.#isOver) socket.close()
    await socket.ended
  }
}
