import { describe, expect, test } from 'vitest'
import { requirementsOf, type Requirement } from '../requirements/requirement.ts'
import { REQUIREMENTS } from '../requirements/index.ts'
import { PAGES } from '../requirements/pages.ts'
import { type Citation, citationsOf } from '#support/project/citations.ts'
import { projectFiles, type ProjectFile } from '#support/project/source-tree.ts'
import { sharedTransports, usualTransports } from '#support/gateway/verifies.ts'

const THIS_FILE = 'test/structure/requirements-gate.test.ts'
const { citations, unclear } = citationsOf(projectFiles().filter((file) => file.path !== THIS_FILE))

/** The official conformance suite, which is another program; several nodes of a relay; and pages in a browser. */
const LONG_BY_NATURE: readonly string[] = ['agents.mcp-conformance', 'relay.any-node', ...PAGES.map(({ id }) => id)]

/** Requirements that no test cites as it must: by `verifies` where they are about a transport. */
function uncited(requirements: readonly Requirement[], cited: readonly Citation[]): string[] {
  return requirements
    .filter(
      ({ id, transports }) => !cited.some((one) => one.id === id && (transports === 'none' || one.by === 'verifies')),
    )
    .map(({ id, source, sentence }) => `${id} (${source}): ${sentence}`)
}

describe('the requirements', () => {
  test('have ids of their own', () => {
    const ids = REQUIREMENTS.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(ids.length).toBeGreaterThan(0)
  })

  test('are ids of the place they stand under', () => {
    // Of `Spec 4 rule 3` the section, of `docs/devices.md` the page.
    const placeOf = (source: string): string => /([\w-]+)\.md$/.exec(source)?.[1] ?? source.split(' ')[1]!
    expect(REQUIREMENTS.filter(({ id, source }) => !id.startsWith(`${placeOf(source)}.`)).map(({ id }) => id)).toEqual(
      [],
    )
  })

  test('are each cited by a test', () => {
    expect(uncited(REQUIREMENTS, citations)).toEqual([])
  })

  test('that `npm test` leaves to `npm run test:long` are those that take long by nature', () => {
    const short = new Set(citations.filter(({ isLong }) => !isLong).map(({ id }) => id))
    const longOnly = new Set(citations.filter(({ id }) => !short.has(id)).map(({ id }) => id))
    expect([...longOnly].toSorted()).toEqual(LONG_BY_NATURE.toSorted())
  })

  test('cited by tests exist, and are spelled out', () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id))
    expect(citations.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${file}: ${id}`)).toEqual([])
    expect(unclear).toEqual([])
  })
})

describe('the gate finds planted faults', () => {
  const rules = requirementsOf('Spec 9', [
    ['9.a', 'both', 'A rule.'],
    ['9.b', 'none', 'Another rule.'],
  ])
  const file = (text: string): ProjectFile => ({ path: 'test/planted.test.ts', text })

  test('a rule that no test cites', () => {
    expect(uncited(rules, citationsOf([file("verifies('9.a', 'title', async () => {})")]).citations)).toEqual([
      '9.b (Spec 9): Another rule.',
    ])
  })

  test('a rule about a transport that is only proved without one', () => {
    expect(uncited(rules, citationsOf([file("proves(['9.a', '9.b'], 'title', () => {})")]).citations)).toEqual([
      '9.a (Spec 9): A rule.',
    ])
  })

  test('several rules of one test, over several lines', () => {
    expect(
      uncited(rules, citationsOf([file("verifies([\n  '9.a',\n  '9.b',\n], 'title', async () => {})")]).citations),
    ).toEqual([])
  })

  test('ids that are not spelled out', () => {
    expect(citationsOf([file('verifies(id, title, body)')]).unclear).toEqual(['test/planted.test.ts: verifies(id'])
  })

  test('an id that does not exist, when the test is loaded', () => {
    expect(() => sharedTransports('9.invented')).toThrow('There is no requirement "9.invented"')
  })

  test('the transports of `npm test`', () => {
    expect(usualTransports('1.4.hidden', 'even', undefined)).toEqual(['http', 'stream'])
    expect(usualTransports('1.4.hidden', 'even', 'stream')).toEqual(['stream'])
    expect(usualTransports('5.1.bearer', 'even', 'stream')).toEqual(['http'])
    expect(usualTransports('devices.own-operations', 'even', undefined)).toEqual(['http'])
    expect(usualTransports('devices.own-operations', 'odd', undefined)).toEqual(['stream'])
  })

  test('a test that only the long run has', () => {
    const one = (options: string): boolean =>
      citationsOf([file(`proves('9.b', 'title', ${options}, () => {})`)]).citations[0]!.isLong
    expect([one("{ tags: ['long'] }"), one('{ timeout: 1 }')]).toEqual([true, false])
    const inside = "describe('rules', { tags: ['long'] }, () => { proves('9.b', 'title', () => {}) })"
    expect(citationsOf([file(inside)]).citations[0]!.isLong).toBe(true)
  })

  test('rules without a transport in common', () => {
    expect(() => sharedTransports(['5.1.bearer', '5.1.upgrade'])).toThrow('no transport in common')
    expect(sharedTransports(['5.1.bearer', '1.5.house'])).toEqual(['http'])
    expect(sharedTransports(['1.4.hidden', '1.5.house'])).toEqual(['http', 'stream'])
    expect(sharedTransports('1.5.house')).toEqual(['http', 'stream', 'mcp'])
  })
})
