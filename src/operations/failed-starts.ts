import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isObject, parseJson } from '../lib/json.ts'
import type { Clock } from '../lib/clock.ts'
import { PRIVATE_FILE_MODE } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'
import { SettingsError } from '../settings/settings.ts'

/** Consecutive failed starts after which the next start is in safe mode (docs/administration.md#safe-mode). */
export const FAILED_STARTS_MAX = 5
/** A defect within this time after an opening counts as a failed start. */
export const START_MS = 60_000
/** Longest reason of a failed start. */
const REASON_LENGTH_MAX = 300

export interface Failed {
  readonly count: number
  /** Reason of the last failure, one line. */
  readonly reason: string
}

/**
 * Count of consecutive failed starts, in a file of the data folder. It counts failures that the gateway itself notices,
 * each opening once: an opening that threw, a defect soon after it, and an end for lack of memory. Kills from outside
 * and invalid settings do not count.
 */
export class FailedStarts {
  readonly #file: string
  readonly #log: Log
  readonly #clock: Clock
  readonly #memory: Pick<MemoryEnds, 'take' | 'begins' | 'ends'> | null
  /** Monotonic ms until which a defect counts as a failed start. */
  #countsUntil: number
  #isCounted = false
  #stopClearing = (): void => {}

  /** Counts the previous opening if it ended for lack of memory. Called at the start of the process. */
  constructor(
    file: string,
    log: Log,
    clock: Clock,
    memory: Pick<MemoryEnds, 'take' | 'begins' | 'ends'> | null = null,
  ) {
    this.#file = file
    this.#memory = memory
    this.#log = log
    this.#clock = clock
    this.#countsUntil = clock.monotonic() + START_MS
    this.#attempt(() => {
      const why = memory?.take() ?? null
      if (why !== null) this.#count(why)
    })
  }

  /** Null if the last start did not fail. */
  read(): Failed | null {
    try {
      const parsed = parseJson(readFileSync(this.#file, 'utf8'))
      const found: unknown = parsed.ok ? parsed.value : null
      return isFailed(found) ? found : null
    } catch {
      return null
    }
  }

  /** Marks the beginning of an opening, the first or another one of this process. */
  opens(): void {
    this.#stopClearing()
    this.#countsUntil = Infinity
    this.#isCounted = false
    this.#attempt(() => this.#memory?.begins())
  }

  /** Marks an orderly stop of the process. */
  stops(): void {
    this.#attempt(() => this.#memory?.ends())
  }

  /** Marks a completed opening; the count is reset after it has lasted. */
  opened(): void {
    this.#countsUntil = this.#clock.monotonic() + START_MS
    this.#stopClearing = this.#clock.after(START_MS, () => {
      this.stops()
      this.clear()
    })
  }

  /** Handles a failed opening or a fatal defect; counts it if it is a failed start. */
  failed(error: unknown): void {
    if (this.#isCounted || this.#clock.monotonic() >= this.#countsUntil) return
    // Safe mode helps against neither an invalid setting nor a failing disk.
    if (error instanceof SettingsError || isStorageFailure(error)) return
    this.#isCounted = true
    const text = error instanceof Error ? error.message : String(error)
    this.#count(text)
    this.stops()
  }

  /** Makes the next start a normal one; if it fails, the one after it is in safe mode again. */
  tryAgain(failed: Failed): void {
    this.#write({ ...failed, count: FAILED_STARTS_MAX - 1 })
  }

  clear(): void {
    this.#attempt(() => rmSync(this.#file, { force: true }))
  }

  #count(text: string): void {
    const [reason = ''] = text.slice(0, REASON_LENGTH_MAX).split('\n', 1)
    this.#write({ count: (this.read()?.count ?? 0) + 1, reason })
  }

  #write(failed: Failed): void {
    this.#attempt(() => writeFileSync(this.#file, `${JSON.stringify(failed)}\n`, { mode: PRIVATE_FILE_MODE }))
  }

  /** A disk that accepts no writes prevents only the counting. */
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

/** Trigger of Node's report about a full heap. */
const HEAP_IS_FULL = 'OOMError'
const OUT_OF_HEAP = 'the gateway ran out of memory'
const KILLED = 'the system ended the gateway for lack of memory'

export interface MemoryEndsParts {
  /** File that exists while an opening may still fail. */
  readonly mark: string
  /** Node's report about a full heap; no code of ours runs then. */
  readonly report: string
  /** Boot id of the machine, or null. */
  readonly boot: string | null
  /** Makes Node write its report there when the heap is full. */
  readonly reportTo: (file: string) => void
  /** Number of processes that the system has killed for lack of memory since its boot; null if unknown. */
  readonly kills: () => number | null
}

/**
 * Detects a process that ended for lack of memory, which cannot report it itself. The next process finds the mark of an
 * opening that neither lasted nor failed otherwise. With it there is Node's report of a full heap (exit 134), or the
 * system has killed a process for lack of memory since (137). Otherwise a person or the machine ended it.
 */
export class MemoryEnds {
  readonly #parts: MemoryEndsParts

  constructor(parts: MemoryEndsParts) {
    this.#parts = parts
  }

  /** Reason why the previous opening ended, if that was lack of memory; returned once. */
  take(): string | null {
    const { mark, report } = this.#parts
    const [left, reported] = [contentOf(mark), contentOf(report)]
    for (const file of [mark, report]) rmSync(file, { force: true })
    if (left === null) return null
    if (isObject(reported?.['header']) && reported['header']['trigger'] === HEAP_IS_FULL) return OUT_OF_HEAP
    const { boot, kills } = this.#parts
    const [before, now] = [left['kills'], kills()]
    if (boot === null || left['boot'] !== boot || typeof before !== 'number' || now === null) return null
    return now > before ? KILLED : null
  }

  /** Marks the beginning of an opening. */
  begins(): void {
    const { mark, report, boot, kills, reportTo } = this.#parts
    writeFileSync(mark, `${JSON.stringify({ boot, kills: kills() })}\n`, { mode: PRIVATE_FILE_MODE })
    reportTo(report)
  }

  /** Removes the mark after the opening has lasted or failed otherwise. */
  ends(): void {
    rmSync(this.#parts.mark, { force: true })
  }
}

/** Makes Node report a full heap, without environment variables and network data. */
export function reportFullHeap(file: string): void {
  Object.assign(process.report, {
    reportOnFatalError: true,
    directory: dirname(file),
    filename: basename(file),
    compact: true,
    excludeEnv: true,
    excludeNetwork: true,
  })
}

/** Number of processes that Linux has killed for lack of memory, including limited groups. */
export function linuxKills(): number | null {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1]
    return count === undefined ? null : Number(count)
  } catch {
    return null
  }
}

function contentOf(file: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed = parseJson(readFileSync(file, 'utf8'))
    return parsed.ok && isObject(parsed.value) ? parsed.value : null
  } catch {
    return null
  }
}
