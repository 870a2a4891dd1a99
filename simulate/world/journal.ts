import { createHash } from 'node:crypto'
import type { Log } from '../../src/lib/log.ts'
import type { HomeEvent } from '../../src/home/model/events.ts'

/** All events of a run as one hash, and as text if requested. */
export class Journal {
  readonly #hash = createHash('sha256')
  readonly #lines: string[] = []
  readonly #keepsLines: boolean
  #count = 0

  constructor(keepsLines: boolean) {
    this.#keepsLines = keepsLines
  }

  /** @param at monotonic milliseconds. */
  note(at: number, line: string): void {
    this.#hash.update(`${at} ${line}\n`)
    this.#count += 1
    if (this.#keepsLines) this.#lines.push(`${timeText(at)} ${line}`)
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  get count(): number {
    return this.#count
  }

  digest(): string {
    return this.#hash.digest('hex').slice(0, 16)
  }
}

/** Days, hours, minutes and seconds since the run began. */
function timeText(ms: number): string {
  const [days, rest] = [Math.floor(ms / 86_400_000), new Date(ms % 86_400_000)]
  return `${days}d ${rest.toISOString().slice(11, 23)}`
}

interface LogLine {
  readonly level: 'warn' | 'error'
  readonly sentence: string
  /** The thrown error, or an empty text. */
  readonly error: string
}

/** The log of all lives of a gateway. Passes on warnings and errors at once. */
export class SimulatedLog implements Log {
  onLine: (line: LogLine) => void = () => {}

  debug(): void {}

  info(): void {}

  warn(fields: object, sentence: string): void {
    this.onLine({ level: 'warn', sentence, error: errorOf(fields) })
  }

  error(fields: object, sentence: string): void {
    this.onLine({ level: 'error', sentence, error: errorOf(fields) })
  }

  child(): Log {
    return this
  }
}

function errorOf(fields: object): string {
  if (!('err' in fields)) return ''
  const { err } = fields
  return err instanceof Error ? (err.stack ?? err.message) : String(err)
}

/** Length of core.db's log, and the noted revocations. */
export interface DiskMark {
  readonly frames: number
  readonly revoked: string
}

/** Notifications for checks and acts. */
export interface Watcher {
  readonly event?: (event: HomeEvent) => void
  /** A change begins that a power cut may interrupt. */
  readonly marked?: () => void
  /** The gateway is about to stop or to lose power. */
  readonly ends?: () => void
  /** A life of the gateway has begun. */
  readonly begun?: () => void
}

/** Invariants of every home at every moment. */
export const INVARIANTS = {
  answered: 'Every request gets a response within a minute.',
  declared: 'Every refusal is declared by its endpoint, and no response is an internal error.',
  admitted: 'Revoked, disabled and deleted callers are refused.',
  hidden: 'No caller receives anything about hidden things.',
  same: 'An integration receives the same bytes from two homes that differ only in hidden things.',
  durable: 'Acknowledged changes survive, and an interrupted change is there completely or not at all.',
  copied: 'The newest safety copy has all changes that are older than a while.',
  opened: 'A lock or gate opens only with permission at that moment.',
  recorded: 'Every change has one row of activity, with its cause.',
  cached: 'At rest the cache equals the units.',
  once: 'Each occurrence of a schedule ran once, or is logged as missed.',
  bounded: 'Counts stay bounded, and stored rows stay within their limits.',
  kept: 'A wrong clock deletes no history.',
  replaced: 'An id shows no values of its previous unit.',
  current: 'Every reachable unit has its state in time after a change of the house or a fault.',
  billed: 'Energy and cost equal the use of each physical unit during its tenure.',
  quiet: 'Every internal error is explained by a fault.',
} as const

export type Invariant = keyof typeof INVARIANTS

/** A broken invariant, which ends the run. */
export class Violation extends Error {
  readonly invariant: Invariant

  constructor(invariant: Invariant, what: string) {
    super(what)
    this.invariant = invariant
  }
}

/** Turns any other error into a violation of `quiet`. */
export function violationOf(error: unknown): Violation {
  if (error instanceof Violation) return error
  return new Violation('quiet', error instanceof Error ? (error.stack ?? error.message) : String(error))
}
