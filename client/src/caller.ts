import type { AnswerOf, AnyInput, CallOf, CallOptions, InputArgument, Method, PathOf } from './call.ts'
import { targetOf } from './call.ts'
import type { Paths } from './contract.ts'
import { type HmError, refusalIn } from './error.ts'
import { type HttpAnswer, pause, systemTiming, type Timing, type Transport } from './transport.ts'

/** Tries of one read, the first included. */
export const TRIES_MAX = 3
/** A longer `retryAfter` is not awaited: the call fails at once. */
export const RETRY_AFTER_MAX_S = 60
/** Size of the response cache; the least recently used response makes room. */
export const CACHED_ANSWERS_MAX = 32

interface CachedAnswer {
  readonly tag: string
  readonly body: unknown
}

/**
 * Calls of the service. The client retries reads after 429 and `overloaded`, as `retryAfter` says, but never a change.
 * A response with an `ETag` is cached: while nothing has changed, the caller gets the same object again.
 */
export class Caller<Contract = Paths> {
  readonly transport: Transport
  readonly timing: Timing
  readonly #cache = new Map<string, CachedAnswer>()

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
    const anyInput: AnyInput = input ?? {}
    const target = targetOf(path, anyInput)
    const body = method === 'get' ? await this.#read(target, anyInput) : await this.#change(method, target, anyInput)
    // The gateway's own tests hold its responses to the contract.
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
      const cached = this.#cache.get(path)
      const headers: Record<string, string> = cached ? { 'if-none-match': cached.tag } : {}
      const answer = await this.transport.request({ method: 'GET', path, headers, body: null, signal })
      if (cached && answer.status === 304) return this.#keep(path, cached).body
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

  #keep(path: string, answer: CachedAnswer): CachedAnswer {
    this.#cache.delete(path)
    this.#cache.set(path, answer)
    const [oldest] = this.#cache.keys()
    if (this.#cache.size > CACHED_ANSWERS_MAX && oldest !== undefined) this.#cache.delete(oldest)
    return answer
  }
}

/** Seconds before a retry of a read; null if a retry is pointless. */
function retryAfter({ status, code, retryAfter: seconds }: HmError): number | null {
  if (status !== 429 && code !== 'overloaded') return null
  return (seconds ?? 1) > RETRY_AFTER_MAX_S ? null : (seconds ?? 1)
}

function bodyOf(answer: HttpAnswer): unknown {
  if (answer.status >= 200 && answer.status < 300) return parsed(answer)
  throw refusalOf(answer)
}

const refusalOf = (answer: HttpAnswer): HmError => refusalIn(answer.status, parsed(answer))

/** The parsed body of a JSON response, the text of any other. */
function parsed({ header, text }: HttpAnswer): unknown {
  if (!(header('content-type') ?? '').startsWith('application/json')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
