import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { linksOf } from '#support/project/markdown.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const PATH = 'SECURITY.md'
const text = readFileSync(join(PROJECT_ROOT, PATH), 'utf8')
const THREATS = ['asset', 'attacker', 'protection', 'proof', 'remaining risk']

interface Threat {
  readonly asset: string
  readonly cells: readonly string[]
  /** Files that the row links to as its proof. */
  readonly proofs: readonly string[]
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The rows of the tables of threats in a document. */
function threatsOf(document: string): readonly Threat[] {
  const section = document.slice(document.indexOf('## Threats'), document.indexOf('## In scope'))
  const rows = section.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('|---'))
  return rows
    .map(cellsOf)
    .filter((cells) => cells[0] !== THREATS[0])
    .map((cells) => ({
      asset: cells[0] ?? '',
      cells,
      proofs: linksOf({ path: PATH, text: cells[3] ?? '' }).map(({ path }) => path),
    }))
}

/** A test file holds at least one test. */
function hasTests(path: string): boolean {
  try {
    const source = readFileSync(join(PROJECT_ROOT, path), 'utf8')
    return path.endsWith('.py')
      ? /^(?:async )?def test_/m.test(source)
      : path.endsWith('.test.ts') && /^\s*(?:test|it|proves|verifies)[\w.]*\(/m.test(source)
  } catch {
    return false
  }
}

describe('SECURITY.md', () => {
  const threats = threatsOf(text)

  test('names asset, attacker, protection, proof and remaining risk of each threat', () => {
    expect(threats.length).toBeGreaterThanOrEqual(25)
    const incomplete = threats.filter(({ cells }) => cells.length !== THREATS.length || cells.includes(''))
    expect(incomplete).toEqual([])
  })

  test('links every threat to test files that exist and hold tests', () => {
    expect(threats.filter(({ proofs }) => proofs.length === 0).map(({ asset }) => asset)).toEqual([])
    const broken = threats.flatMap(({ proofs }) => proofs).filter((path) => !hasTests(path))
    expect(broken).toEqual([])
  })

  test('finds a proof that is gone, is no test or holds none', () => {
    const row = (proof: string): string => `## Threats\n| a | b | c | ${proof} | d |\n## In scope\n`
    const proofsOf = (proof: string): readonly string[] => threatsOf(row(proof)).flatMap(({ proofs }) => proofs)
    expect(proofsOf('[gone](test/gone.test.ts)').map(hasTests)).toEqual([false])
    expect(proofsOf('[page](docs/tls.md), [code](src/main.ts)').map(hasTests)).toEqual([false, false])
    expect(proofsOf('[TLS](test/tls/tls.test.ts)').map(hasTests)).toEqual([true])
  })

  test('says in days when a reporter hears what, and until when versions are supported', () => {
    for (const step of ['Acknowledgement', 'Assessment', 'Fix', 'Disclosure'])
      expect(text).toMatch(new RegExp(`^\\| ${step}[^|]*\\| \\d+ days \\|$`, 'm'))
    expect(text).toMatch(/fixes at least until \d+ \w+ 20\d\d/)
  })
})
