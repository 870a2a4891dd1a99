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
/** Keys that the disk did not give free; of those before them nobody knows what became of their write. */
const FREE_MAX = 1_000

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
  readonly storage: DeferredWork
  readonly log: Log
}

/**
 * Makes a write that comes again under the same key once, and answers it as the first time
 * (docs/api.md#the-same-write-twice). Its key is on the disk before it is made, and its answer before it is answered;
 * nobody else is held up meanwhile.
 */
export class Idempotency {
  readonly #parts: IdempotencyParts
  /** Answers that are still to come, by credential and key. */
  readonly #underWay = new Map<string, Promise<Answer>>()
  /** By credential and key: stored as taken, while nothing was done under them. */
  readonly #free = new Set<string>()

  constructor(parts: IdempotencyParts) {
    this.#parts = parts
  }

  /**
   * @param act makes the write, a while later: whoever asks may have lost their leave meanwhile. Throws what it is
   *   refused with.
   * @param ways how it is refused, and what was thrown is answered.
   * @throws Refusal when the key is malformed, came with another request, or its answer was lost.
   */
  perform({ link, key, request }: KeyedRequest, act: () => Answer | Promise<Answer>, ways: Ways): Promise<Answer> {
    const { refuse } = ways
    if (!KEY.test(key)) refuse('validation', { message: 'Idempotency-Key: must have 1 to 255 printable characters.' })
    const requestSha256 = createHash('sha256').update(canonicalJson(request)).digest()
    const taken = this.#parts.storage.deferring(() => this.#parts.keys.take(link, key, requestSha256))
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
        return this.#free.delete(id) ? this.#begun({ link, key }, act, ways) : refuse('outcome_unknown')
      }
      case 'new':
        return this.#begun({ link, key }, act, ways)
    }
  }

  #begun(
    { link, key }: Pick<KeyedRequest, 'link' | 'key'>,
    act: () => Answer | Promise<Answer>,
    ways: Pick<Ways, 'failed'>,
  ): Promise<Answer> {
    const id = `${link} ${key}`
    const answer = this.#answer({ link, key }, act, ways).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, answer)
    return answer
  }

  async #answer(
    { link, key }: Pick<KeyedRequest, 'link' | 'key'>,
    act: () => Answer | Promise<Answer>,
    { failed }: Pick<Ways, 'failed'>,
  ): Promise<Answer> {
    let begun = false
    try {
      await this.#parts.storage.onDisk()
      begun = true
      return await this.#keep(link, key, await act())
    } catch (error) {
      const { answer, undone } = failed(error)
      if (begun && !undone) return this.#keep(link, key, answer)
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
   * The write was made, whatever becomes of its note: without one the key's next request learns that the outcome is not
   * known.
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
