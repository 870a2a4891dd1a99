import { createHash } from 'node:crypto'
import type { IdempotencyKeys } from '../auth/idempotency-keys.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { Log } from '../lib/log.ts'
import type { Answer } from './call.ts'
import { IDEMPOTENCY_KEY } from './contract/fields.ts'
import type { Refuse } from './errors.ts'

const KEY = new RegExp(IDEMPOTENCY_KEY)

/** One write with a key: whose it is, and what it asks for as plain data. */
export interface KeyedRequest {
  readonly link: string
  readonly key: string
  readonly request: unknown
}

/** How a keyed write is refused, and what answers an error of it; `undone`: nothing was done, so the key is free. */
interface Ways {
  readonly refuse: Refuse<'outcome_unknown'>
  readonly failed: (error: unknown) => { readonly answer: Answer; readonly undone: boolean }
}

export interface IdempotencyParts {
  readonly keys: IdempotencyKeys
  readonly log: Log
}

/**
 * Makes a write that comes again under the same key once, and answers it as the first time
 * (docs/api.md#the-same-write-twice).
 */
export class Idempotency {
  readonly #parts: IdempotencyParts
  /** Answers that are still to come, by credential and key. */
  readonly #underWay = new Map<string, Promise<Answer>>()

  constructor(parts: IdempotencyParts) {
    this.#parts = parts
  }

  /**
   * @param act makes the write; throws what it is refused with.
   * @param ways how it is refused, and what was thrown is answered.
   * @throws Refusal when the key is malformed, came with another request, or its answer was lost.
   */
  perform({ link, key, request }: KeyedRequest, act: () => Answer | Promise<Answer>, ways: Ways): Promise<Answer> {
    const { refuse } = ways
    if (!KEY.test(key)) refuse('validation', { message: 'Idempotency-Key: must have 1 to 255 printable characters.' })
    const requestSha256 = createHash('sha256').update(canonicalJson(request)).digest()
    const taken = this.#parts.keys.take(link, key, requestSha256)
    const id = `${link} ${key}`
    switch (taken.kind) {
      case 'answered':
        return Promise.resolve(taken.answer)
      case 'other_request':
        return refuse('validation', {
          message: 'Idempotency-Key: came with another request before. Give each request a key of its own.',
        })
      case 'unanswered': {
        const answer = this.#underWay.get(id)
        if (answer) return answer
        return refuse('outcome_unknown')
      }
      case 'new': {
        const answer = this.#answer({ link, key }, act, ways).finally(() => this.#underWay.delete(id))
        this.#underWay.set(id, answer)
        return answer
      }
    }
  }

  async #answer(
    { link, key }: Pick<KeyedRequest, 'link' | 'key'>,
    act: () => Answer | Promise<Answer>,
    { failed }: Pick<Ways, 'failed'>,
  ): Promise<Answer> {
    try {
      return this.#keep(link, key, await act())
    } catch (error) {
      const { answer, undone } = failed(error)
      if (!undone) return this.#keep(link, key, answer)
      this.#store(() => this.#parts.keys.release(link, key))
      return answer
    }
  }

  #keep(link: string, key: string, answer: Answer): Answer {
    const body = answer.body === null ? null : String(answer.body)
    this.#store(() => this.#parts.keys.answered(link, key, { ...answer, body }))
    return answer
  }

  /**
   * The write was made, whatever becomes of its note: without one the key's next request learns that the outcome is not
   * known.
   */
  #store(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'The answer to a request with an Idempotency-Key could not be stored.')
    }
  }
}
