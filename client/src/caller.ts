import type { AnswerOf, AnyInput, CallOf, CallOptions, InputArgument, Method, PathOf } from './call.ts'
import { targetOf } from './call.ts'
import type { Paths } from './contract.ts'
import { type HmError, refusalIn } from './error.ts'
import { type HttpAnswer, pause, systemTiming, type Timing, type Transport } from './transport.ts'

/** A read is tried so many times in all. */
export const TRIES_MAX = 3
/** Who is to wait longer than this is told instead. */
export const RETRY_AFTER_MAX_S = 60
/** Answers that are kept with their tags; the one used longest ago makes room. */
export const KEPT_ANSWERS_MAX = 32

interface Kept {
  readonly tag: string
  readonly body: unknown
}

/**
 * Calls of the service. A read is sent again after 429 and `overloaded`, as `retryAfter` says; a change never is. Of
 * answers with an `ETag` the body is kept, and given again while nothing has changed: the same object.
 */
export class Caller<Contract = Paths> {
  readonly transport: Transport
  readonly timing: Timing
  readonly #kept = new Map<string, Kept>()

  constructor(transport: Transport, timing: Timing = systemTiming) {
    this.transport = transport
    this.timing = timing
  }

  /**
   * One call: `call('post', '/v1/devices/{id}/control', { path: { id }, body: { op: 'open' } })`.
   * @throws HmError for a refusal, ConnectionError without an answer, TrustError where another CA answers
   */
  async call<M extends Method, P extends PathOf<M, Contract>>(
    method: M,
    path: P,
    ...[input]: InputArgument<CallOf<M, P, Contract>>
  ): Promise<AnswerOf<CallOf<M, P, Contract>>> {
    const given: AnyInput = input ?? {}
    const target = targetOf(path, given)
    const body = method === 'get' ? await this.#read(target, given) : await this.#change(method, target, given)
    // What the service answers is what its documents say.
    return body as AnswerOf<CallOf<M, P, Contract>>
  }

  async #change(method: string, path: string, { body, idempotencyKey, signal }: AnyInput): Promise<unknown> {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const text = body === undefined ? null : JSON.stringify(body)
    return bodyOf(await this.transport.request({ method: method.toUpperCase(), path, headers, body: text, signal }))
  }

  async #read(path: string, { signal }: CallOptions): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const kept = this.#kept.get(path)
      const headers: Record<string, string> = kept ? { 'if-none-match': kept.tag } : {}
      const answer = await this.transport.request({ method: 'GET', path, headers, body: null, signal })
      if (kept && answer.status === 304) return this.#keep(path, kept).body
      if (answer.status < 400) {
        const body = bodyOf(answer)
        const tag = answer.header('etag')
        if (tag !== null) this.#keep(path, { tag, body })
        return body
      }
      const refusal = refusalOf(answer)
      const seconds = retryAfter(refusal)
      if (seconds === null || tries === TRIES_MAX) throw refusal
      await pause(this.timing, (seconds + this.timing.random()) * 1000, signal)
      signal?.throwIfAborted()
    }
  }

  #keep(path: string, kept: Kept): Kept {
    this.#kept.delete(path)
    this.#kept.set(path, kept)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT_ANSWERS_MAX && oldest !== undefined) this.#kept.delete(oldest)
    return kept
  }
}

/** Seconds after which a read is worth sending again; null where it is not. */
function retryAfter({ status, code, retryAfter: seconds }: HmError): number | null {
  if (status !== 429 && code !== 'overloaded') return null
  return (seconds ?? 1) > RETRY_AFTER_MAX_S ? null : (seconds ?? 1)
}

function bodyOf(answer: HttpAnswer): unknown {
  if (answer.status >= 200 && answer.status < 300) return parsed(answer)
  throw refusalOf(answer)
}

const refusalOf = (answer: HttpAnswer): HmError => refusalIn(answer.status, parsed(answer))

/** The body as JSON where it is that, otherwise as text. */
function parsed({ header, text }: HttpAnswer): unknown {
  if (!(header('content-type') ?? '').startsWith('application/json')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
