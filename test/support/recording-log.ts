import type { Log } from '../../src/lib/log.ts'

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly sentence: string
}

/** A log that remembers what it was told. */
export function recordingLog(): Log & { readonly lines: LogLine[]; readonly sentences: (level: LogLine['level']) => string[] } {
  const lines: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: object, sentence: string) => {
    lines.push({ level, fields, sentence })
  }
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log, lines,
    sentences: (level: LogLine['level']) => lines.filter((line) => line.level === level).map((line) => line.sentence) }
  return log
}
