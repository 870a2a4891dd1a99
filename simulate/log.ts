import type { Log } from '../src/lib/log.ts'

export interface LogLine {
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
