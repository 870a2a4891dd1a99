import { isObject } from './json.ts'
import type { LogLevel } from './log.ts'

/** Of the log so many lines are kept in memory, the newest. */
export const LOG_LINES_MAX = 2_000
/** They take no more characters together. */
export const LOG_CHARACTERS_MAX = 1024 * 1024
/** Of a longer line the sentence is kept, the reference, and the beginning of what failed. */
export const LINE_CHARACTERS_MAX = 8 * 1024
/** Of each text in it so much. */
const PART_CHARACTERS_MAX = 1024

/** The numbers that pino writes. */
const LEVELS: Readonly<Record<number, LineLevel>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'error' }
const GRAVITY: readonly LineLevel[] = ['debug', 'info', 'warn', 'error']

export type LineLevel = Exclude<LogLevel, 'silent'>

export interface LogLine {
  /** Counts up with each line; a restart begins anew. */
  readonly seq: number
  /** Epoch ms. */
  readonly at: number
  readonly level: LineLevel
  /** The sentence. */
  readonly what: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface LogQuery {
  /** Lines of this level and graver ones. */
  readonly level?: LineLevel | undefined
  /** Lines from then on, epoch ms. */
  readonly since?: number | undefined
  /** Lines after this one. */
  readonly after?: number | undefined
  /** So many of them at most: the newest. */
  readonly limit: number
}

/** The newest lines of the log, for administrators, as they were written. */
export class LogLines {
  /** Tells these lines from those of an earlier start, whose numbers were others. */
  readonly run: string
  readonly #kept: { readonly seq: number; readonly text: string }[] = []
  #characters = 0
  #seq = 0

  constructor(run: string) {
    this.run = run
  }

  /** One line of JSON, as it goes to the log. */
  take(line: string): void {
    const text = line.length > LINE_CHARACTERS_MAX ? withoutFields(line) : line
    this.#kept.push({ seq: (this.#seq += 1), text })
    this.#characters += text.length
    while (this.#kept.length > LOG_LINES_MAX || this.#characters > LOG_CHARACTERS_MAX)
      this.#characters -= this.#kept.shift()?.text.length ?? 0
  }

  /** The oldest first. */
  list({ level = 'debug', since = 0, after = 0, limit }: LogQuery): readonly LogLine[] {
    const found: LogLine[] = []
    // Of a number that there has not been yet: whoever follows has seen lines of before a restart.
    const from = after > this.#seq ? 0 : after
    for (let at = this.#kept.length - 1; at >= 0 && found.length < limit; at -= 1) {
      const kept = this.#kept[at]
      if (kept === undefined || kept.seq <= from) break
      const line = lineOf(kept)
      if (line.at >= since && GRAVITY.indexOf(line.level) >= GRAVITY.indexOf(level)) found.push(line)
    }
    return found.toReversed()
  }
}

function lineOf({ seq, text }: { readonly seq: number; readonly text: string }): LogLine {
  const { level, time, msg, ...fields } = parsed(text)
  return {
    seq,
    at: Date.parse(String(time)) || 0,
    level: LEVELS[Number(level)] ?? 'info',
    what: typeof msg === 'string' ? msg : '',
    fields,
  }
}

function withoutFields(line: string): string {
  const { level, time, msg, reference, err } = parsed(line)
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

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}
