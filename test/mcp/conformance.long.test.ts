// @module-tag long
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BearerProxy } from '#support/gateway/bearer-proxy.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { HostedWorld } from '#support/relay/hosted-world.ts'
import { type Fate, scenariosOf } from './conformance-scenarios.ts'
import { type ScenarioCheck, type Revision, runSuite } from './conformance-suite.ts'

/** The suite checks the form of every answer. This check says nothing about the feature of a scenario. */
const WELL_FORMED = 'wire-schema-valid'

/** Differences from the table as text, or null. */
function wrongWith(checks: readonly ScenarioCheck[], fate: Fate): string | null {
  const failing = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING' || status === 'SKIPPED')
  const sentences = (selection: readonly ScenarioCheck[]): string =>
    selection.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`).join('\n')
  const malformed = failing.filter(({ id }) => id === WELL_FORMED)
  if (malformed.length > 0) return sentences(malformed)
  const passed = checks.some(({ id, status }) => status === 'SUCCESS' && id !== WELL_FORMED)
  if (typeof fate === 'object' && 'leftOut' in fate)
    return failing.length === 0 && passed ? 'It passes, so it is not left out.' : null
  const excepted = typeof fate === 'object' && 'fitsBut' in fate ? Object.keys(fate.fitsBut) : []
  const unforeseen = failing.filter(({ id }) => !excepted.includes(id))
  if (unforeseen.length > 0) return sentences(unforeseen)
  const passing = excepted.filter((id) => !failing.some((check) => check.id === id))
  if (passing.length > 0) return `${passing.join(', ')}: passes, so it is no exception.`
  if (!passed && (fate === 'fits' || 'fitsBut' in fate)) return 'No check of the feature ran.'
  return null
}

/** Address and token of a home for agents. */
interface Door {
  readonly port: number
  readonly ca: string
  readonly token: string
}

async function wrongAtHome(revision: Revision): Promise<Readonly<Record<string, string>>> {
  await using running = await TestGateway.open()
  const { integration } = (await running.admin.call('POST', '/integrations', {
    name: 'Conformance',
    expose: ['all'],
    settings: { agent_access: 'on' },
  })) as { integration: { id: string } }
  const { token } = (await running.admin.call('POST', '/agents', {
    integration: integration.id,
    name: 'Suite',
    platform: 'Conformance',
  })) as { token: string }
  const ca = readFileSync(running.gateway.caFile, 'utf8')
  return await wrongAt(revision, { port: running.gateway.port, ca, token })
}

/** Uses a token from the sign-in at the relay. */
async function wrongThroughRelay(revision: Revision): Promise<Readonly<Record<string, string>>> {
  await using world = await HostedWorld.open()
  const { agent, answer } = await world.accepted()
  const { access_token: token } = await agent.redeemed(answer)
  const { relay, ca } = world.relay
  return await wrongAt(revision, { port: relay.port, ca, token })
}

async function wrongAt(revision: Revision, door: Door): Promise<Readonly<Record<string, string>>> {
  await using proxy = await BearerProxy.open(door)
  const found = await runSuite(revision, `${proxy.url}/mcp`)
  const table = scenariosOf(revision)
  const wrong = new Map<string, string>()
  for (const [name, checks] of found) {
    const fate = table.get(name)
    const reason = fate === undefined ? 'The table does not know it.' : wrongWith(checks, fate)
    if (reason !== null) wrong.set(name, reason)
  }
  for (const name of table.keys()) if (!found.has(name)) wrong.set(name, 'The suite did not run it.')
  return Object.fromEntries(wrong)
}

describe('the official conformance suite', () => {
  proves('agents.mcp-conformance', 'has the results of the table, for servers of 2026-07-28', async () => {
    expect(await wrongAtHome('2026-07-28')).toEqual({})
  })

  proves('agents.mcp-conformance', 'has the results of the table, for servers of 2025-11-25', async () => {
    expect(await wrongAtHome('2025-11-25')).toEqual({})
  })

  test.each(['2026-07-28', '2025-11-25'] as const)(
    'has the same results at the hosted address, for %s',
    async (revision) => {
      expect(await wrongThroughRelay(revision)).toEqual({})
    },
  )
})

describe('a comparison with the table', () => {
  const check = (id: string, status: ScenarioCheck['status']): ScenarioCheck => ({ id, status, errorMessage: 'why' })
  const fine = check('a', 'SUCCESS')
  const bad = check('b', 'FAILURE')

  test.each<[string, readonly ScenarioCheck[], Fate, string | null]>([
    ['accepts a fitting scenario that passes', [fine], 'fits', null],
    ['reports a fitting scenario that fails', [fine, bad], 'fits', 'b: why'],
    ['reports a fitting scenario with a warning', [fine, check('c', 'WARNING')], 'fits', 'c: why'],
    ['reports a fitting scenario with a skipped check', [fine, check('c', 'SKIPPED')], 'fits', 'c: why'],
    [
      'reports a fitting scenario without a check of its feature',
      [check(WELL_FORMED, 'SUCCESS')],
      'fits',
      'No check of the feature ran.',
    ],
    ['accepts a listed exception', [fine, bad], { fitsBut: { b: 'reason' } }, null],
    [
      'reports an exception that passes',
      [fine, check('b', 'SUCCESS')],
      { fitsBut: { b: 'reason' } },
      'b: passes, so it is no exception.',
    ],
    [
      'reports a failure next to an exception',
      [fine, bad, check('c', 'FAILURE')],
      { fitsBut: { b: 'reason' } },
      'c: why',
    ],
    ['accepts a left-out scenario that fails', [bad], { leftOut: 'reason' }, null],
    ['reports a left-out scenario that passes', [fine], { leftOut: 'reason' }, 'It passes, so it is not left out.'],
    ['reports an idle scenario that fails', [bad], { idle: 'reason' }, 'b: why'],
    ['reports a malformed answer', [bad, check(WELL_FORMED, 'FAILURE')], { leftOut: 'reason' }, `${WELL_FORMED}: why`],
  ])('%s', (_what, checks, fate, difference) => {
    expect(wrongWith(checks, fate)).toBe(difference)
  })
})
