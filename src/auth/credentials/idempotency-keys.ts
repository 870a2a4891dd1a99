import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { SteadyTime } from './steady-time.ts'

/** Life of a stored key (docs/api.md#the-same-write-twice). */
export const KEY_KEPT_MS = 24 * 3_600_000
export const KEYS_PER_CREDENTIAL_MAX = 1_000
/** Most bytes of stored responses per credential. */
export const KEPT_BYTES_PER_CREDENTIAL_MAX = 1024 * 1024

/** Stored copy of a response. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A write with an idempotency key; `answer` is null until the response is stored. */
export interface KeyedWrite {
  readonly link: string
  readonly key: string
  readonly requestSha256: Buffer
  /** Steady time in ms. */
  readonly steadyAt: number
  readonly answer: KeptAnswer | null
}

/** Writes run inside `UnitOfWork.change`. */
export interface KeyedWriteStore {
  get(link: string, key: string): KeyedWrite | null
  insert(write: KeyedWrite): void
  answer(link: string, key: string, answer: KeptAnswer): void
  remove(link: string, key: string): void
  /** Deletes a credential's writes older than a steady time, and the oldest beyond a number or size. */
  trim(link: string, before: number, most: { readonly keys: number; readonly bytes: number }): void
}

export type TakenKey =
  /** The key is new and stored now: the write may run. */
  | { readonly kind: 'new' }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  /** An earlier write has this key. It still runs, or the process ended before its response was stored. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'other_request' }

const MOST = { keys: KEYS_PER_CREDENTIAL_MAX - 1, bytes: KEPT_BYTES_PER_CREDENTIAL_MAX }

interface IdempotencyKeysParts {
  readonly store: KeyedWriteStore
  readonly work: UnitOfWork
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
}

/** Idempotency keys of clients' writes. A key is stored before its write runs, so no crash runs a write twice. */
export class IdempotencyKeys {
  readonly #parts: IdempotencyKeysParts

  constructor(parts: IdempotencyKeysParts) {
    this.#parts = parts
  }

  take(link: string, key: string, requestSha256: Buffer): TakenKey {
    const { store, work, steady } = this.#parts
    const known = store.get(link, key)
    if (known && known.steadyAt > steady.now() - KEY_KEPT_MS) {
      if (!known.requestSha256.equals(requestSha256)) return { kind: 'other_request' }
      return known.answer ? { kind: 'answered', answer: known.answer } : { kind: 'unanswered' }
    }
    work.change(() => {
      const steadyAt = steady.now()
      steady.save()
      store.remove(link, key)
      store.trim(link, steadyAt - KEY_KEPT_MS, MOST)
      store.insert({ link, key, requestSha256, steadyAt, answer: null })
    })
    return { kind: 'new' }
  }

  /** Stores the response of a write. */
  answered(link: string, key: string, answer: KeptAnswer): void {
    this.#parts.work.change(() => this.#parts.store.answer(link, key, answer))
  }

  /** Releases the key of a write that was refused before it changed anything. */
  release(link: string, key: string): void {
    this.#parts.work.change(() => this.#parts.store.remove(link, key))
  }
}
