import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isObject, parseJson } from '../lib/json.ts'
import { PRIVATE_FILE_MODE } from '../lib/files.ts'

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
