import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isObject, parseJson } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import { PRIVATE_FILE_MODE } from '../lib/files.ts'

/** After so many failed starts in a row the next one is in safe mode (docs/administration.md#safe-mode). */
export const FAILED_STARTS_MAX = 5
/** A defect within this time after the start makes it a failed one. */
export const START_MS = 60_000
/** Of what a start failed by, for people. */
const REASON_LENGTH_MAX = 300

export interface Failed {
  readonly count: number
  /** What the last one failed by, one line. */
  readonly reason: string
}

/**
 * How many starts in a row failed, kept in a file of the data folder. It counts what the gateway itself knows to have
 * failed: an opening that threw, and defects soon after it. Whoever ends the process from outside adds nothing.
 */
export class FailedStarts {
  readonly #file: string
  readonly #log: Log

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
  }

  /** Null where the last start did not fail. */
  read(): Failed | null {
    try {
      const kept = parseJson(readFileSync(this.#file, 'utf8'))
      const found: unknown = kept.ok ? kept.value : null
      return isFailed(found) ? found : null
    } catch {
      return null
    }
  }

  add(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    const [reason = ''] = text.slice(0, REASON_LENGTH_MAX).split('\n', 1)
    this.#write({ count: (this.read()?.count ?? 0) + 1, reason })
  }

  /** The next start is made in earnest; should it fail, the one after it is in safe mode again. */
  tryAgain(failed: Failed): void {
    this.#write({ ...failed, count: FAILED_STARTS_MAX - 1 })
  }

  clear(): void {
    this.#attempt(() => rmSync(this.#file, { force: true }))
  }

  #write(failed: Failed): void {
    this.#attempt(() => writeFileSync(this.#file, `${JSON.stringify(failed)}\n`, { mode: PRIVATE_FILE_MODE }))
  }

  /** A disk that takes no writes keeps the gateway from counting, and from nothing else. */
  #attempt(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#log.warn({ err: error }, 'Failed starts cannot be counted.')
    }
  }
}

function isFailed(value: unknown): value is Failed {
  return isObject(value) && Number.isSafeInteger(value['count']) && typeof value['reason'] === 'string'
}
