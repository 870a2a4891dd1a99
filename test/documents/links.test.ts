import { describe, expect, test } from 'vitest'
import { brokenCitations, brokenLinks, missingFiles, titlesOf } from '#support/project/markdown.ts'
import { binaryFiles, projectFiles, type ProjectFile } from '#support/project/source-tree.ts'

const files = projectFiles()
// These tests are full of planted defects.
const PLANTED = new Set(['test/documents/links.test.ts', 'test/structure/tidy.test.ts'])
const documents = files.filter((file) => file.path.endsWith('.md'))

describe('the documents', () => {
  test('have one title each, on their first line', () => {
    expect(documents.length).toBeGreaterThan(0)
    expect(
      documents
        .filter((document) => titlesOf(document).length !== 1 || !document.text.startsWith('# '))
        .map((document) => document.path),
    ).toEqual([])
  })

  test('link to files and headings that are there', () => {
    expect(brokenLinks([...files, ...binaryFiles()])).toEqual([])
  })

  test('name files that are there', () => {
    expect(missingFiles(files)).toEqual([])
  })

  test('have every page and heading that code cites', () => {
    expect(brokenCitations(files.filter((file) => !PLANTED.has(file.path)))).toEqual([])
  })
})

describe('the rules find planted faults', () => {
  const page = (path: string, text: string): ProjectFile => ({ path, text })
  const other = page('docs/other.md', '# Other\n\n## What `hm` does, and why?\n\n## Twice\n\n## Twice\n')

  test('two titles, and a title that is only an example', () => {
    expect(titlesOf(page('a.md', '# A\n\n# B\n'))).toEqual(['A', 'B'])
    expect(titlesOf(page('a.md', '# A\n\n```\n# comment\n```\n'))).toEqual(['A'])
  })

  test.each([
    ['[x](docs/other.md)', []],
    ['[x](docs/)', []],
    ['[x](docs/other.md#what-hm-does-and-why)', []],
    ['[x](docs/other.md#twice-1)', []],
    ['[x](https://example.org/gone)', []],
    ['`[x](gone.md)` is how a link is written', []],
    ['[x](gone.md)', ['a.md: gone.md']],
    ['[x](docs/other.md#gone)', ['a.md: docs/other.md#gone']],
    ['[x](#gone)', ['a.md: #gone']],
    ['[x]: gone.md', ['a.md: gone.md']],
    ['![x](docs/gone.png)', ['a.md: docs/gone.png']],
  ])('%s', (text, broken) => {
    expect(brokenLinks([page('a.md', `# A\n\n${text}\n`), other])).toEqual(broken)
  })

  test('a file that is not there', () => {
    expect(missingFiles([page('a.md', '# A\n\nSee `docs/other.md`, `docs/` and `docs/gone.md`.\n'), other])).toEqual([
      'a.md: docs/gone.md',
    ])
    expect(
      missingFiles([page('a.md', '# A\n\nSee `a.ts`, `x/a.ts` and `gone.ts`.\n'), page('src/x/a.ts', '')]),
    ).toEqual(['a.md: gone.ts'])
  })

  test.each([
    ['// docs/other.md#twice', []],
    ['// docs/other.md 1.2, docs/other.md, section 1', []],
    ['// docs/gone.md', ['src/a.ts: docs/gone.md']],
    ['// docs/other.md#gone', ['src/a.ts: docs/other.md#gone']],
    ['// docs/other.md 1.3', ['src/a.ts: docs/other.md 1.3']],
    ['// docs/other.md, section 2', ['src/a.ts: docs/other.md, section 2']],
  ])('a citation in code: %s', (text, broken) => {
    const numbered = page('docs/other.md', `${other.text}\n## 1. First\n\n### 1.2 Second\n`)
    expect(brokenCitations([page('src/a.ts', text), numbered])).toEqual(broken)
  })
})
