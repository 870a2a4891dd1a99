import type { ProjectFile } from './source-tree.ts'

/** Where a test cites requirements: by `verifies` (over their transports) or `proves` (without one), in a browser too. */
export interface Citation {
  readonly id: string
  readonly by: 'verifies' | 'proves'
  readonly file: string
  /** Whether `npm test` leaves it to `npm run test:long`. */
  readonly isLong: boolean
}

const CALL =
  /\b(?<by>verifies|proves|provesInBrowser)(?<long>\.long)?\(\s*(?:'(?<one>[^']*)'|\[(?<many>[^\]]*)\]|(?<other>[^\s'[)][^,)]*))/g

/** Every citation of the tests, and every call that does not spell its ids out, which nobody can search for. */
export function citationsOf(files: readonly ProjectFile[]): { citations: Citation[]; unclear: string[] } {
  const citations: Citation[] = []
  const unclear: string[] = []
  for (const file of files.filter((each) => each.path.endsWith('.test.ts'))) {
    for (const match of file.text.matchAll(CALL)) {
      const { by, long, one, many, other } = match.groups!
      const isLong = long !== undefined || file.path.endsWith('.long.test.ts')
      const ids = one === undefined ? [...(many ?? '').matchAll(/'([^']*)'/g)].map((id) => id[1]!) : [one]
      if (other !== undefined || ids.length === 0) unclear.push(`${file.path}: ${match[0]}`)
      for (const id of ids)
        citations.push({ id, by: by === 'verifies' ? 'verifies' : 'proves', file: file.path, isLong })
    }
  }
  return { citations, unclear }
}
