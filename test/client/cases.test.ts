import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AnyInput, Method } from '../../client/src/call.ts'
import { Caller } from '../../client/src/caller.ts'
import { ConnectionError, HmError } from '../../client/src/error.ts'
import { type Followed, follow } from '../../client/src/follow.ts'
import type { HttpAnswer, HttpRequest, StreamListener, Transport } from '../../client/src/transport.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'

/** A request as a case has it: of the headers only those that matter, null for one that must not be there. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
}
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** In the place of `body`: as it comes. */
  readonly text?: string
}
interface Outcome {
  readonly answer?: unknown
  readonly error?: Readonly<Record<string, unknown>>
}
interface CallCase {
  readonly name: string
  readonly calls: readonly { readonly method: Method; readonly path: string; readonly input?: AnyInput }[]
  readonly exchanges: readonly { readonly asks: Asked; readonly answer?: Answer; readonly fails?: true }[]
  readonly waits: readonly number[]
  readonly outcomes: readonly Outcome[]
}
type Step = Readonly<Record<string, unknown>>
interface FollowCase {
  readonly name: string
  readonly since?: number
  readonly steps: readonly Step[]
}

const { calls, follows } = JSON.parse(readFileSync(new URL('../../client/cases.json', import.meta.url), 'utf8')) as {
  readonly calls: readonly CallCase[]
  readonly follows: readonly FollowCase[]
}

const httpAnswer = ({ status, headers, body, text }: Answer): HttpAnswer => ({
  status,
  header: (name) => headers[name] ?? null,
  text: text ?? (typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)),
})

function expectAsked(request: HttpRequest, { method, path, headers = {}, body }: Asked): void {
  expect([request.method, request.path]).toEqual([method, path])
  for (const [name, value] of Object.entries(headers)) expect(request.headers[name] ?? null, name).toBe(value)
  if (body !== undefined) expect(JSON.parse(request.body ?? 'null')).toEqual(body)
}

const fieldsOf = ({ status, code, appAction, retryAfter }: HmError): object => ({ status, code, appAction, retryAfter })

/** An error as a case writes it. */
const shown = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { name: kind, message } = error
  return { ...(error instanceof HmError ? fieldsOf(error) : {}), kind, message }
}

/** Plays what the other end says; time passes at once, and is written down. */
async function playCalls({ calls: asked, exchanges, waits, outcomes }: CallCase): Promise<void> {
  const left = [...exchanges]
  const waited: number[] = []
  const transport: Transport = {
    request: (request) => {
      const next = left.shift()
      expect(next, `${request.method} ${request.path} is one request too many`).toBeDefined()
      expectAsked(request, next!.asks)
      if (next!.fails) return Promise.reject(new ConnectionError('It was lost.', { isSent: true }))
      return Promise.resolve(httpAnswer(next!.answer!))
    },
    stream: () => expect.fail('There is no stream here.'),
  }
  const timing = {
    after: (delayMs: number, run: () => void) => {
      waited.push(delayMs)
      queueMicrotask(run)
      return () => {}
    },
    random: () => 0.5,
  }
  const caller = new Caller<Record<string, Record<Method, { answer: unknown }>>>(transport, timing)
  for (const [index, { method, path, input = {} }] of asked.entries()) {
    const { answer, error } = outcomes[index]!
    const done = caller.call(method, path, withoutNulls(input))
    if (error) expect(shown(await done.catch((thrown: unknown) => thrown))).toMatchObject(error)
    else expect(await done).toEqual(answer)
  }
  expect([left, waited]).toEqual([[], waits])
}

/** JSON has no word for what is not set. */
function withoutNulls({ query, ...input }: AnyInput): AnyInput {
  const set = Object.entries(query ?? {}).map(([name, value]) => [name, value ?? undefined] as const)
  return { ...input, query: Object.fromEntries(set) }
}

