import { createHash } from 'node:crypto'
import type { IdempotencyKeys } from '../auth/credentials/idempotency-keys.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { type DeferredWork } from '../home/ports/activity-log.ts'
import type { Log } from '../lib/log.ts'
import type { Answer } from './call.ts'
import { IDEMPOTENCY_KEY } from './contract/fields.ts'
import type { Refuse } from './errors.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'

const KEY = new RegExp(IDEMPOTENCY_KEY)
/** Limit of released keys that the disk could not store; for older ones the outcome of the write is unknown. */
const FREE_MAX = 1_000

/** A write with a key: its credential, and its request as plain data. */
export interface KeyedRequest {
  readonly link: string
  readonly key: string
  readonly request: unknown
}

/** Refusals of a keyed write, and the response for its error; `undone`: nothing was done, so the key is released. */
interface FailureAnswers {
  readonly refuse: Refuse<'outcome_unknown'>
  readonly failed: (error: unknown) => { readonly answer: Answer; readonly undone: boolean }
}

export interface IdempotencyParts {
  readonly keys: IdempotencyKeys
  readonly storage: DeferredWork
  readonly log: Log
}

/**
 * Performs a repeated write once and repeats its first response (docs/api.md#the-same-write-twice). The key is on the
 * disk before the write starts, and the response before it is sent. Other requests do not wait meanwhile.
 */
export class Idempotency {
  readonly #parts: IdempotencyParts
  /** Pending responses, by credential and key. */
  readonly #underWay = new Map<string, Promise<Answer>>()
  /** Keys stored as taken although nothing was done under them, by credential and key. */
  readonly #free = new Set<string>()

  constructor(parts: IdempotencyParts) {
    this.#parts = parts
  }

  /**
   * @param act performs the write, after a delay in which the caller may have lost permission. Throws its refusal.
   * @param failures refusals and responses for errors.
   * @throws Refusal when the key is malformed, came with another request, or its answer was lost.
   */
  perform(
    { link, key, request }: KeyedRequest,
    act: () => Answer | Promise<Answer>,
    failures: FailureAnswers,
  ): Promise<Answer> {
    const { refuse } = failures
    if (!KEY.test(key)) refuse('validation', { message: 'Idempotency-Key: must have 1 to 255 printable characters.' })
    const requestSha256 = createHash('sha256').update(canonicalJson(request)).digest()
    const taken = this.#parts.storage.deferring(() => this.#parts.keys.take(link, key, requestSha256))
    const id = `${link} ${key}`
    switch (taken.kind) {
      case 'answered':
        return Promise.resolve(taken.answer)
      case 'other_request':
        return refuse('validation', {
          message: 'Idempotency-Key: was used for another request. Give each request its own key.',
        })
      case 'unanswered': {
        const answer = this.#underWay.get(id)
        if (answer) return answer
        return this.#free.delete(id) ? this.#start({ link, key }, act, failures) : refuse('outcome_unknown')
      }
      case 'new':
        return this.#start({ link, key }, act, failures)
    }
  }

  #start(
    { link, key }: Pick<KeyedRequest, 'link' | 'key'>,
    act: () => Answer | Promise<Answer>,
    failures: Pick<FailureAnswers, 'failed'>,
  ): Promise<Answer> {
    const id = `${link} ${key}`
    const answer = this.#answer({ link, key }, act, failures).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, answer)
    return answer
  }

  async #answer(
    { link, key }: Pick<KeyedRequest, 'link' | 'key'>,
    act: () => Answer | Promise<Answer>,
    { failed }: Pick<FailureAnswers, 'failed'>,
  ): Promise<Answer> {
    let hasStarted = false
    try {
      await this.#parts.storage.onDisk()
      hasStarted = true
      return await this.#keep(link, key, await act())
    } catch (error) {
      const { answer, undone } = failed(error)
      if (hasStarted && !undone) return this.#keep(link, key, answer)
      await this.#release(link, key)
      return answer
    }
  }

  async #release(link: string, key: string): Promise<void> {
    try {
      await this.#stored(() => this.#parts.keys.release(link, key))
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      for (const oldest of this.#free) if (this.#free.size >= FREE_MAX) this.#free.delete(oldest)
      this.#free.add(`${link} ${key}`)
    }
  }

  async #keep(link: string, key: string, answer: Answer): Promise<Answer> {
    const body = answer.body === null ? null : String(answer.body)
    await this.#store(() => this.#parts.keys.answered(link, key, { ...answer, body }))
    return answer
  }

  /**
   * Stores the response of a performed write. If that fails, the next request with the key learns that the outcome is
   * unknown.
   */
  async #store(write: () => void): Promise<void> {
    try {
      await this.#stored(write)
    } catch (error) {
      this.#parts.log.error({ err: error }, 'The answer to a request with an Idempotency-Key could not be stored.')
    }
  }

  async #stored(write: () => void): Promise<void> {
    const { storage } = this.#parts
    storage.deferring(write)
    await storage.onDisk()
  }
}
