import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

/** Commits after this one have subjects of at most 72 characters. */
const BASE = 'ddd4bf69bc7faf36a861c93e7322bc168694794e'
const SUBJECT_MAX = 72

/** Subjects of the commits since the base, or null in a clone without it. */
function subjects(): readonly string[] | null {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: PROJECT_ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    git('merge-base', '--is-ancestor', BASE, 'HEAD')
    return git('log', '--format=%s', `${BASE}..HEAD`)
      .split('\n')
      .filter((subject) => subject !== '')
  } catch {
    return null
  }
}

/** Faults of the headings of a changelog: Unreleased comes first, then dates from the newest to the oldest. */
function wrongHeadings(changelog: string): readonly string[] {
  const [first, ...headings] = [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!)
  const dates = headings.map((heading) => /^(?:\[\d+\.\d+\.\d+\] - )?(\d{4}-\d\d-\d\d)$/.exec(heading)?.[1])
  return [
    ...(first === '[Unreleased]' ? [] : ['The first section is not Unreleased.']),
    ...headings.filter((_, at) => dates[at] === undefined).map((heading) => `${heading}: no date`),
    ...headings
      .filter(
        (_, at) =>
          dates[at] !== undefined && dates[at] > (dates.slice(0, at).findLast((date) => date !== undefined) ?? '9'),
      )
      .map((heading) => `${heading}: out of order`),
  ]
}

test('subjects of commits have at most 72 characters', (context) => {
  const found = subjects()
  if (found === null) return context.skip('This clone has no history back to the base.')
  expect(found.filter((subject) => subject.length > SUBJECT_MAX)).toEqual([])
})

test('sections of the changelog have dates and are in order', () => {
  expect(wrongHeadings(readFileSync(join(PROJECT_ROOT, 'CHANGELOG.md'), 'utf8'))).toEqual([])
  expect(wrongHeadings('## Older\n## [2.2.0] - 2027-01-02\n## [2.1.0]\n## 2027-01-03\n')).toEqual([
    'The first section is not Unreleased.',
    '[2.1.0]: no date',
    '2027-01-03: out of order',
  ])
})