/** The other end of a follower, and its time. */
class Play {
  readonly clock = new ManualClock()
  readonly told: AsyncGenerator<Followed, void, undefined>
  readonly #opened: StreamListener[] = []
  readonly #sent: unknown[] = []
  readonly #asked: { readonly request: HttpRequest; readonly answer: (answer: HttpAnswer) => void }[] = []
  #closed = 0
  #line: StreamListener | null = null
  #next: Promise<unknown> | null = null

  constructor(since: number | undefined) {
    const transport: Transport = {
      request: (request) => new Promise((answer) => this.#asked.push({ request, answer })),
      stream: (listener) => {
        this.#opened.push(listener)
        return {
          send: (text) => void this.#sent.push(JSON.parse(text)),
          close: () => {
            this.#closed += 1
          },
        }
      },
    }
    const timing = { after: (ms: number, run: () => void) => this.clock.after(ms, run), random: () => 0.5 }
    this.told = follow(new Caller(transport, timing), ['*'], since === undefined ? {} : { since })
    this.#listen()
  }

  async step(step: Step): Promise<void> {
    const [[kind, value] = ['', null]] = Object.entries(step)
    switch (kind) {
      case 'opens':
      case 'refuses':
        this.#line = await this.#soon(() => this.#opened.shift())
        this.#closed = 0
        return kind === 'opens' ? this.#line.opened() : this.#line.closed(1006)
      case 'sent':
        return expect(await this.#soon(() => this.#sent.shift())).toEqual(value)
      case 'comes':
        return this.#line!.heard(value === null ? null : JSON.stringify(value))
      case 'says':
        return this.#line!.heard(value as string)
      case 'closes':
        return this.#line!.closed(value as number)
      case 'closed':
        return expect(await this.#soon(() => this.#closed)).toBeGreaterThan(0)
      case 'asks': {
        const { request, answer } = await this.#soon(() => this.#asked.shift())
        expectAsked(request, value as Asked)
        return answer(httpAnswer(step['answer'] as Answer))
      }
      case 'tells':
        return this.#expectTold(value)
      case 'ends':
        return expect(shown(await this.#next)).toMatchObject({ thrown: value })
      case 'passes':
        return this.clock.advanceAsync(value as number)
      case 'waits':
        await this.clock.advanceAsync((value as number) - 1)
        expect(this.#opened, 'a socket was opened too soon').toEqual([])
        return this.clock.advanceAsync(1)
      default:
        return expect.fail(`There is no step ${kind}.`)
    }
  }

  async #expectTold(value: unknown): Promise<void> {
    const told = (await this.#next) as Followed
    expect('error' in told ? { ...told, error: told.error && shown(told.error) } : told).toMatchObject(value as object)
    this.#listen()
  }

  #listen(): void {
    this.#next = this.told.next().then(
      ({ value }) => value,
      (error: unknown) => ({ thrown: shown(error) }),
    )
  }

  /** What is there now, or once all has happened that needs no time. */
  async #soon<T>(look: () => T | undefined): Promise<T> {
    const found = look() ?? (await this.clock.advanceAsync(0).then(look))
    expect(found).toBeDefined()
    return found!
  }
}

describe('a call of the client', () => {
  test.each(calls)('$name', playCalls)

  proves('client.reads-again', 'reads again after 429, and never sends a change again', async () => {
    const about = calls.filter(({ name }) => /sent again|three times/.test(name))
    expect(about.length).toBeGreaterThan(8)
    for (const each of about) await playCalls(each)
  })
})

/** Plays a follower's case to its end. @throws the step that went otherwise */
async function holdsSteps({ since, steps }: FollowCase): Promise<void> {
  const play = new Play(since)
  for (const [index, step] of steps.entries()) {
    try {
      await play.step(step)
    } catch (error) {
      throw new Error(`Step ${index + 1}, ${JSON.stringify(step)}: ${String(error)}`, { cause: error })
    }
  }
}

describe('following', () => {
  test.each(follows)('$name', async (each) => {
    await holdsSteps(each)
  })
})
