import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isObject, parseJson } from '../lib/json.ts'
import type { Clock } from '../lib/clock.ts'
import { PRIVATE_FILE_MODE } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'
import { SettingsError } from '../settings/settings.ts'

/** After so many failed starts in a row the next one is in safe mode (docs/administration.md#safe-mode). */
export const FAILED_STARTS_MAX = 5
/** A defect within this time after an opening makes it a failed start. */
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
 * failed: an opening that threw, defects soon after it, and an end for lack of memory, each opening once. Whoever else
 * ends the process from outside adds nothing, nor does a setting that cannot be used.
 */
export class FailedStarts {
  readonly #file: string
  readonly #log: Log
  readonly #clock: Clock
  readonly #memory: Pick<MemoryEnds, 'take' | 'begins' | 'ends'> | null
  /** Monotonic ms; what fails before it makes a failed start. */
  #countsUntil: number
  #isCounted = false
  #stopClearing = (): void => {}

  /** The process has just started; what its last opening failed by without a word is counted now. */
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

  /** An opening begins, the first one or another of this process. */
  opens(): void {
    this.#stopClearing()
    this.#countsUntil = Infinity
    this.#isCounted = false
    this.#attempt(() => this.#memory?.begins())
  }

  /** The process is stopped in order. */
  stops(): void {
    this.#attempt(() => this.#memory?.ends())
  }

  /** It is open: once that has lasted, the count ends. */
  opened(): void {
    this.#countsUntil = this.#clock.monotonic() + START_MS
    this.#stopClearing = this.#clock.after(START_MS, () => {
      this.stops()
      this.clear()
    })
  }

  /** The opening threw, or a defect ends the process: counted where that makes it a failed start. */
  failed(error: unknown): void {
    if (this.#isCounted || this.#clock.monotonic() >= this.#countsUntil) return
    // Safe mode helps neither against a setting that cannot be used nor against a disk that fails.
    if (error instanceof SettingsError || isStorageFailure(error)) return
    this.#isCounted = true
    const text = error instanceof Error ? error.message : String(error)
    this.#count(text)
    this.stops()
  }

  /** The next start is made in earnest; should it fail, the one after it is in safe mode again. */
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

/** What Node calls a report that it wrote because the heap was full. */
const HEAP_IS_FULL = 'OOMError'
const OUT_OF_HEAP = 'the gateway ran out of memory'
const KILLED = 'the system ended the gateway for lack of memory'

export interface MemoryEndsParts {
  /** There while an opening may still fail. */
  readonly mark: string
  /** What Node writes when it runs out of memory, instead of any code of ours. */
  readonly report: string
  /** The run of the machine, or null where it has no id. */
  readonly boot: string | null
  /** Lets Node write its report there when the heap is full. */
  readonly reportTo: (file: string) => void
  /** How many processes the system has ended for lack of memory since it runs; null where it does not say. */
  readonly kills: () => number | null
}

/**
 * A process that ends for lack of memory cannot say so. The next one tells by what was left: a mark of an opening that
 * neither lasted nor failed otherwise, and with it Node's own report of a full heap (exit 134), or that the system has
 * meanwhile ended a process for lack of memory (137). Without these it was ended by a person or with the machine.
 */
export class MemoryEnds {
  readonly #parts: MemoryEndsParts

  constructor(parts: MemoryEndsParts) {
    this.#parts = parts
  }

  /** Why the opening before this process ended, where that was for lack of memory; told once. */
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

  /** An opening begins. */
  begins(): void {
    const { mark, report, boot, kills, reportTo } = this.#parts
    writeFileSync(mark, `${JSON.stringify({ boot, kills: kills() })}\n`, { mode: PRIVATE_FILE_MODE })
    reportTo(report)
  }

  /** It has lasted, or failed otherwise. */
  ends(): void {
    rmSync(this.#parts.mark, { force: true })
  }
}

/** Without what of the environment or the network is no business of such a report. */
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

/** Linux counts the processes that it has ended for lack of memory, those of a limited group among them. */
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
