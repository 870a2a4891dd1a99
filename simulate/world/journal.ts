import { createHash } from 'node:crypto'
import type { Log } from '../../src/lib/log.ts'
import type { HomeEvent } from '../../src/home/model/events.ts'

/** All that is told in a run, as one hash, and in words where somebody wants to read it. */
export class Journal {
  readonly #hash = createHash('sha256')
  readonly #lines: string[] = []
  readonly #keeps: boolean
  #count = 0

  /** @param keeps whether the lines are kept, beside their hash. */
  constructor(keeps: boolean) {
    this.#keeps = keeps
  }

  /** @param at monotonic milliseconds. */
  note(at: number, line: string): void {
    this.#hash.update(`${at} ${line}\n`)
    this.#count += 1
    if (this.#keeps) this.#lines.push(`${timeText(at)} ${line}`)
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
  /** What was thrown, where something was. */
  readonly error: string
}

/** The log of all lives of a gateway: what it warned of is told at once. */
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

/** How much of core.db's log there is, and which credentials are noted as ended. */
export interface DiskMark {
  readonly frames: number
  readonly revoked: string
}

/** What checks and acts are told of. */
export interface Watcher {
  readonly event?: (event: HomeEvent) => void
  /** A change begins that the power may cut off. */
  readonly marked?: () => void
  /** The gateway is about to stop, or to lose its power. */
  readonly ends?: () => void
  /** A life of the gateway has begun. */
  readonly begun?: () => void
}

/** What must hold in every home at every moment; a violation names the one that did not. */
export const INVARIANTS = {
  answered: 'Every request is answered within a minute.',
  declared: 'Every refusal is one that the endpoint declares, and no answer is a defect.',
  admitted: 'Whoever is revoked, switched off or deleted is served nothing.',
  hidden: 'Nothing is told of what is hidden.',
  same: 'An integration is told the same bytes in two homes that differ only in what it does not see.',
  durable: 'Nothing acknowledged is lost, and a change that was cut off is there whole or not at all.',
  copied: 'The newest safety copy has what has been configured for a while.',
  opened: 'Nothing opens without leave at that moment.',
  recorded: 'Every change has one row of activity, with its cause.',
  cached: 'At rest the cache equals the units.',
  once: 'Each occurrence of a schedule ran once, or is logged as missed.',
  bounded: 'Nothing piles up, and what is kept stays within its bounds.',
  kept: 'A wrong clock does not forget the history.',
  replaced: 'Nothing shows what another unit reported that the same id named before.',
  current: 'After a change of the house or a fault, every unit that answers has its state in time.',
  billed: 'Energy and cost are what each physical unit used while it was the unit of the house.',
  quiet: 'Nothing fails inside that no fault explains.',
} as const

export type Invariant = keyof typeof INVARIANTS

/** Ends a run. */
export class Violation extends Error {
  readonly invariant: Invariant

  constructor(invariant: Invariant, what: string) {
    super(what)
    this.invariant = invariant
  }
}

/** A violation as it is; any other error is one of the invariant `quiet`. */
export function violationOf(error: unknown): Violation {
  if (error instanceof Violation) return error
  return new Violation('quiet', error instanceof Error ? (error.stack ?? error.message) : String(error))
}
