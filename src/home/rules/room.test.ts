import { expect, test } from 'vitest'
import { automation } from '#support/homes/rules-home.ts'
import { RULES_MAX } from '../model/rules.ts'
import { quotaExceededBy, RULES_BYTES_MAX, RULES_PER_INTEGRATION_MAX } from './rule-repository.ts'

const by = (integration: string | null) => ({
  ...automation({}),
  author: integration === null ? null : { integration, link: 'key' },
})
const many = (count: number, integration: string | null) => Array.from({ length: count }, () => by(integration))

test('the home has a limit of rules, and one integration half of it', () => {
  const full = many(RULES_PER_INTEGRATION_MAX, 'one')
  expect(quotaExceededBy(by('one'), null, full)).toEqual({ kind: 'quota_exceeded', of: 'integration', by: 'number' })
  expect(quotaExceededBy(by('other'), null, full)).toBe(null)
  expect(quotaExceededBy(by(null), null, full)).toBe(null)
  const all = [...full, ...many(RULES_MAX - full.length, null)]
  expect(quotaExceededBy(by('other'), null, all)).toEqual({ kind: 'quota_exceeded', of: 'home', by: 'number' })
  const [first = by('one')] = all
  expect(quotaExceededBy({ ...by('one'), name: 'x' }, first, all)).toBe(null)
  expect(quotaExceededBy(by('one'), all.at(-1)!, all)).toEqual({
    kind: 'quota_exceeded',
    of: 'integration',
    by: 'number',
  })
})

test('all rules together have a limit of bytes; a shorter rule always fits', () => {
  const long = { ...by(null), name: 'x'.repeat(RULES_BYTES_MAX) }
  expect(quotaExceededBy(by('one'), null, [long])).toEqual({ kind: 'quota_exceeded', of: 'home', by: 'bytes' })
  expect(quotaExceededBy({ ...long, name: 'y'.repeat(RULES_BYTES_MAX) }, long, [long])).toBe(null)
})
