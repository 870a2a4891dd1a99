import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtBytes, type BuiltFile, builtFiles, nameOf } from '#support/console/build.ts'

/** What a phone on a slow line is asked to take (docs/console.md#build). */
const FIRST_LOAD_BYTES_MAX = 60_000
const PAGE_BYTES_MAX = 15_000
/** The document, its style and icon, the script and what that cannot begin without. */
const FIRST_REQUESTS_MAX = 8

const gzipped = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(builtBytes(name)).byteLength, 0)

/** A file and all that it cannot begin without. */
function needed(files: ReadonlyMap<string, BuiltFile>, name: string): Set<string> {
  const all = new Set([name])
  for (const each of all)
    for (const { path, kind } of files.get(each)?.imports ?? []) if (kind === 'import-statement') all.add(nameOf(path))
  return all
}

const entryOf = (files: ReadonlyMap<string, BuiltFile>, source: string): string =>
  [...files].find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? ''

test('the first load and each page keep within their budgets', () => {
  const files = builtFiles()
  const first = needed(files, entryOf(files, 'console/src/main.tsx'))
    .add(entryOf(files, 'console/src/style.css'))
    .add('index.html')
    .add('icon.svg')
  expect(gzipped(first)).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX)
  expect(first.size).toBeLessThanOrEqual(FIRST_REQUESTS_MAX)

  const pages = [...files].flatMap(([name, { entryPoint = '' }]) => {
    const page = /^console\/src\/pages\/([\w-]+)\//.exec(entryPoint)?.[1]
    const own = [...needed(files, name)].filter((each) => !first.has(each))
    return page === undefined ? [] : [{ page, bytes: gzipped(own) }]
  })
  expect(pages.length).toBeGreaterThan(5)
  expect(pages.filter(({ bytes }) => bytes > PAGE_BYTES_MAX)).toEqual([])
})
