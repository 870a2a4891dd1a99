import { expect, test } from 'vitest'
import { automation } from '#support/homes/rules-home.ts'
import { RULES_MAX } from '../model/rules.ts'
import { noRoomFor, RULES_BYTES_MAX, RULES_OF_ONE_MAX } from './rule-repository.ts'

const by = (integration: string | null) => ({
  ...automation({}),
  author: integration === null ? null : { integration, link: 'key' },
})
const many = (count: number, integration: string | null) => Array.from({ length: count }, () => by(integration))

test('the home holds so many, of one integration half of them', () => {
  const full = many(RULES_OF_ONE_MAX, 'one')
  expect(noRoomFor(by('one'), null, full)).toEqual({ kind: 'no_room', of: 'integration', by: 'number' })
  expect(noRoomFor(by('other'), null, full)).toBe(null)
  expect(noRoomFor(by(null), null, full)).toBe(null)
  const all = [...full, ...many(RULES_MAX - full.length, null)]
  expect(noRoomFor(by('other'), null, all)).toEqual({ kind: 'no_room', of: 'home', by: 'number' })
  const [first = by('one')] = all
  expect(noRoomFor({ ...by('one'), name: 'x' }, first, all)).toBe(null)
  expect(noRoomFor(by('one'), all.at(-1)!, all)).toEqual({ kind: 'no_room', of: 'integration', by: 'number' })
})

test('all of them together have so many bytes; what gets no longer always fits', () => {
  const long = { ...by(null), name: 'x'.repeat(RULES_BYTES_MAX) }
  expect(noRoomFor(by('one'), null, [long])).toEqual({ kind: 'no_room', of: 'home', by: 'bytes' })
  expect(noRoomFor({ ...long, name: 'y'.repeat(RULES_BYTES_MAX) }, long, [long])).toBe(null)
})
