import { expect, test } from 'vitest'
import { newestChanges } from './release.ts'

const CHANGELOG = `# Changelog

All notable changes.

## [1.2.0] - 2027-01-02

### Added

- A lamp with
  two lines.
- Another.

### Fixed

- A door: \`bin/hm\` says so.

### Added

- A third.

## [1.1.0]

### Added

- What was there before.
`

test('of a changelog the newest release is read, each entry as one line', () => {
  expect(newestChanges(CHANGELOG)).toEqual({
    heading: '1.2.0 - 2027-01-02',
    parts: [
      { title: 'Added', entries: ['A lamp with two lines.', 'Another.', 'A third.'] },
      { title: 'Fixed', entries: ['A door: `bin/hm` says so.'] },
    ],
  })
})

test('one without releases has none', () => {
  expect(newestChanges('# Changelog\n\nNothing yet.\n')).toBeNull()
})
