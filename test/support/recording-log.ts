import type { Log } from '../../src/lib/log.ts'

export interface RecordedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly sentence: string
}

export interface RecordingLog extends Log {
  readonly lines: RecordedLine[]
  sentences(level: RecordedLine['level']): string[]
  /** Resolves at the next log line with this sentence. */
  logged(sentence: string): Promise<void>
}

/** A log that records its lines. */
export function recordingLog(): RecordingLog {
  const lines: RecordedLine[] = []
  const waiting = new Map<string, () => void>()
  const at =
    (level: RecordedLine['level']) =>
    (fields: object, sentence: string): void => {
      lines.push({ level, fields, sentence })
      waiting.get(sentence)?.()
      waiting.delete(sentence)
    }
  const log: RecordingLog = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
    lines,
    sentences: (level) => lines.filter((line) => line.level === level).map((line) => line.sentence),
    logged: (sentence) =>
      new Promise((resolve) => {
        waiting.set(sentence, resolve)
      }),
  }
  return log
}
