import { isObject } from './json.ts'
import type { LogLevel } from './log.ts'

/** Number of newest log lines in memory. */
export const LOG_LINES_MAX = 2_000
/** Total number of their characters. */
export const LOG_CHARACTERS_MAX = 1024 * 1024
/** A longer line keeps its sentence, its reference, and the beginning of the error. */
export const LINE_CHARACTERS_MAX = 8 * 1024
/** Length of each text in a shortened line. */
const PART_CHARACTERS_MAX = 1024

/** The level numbers of pino. */
const LEVELS: Readonly<Record<number, LineLevel>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'error' }
const GRAVITY: readonly LineLevel[] = ['debug', 'info', 'warn', 'error']

export type LineLevel = Exclude<LogLevel, 'silent'>

export interface LogLine {
  /** Increases with each line; restarts from the beginning with the process. */
  readonly seq: number
  /** Epoch ms. */
  readonly at: number
  readonly level: LineLevel
  /** The sentence of the line. */
  readonly what: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface LogQuery {
  /** Minimum level. */
  readonly level?: LineLevel | undefined
  /** Earliest time, epoch ms. */
  readonly since?: number | undefined
  /** Lines after this number. */
  readonly after?: number | undefined
  /** Maximum number of lines: the newest. */
  readonly limit: number
}

/** The newest lines of the log as written, for administrators. */
export class LogLines {
  /** Identifies this start, because another start has other line numbers. */
  readonly run: string
  readonly #lines: { readonly seq: number; readonly text: string }[] = []
  #characters = 0
  #seq = 0

  constructor(run: string) {
    this.run = run
  }

  /** Adds one line of JSON as written to the log. */
  take(line: string): void {
    const text = line.length > LINE_CHARACTERS_MAX ? withoutFields(line) : line
    this.#lines.push({ seq: (this.#seq += 1), text })
    this.#characters += text.length
    while (this.#lines.length > LOG_LINES_MAX || this.#characters > LOG_CHARACTERS_MAX)
      this.#characters -= this.#lines.shift()?.text.length ?? 0
  }

  /** Oldest first. */
  list({ level = 'debug', since = 0, after = 0, limit }: LogQuery): readonly LogLine[] {
    const found: LogLine[] = []
    // A future number comes from a client of an earlier start.
    const from = after > this.#seq ? 0 : after
    for (let at = this.#lines.length - 1; at >= 0 && found.length < limit; at -= 1) {
      const stored = this.#lines[at]
      if (stored === undefined || stored.seq <= from) break
      const line = lineOf(stored)
      if (line.at >= since && GRAVITY.indexOf(line.level) >= GRAVITY.indexOf(level)) found.push(line)
    }
    return found.toReversed()
  }
}

function lineOf({ seq, text }: { readonly seq: number; readonly text: string }): LogLine {
  const { level, time, msg, ...fields } = parseLine(text)
  return {
    seq,
    at: Date.parse(String(time)) || 0,
    level: LEVELS[Number(level)] ?? 'info',
    what: typeof msg === 'string' ? msg : '',
    fields,
  }
}

function withoutFields(line: string): string {
  const { level, time, msg, reference, err } = parseLine(line)
  const cut = (text: unknown): string => String(text).slice(0, PART_CHARACTERS_MAX)
  return JSON.stringify({
    level,
    time,
    ...(reference !== undefined && { reference: cut(reference) }),
    ...(isObject(err) && { err: { type: cut(err['type']), message: cut(err['message']), stack: cut(err['stack']) } }),
    msg: cut(msg),
    cut: true,
  })
}

function parseLine(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}
