import { expect } from 'vitest'
import { Caller } from '../../../client/src/caller.ts'
import { HmError } from '../../../client/src/error.ts'
import type { HttpAnswer, HttpRequest, StreamListener, Transport } from '../../../client/src/transport.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

/** An expected request. Only the listed headers are compared; null means that a header must be absent. */
export interface ExpectedRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
}
export interface PlayedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Raw text in place of `body`. */
  readonly text?: string
}
export type CaseStep = Readonly<Record<string, unknown>>

export const httpAnswer = ({ status, headers, body, text }: PlayedAnswer): HttpAnswer => ({
  status,
  header: (name) => headers[name] ?? null,
  text: text ?? (typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)),
})

export function expectRequest(request: HttpRequest, { method, path, headers = {}, body }: ExpectedRequest): void {
  expect([request.method, request.path]).toEqual([method, path])
  for (const [name, value] of Object.entries(headers)) expect(request.headers[name] ?? null, name).toBe(value)
  if (body !== undefined) expect(JSON.parse(request.body ?? 'null')).toEqual(body)
}

const fieldsOf = ({ status, code, appAction, retryAfter }: HmError): object => ({ status, code, appAction, retryAfter })

/** An error in the notation of the cases. */
export const errorFields = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { name: kind, message } = error
  return { ...(error instanceof HmError ? fieldsOf(error) : {}), kind, message }
}

/** The other end of a client, which plays the steps of a case, and the clock of both. */
export abstract class PlayedEnd {
  readonly clock = new ManualClock()
  readonly #opened: StreamListener[] = []
  readonly #sent: unknown[] = []
  readonly #requests: { readonly request: HttpRequest; readonly answer: (answer: HttpAnswer) => void }[] = []
  #closed = 0
  #line: StreamListener | null = null

  /** The caller that the client uses. */
  protected caller(): Caller {
    const transport: Transport = {
      request: (request) => new Promise((answer) => this.#requests.push({ request, answer })),
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
    return new Caller(transport, timing)
  }

  /** Checks a step about the client itself; false if the step is of another kind. */
  protected abstract expectClient(kind: string, value: unknown): Promise<boolean>

  /** Plays all steps. @throws with the step that failed */
  async play(steps: readonly CaseStep[]): Promise<void> {
    for (const [index, step] of steps.entries()) {
      try {
        await this.#step(step)
      } catch (error) {
        throw new Error(`Step ${index + 1}, ${JSON.stringify(step)}: ${String(error)}`, { cause: error })
      }
    }
  }

  async #step(step: CaseStep): Promise<void> {
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
        const { request, answer } = await this.#soon(() => this.#requests.shift())
        expectRequest(request, value as ExpectedRequest)
        return answer(httpAnswer(step['answer'] as PlayedAnswer))
      }
      case 'reads':
        return this.#reads(value as Readonly<Record<string, PlayedAnswer>>)
      case 'passes':
        return this.clock.advanceAsync(value as number)
      case 'waits':
        await this.clock.advanceAsync((value as number) - 1)
        expect(this.#opened, 'a socket was opened too soon').toEqual([])
        return this.clock.advanceAsync(1)
      default:
        if (!(await this.expectClient(kind, value))) expect.fail(`There is no step ${kind}.`)
    }
  }

  /** Answers reads until no more arrive. */
  async #reads(answers: Readonly<Record<string, PlayedAnswer>>): Promise<void> {
    let read = 0
    for (await this.clock.advanceAsync(0); this.#requests.length > 0; await this.clock.advanceAsync(0)) {
      const { request, answer } = this.#requests.shift()!
      expect(Object.keys(answers)).toContain(request.path)
      answer(httpAnswer(answers[request.path]!))
      read += 1
    }
    expect(read, 'nothing was read').toBeGreaterThan(0)
  }

  /** Resolves to a result of `look`, now or after all pending promises have settled. */
  async #soon<T>(look: () => T | undefined): Promise<T> {
    const found = look() ?? (await this.clock.advanceAsync(0).then(look))
    expect(found).toBeDefined()
    return found!
  }
}
