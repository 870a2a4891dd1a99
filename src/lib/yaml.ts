import { createRequire } from 'node:module'

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
