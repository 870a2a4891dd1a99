import { createRequire } from 'node:module'
import { nextTurn } from './next-turn.ts'

/** Loaded by the first file that is read or written: a gateway that only serves never needs it, nor its memory. */
const load = createRequire(import.meta.url)
const yaml = (): typeof import('yaml') => load('yaml') as typeof import('yaml')

/** YAML, or JSON, which is YAML. Throws with the place where it is neither. */
export function parseYaml(text: string): unknown {
  return yaml().parse(text, { maxAliasCount: 0 })
}

/** Without aliases, which `parseYaml` refuses: what stands twice is written twice. */
export function writeYaml(value: unknown): string {
  return yaml().stringify(value, { lineWidth: 140, aliasDuplicateObjects: false })
}

/** So much is written in one turn of the event loop: a few milliseconds. */
const TURN_CHARS = 16 * 1024

/**
 * A mapping as `writeYaml` writes it, a part of its lists in each turn of the event loop, so that nobody waits for a
 * long one. What is in it must not change meanwhile.
 */
export async function writeYamlInTurns(mapping: Readonly<Record<string, unknown>>): Promise<string> {
  let text = ''
  let turnAt = 0
  for (const piece of piecesOf(mapping)) {
    text += piece
    if (text.length - turnAt < TURN_CHARS) continue
    await nextTurn()
    turnAt = text.length
  }
  return text
}

function* piecesOf(mapping: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [key, value] of Object.entries(mapping)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : []
    if (items.length === 0) yield writeYaml({ [key]: value })
    for (const [index, item] of items.entries()) {
      const text = writeYaml({ [key]: [item] })
      yield index === 0 ? text : text.slice(text.indexOf('\n') + 1)
    }
  }
}
