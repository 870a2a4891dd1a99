import { createRequire } from 'node:module'
import { nextTurn } from './next-turn.ts'

/** Loaded with the first file: a gateway that only serves needs neither it nor its memory. */
const load = createRequire(import.meta.url)
const yaml = (): typeof import('yaml') => load('yaml') as typeof import('yaml')

/** Replaces bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd'

/** Parses YAML, or JSON, which is YAML. @throws with the place of the first error */
export function parseYaml(text: string): unknown {
  if (text.includes(REPLACEMENT)) throw new Error(lostCharacters(text))
  return yaml().parse(text, { maxAliasCount: 0 })
}

function lostCharacters(text: string): string {
  const line = text.slice(0, text.indexOf(REPLACEMENT)).split('\n').length
  return `line ${line} has lost characters, so the file is not stored as UTF-8: save it as UTF-8 and send it again`
}

/** Characters that YAML 1.1 forbids or reads as a line break, and the one that `parseYaml` refuses. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffd]/

/** Quotes texts with such characters, and `=`, which has its own type in YAML 1.1. */
const QUOTED = {
  tag: 'tag:yaml.org,2002:value',
  default: true,
  test: new RegExp(`^=$|${ESCAPED.source}`),
  resolve: (text: string): string => text,
  identify: (): boolean => false,
} as const

/**
 * Quotes texts that YAML 1.1 reads as another type (`on`, `No`, `22:30`), for other readers. Writes no aliases, because
 * `parseYaml` refuses them.
 */
export function writeYaml(value: unknown): string {
  const text = yaml().stringify(value, {
    lineWidth: 140,
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: [QUOTED],
    singleQuote: false,
    blockQuote: false,
  })
  return text.replaceAll(new RegExp(ESCAPED, 'g'), escaped)
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Characters written per event loop turn: a few milliseconds. */
const TURN_CHARS = 16 * 1024

/**
 * Writes a mapping as `writeYaml` does, a part of its lists per event loop turn, so that a long one blocks no one. Its
 * content must not change meanwhile.
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
