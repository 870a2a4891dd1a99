import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedLine } from '#support/recording-log.ts'
import type { TestRelay } from './test-relay.ts'

/** A log line as it is written, including the text of errors. */
export function formatted({ level, fields, sentence }: RecordedLine): unknown {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Error ? `${value.stack}` : value,
  ])
  return { level, sentence, ...(Object.fromEntries(entries) as object) }
}

/** The bytes of all files in a folder. */
export function keptIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n')
}

/** Metrics of a relay with a port for them. */
export async function metricsOf({ relay }: TestRelay): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${relay.metricsPort}/metrics`)
  return answer.text()
}
