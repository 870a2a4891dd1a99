import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '#support/recording-log.ts'
import type { TestRelay } from './test-relay.ts'

/** A line as it would be written, with what an error says. */
export function shown({ level, fields, sentence }: LogLine): unknown {
  const said = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Error ? `${value.stack}` : value,
  ])
  return { level, sentence, ...(Object.fromEntries(said) as object) }
}

/** The bytes of all files in a folder. */
export function keptIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n')
}

/** What a relay that was given a port for it counts. */
export async function metricsOf({ relay }: TestRelay): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${relay.metricsPort}/metrics`)
  return answer.text()
}
