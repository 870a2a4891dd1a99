import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** From the line up; each layer may use earlier ones, never a later one. */
const LAYERS = ['port', 'frame', 'message', 'exchange', 'registers', 'unit'] as const

/** The folders of hmhc/ that the sources of one layer import. */
function importedBy(layer: string): Set<string> {
  const folder = new URL(`./${layer}/`, import.meta.url)
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return new Set(
    sources.flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '\.\.\/(\w+)\//g)].map(([, other = '']) => other),
    ),
  )
}

describe('the six layers', () => {
  it.each(LAYERS.map((layer, index) => ({ layer, above: LAYERS.slice(index + 1) })))(
    '$layer imports nothing above it',
    ({ layer, above }) => {
      const imported = importedBy(layer)
      expect(above.filter((other) => imported.has(other))).toEqual([])
    },
  )

  it('include all folders', () => {
    expect([...importedBy('unit')]).toEqual(expect.arrayContaining(['exchange', 'message', 'port']))
  })
})
