import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtBytes, type BuiltFile, builtFiles, nameOf } from '#support/console/build.ts'

/** Budgets for a phone on a slow line (docs/console.md#build). */
const FIRST_LOAD_BYTES_MAX = 60_000
const PAGE_BYTES_MAX = 15_000
/** The document, style sheet, icon, script, and static imports of the script. */
const FIRST_REQUESTS_MAX = 8

const gzipped = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(builtBytes(name)).byteLength, 0)

/** A file with its static imports. */
function needed(files: ReadonlyMap<string, BuiltFile>, name: string): Set<string> {
  const all = new Set([name])
  for (const file of all)
    for (const { path, kind } of files.get(file)?.imports ?? []) if (kind === 'import-statement') all.add(nameOf(path))
  return all
}

const entryOf = (files: ReadonlyMap<string, BuiltFile>, source: string): string =>
  [...files].find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? ''

test('the first load and every page stay within their budgets', () => {
  const files = builtFiles()
  const first = needed(files, entryOf(files, 'console/src/main.tsx'))
    .add(entryOf(files, 'console/src/style.css'))
    .add('index.html')
    .add('icon.svg')
  expect(gzipped(first)).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX)
  expect(first.size).toBeLessThanOrEqual(FIRST_REQUESTS_MAX)

  const pages = [...files].flatMap(([name, { entryPoint = '' }]) => {
    const page = /^console\/src\/pages\/([\w-]+)\//.exec(entryPoint)?.[1]
    const own = [...needed(files, name)].filter((file) => !first.has(file))
    return page === undefined ? [] : [{ page, bytes: gzipped(own) }]
  })
  expect(pages.length).toBeGreaterThan(5)
  expect(pages.filter(({ bytes }) => bytes > PAGE_BYTES_MAX)).toEqual([])
})
