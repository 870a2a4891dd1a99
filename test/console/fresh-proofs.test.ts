import { afterAll, beforeAll, expect } from 'vitest'
import { adminContract } from '../../src/api/admin/contract/index.ts'
import type { Endpoint } from '../../src/api/endpoint.ts'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

/** `socket`: served over the socket file alone. `never`: gives nobody lasting access. */
type Needed = 'always' | 'socket' | 'never' | { readonly wider: object; readonly narrower: object }

/** Every administrative request that changes something, and whether a stale session has to show its proof again. */
const NEEDED: Readonly<Record<string, Needed>> = {
  // Credentials, and what credentials may see and do.
  'keys.create': 'always',
  'agents.create': 'always',
  'agents.accept': { wider: {}, narrower: { session: true } },
  'operators.create': 'always',
  'integrations.create': {
    wider: { name: 'New', settings: { agent_access: 'on' } },
    narrower: { name: 'New', settings: { agent_access: 'off' } },
  },
  'integrations.change': {
    wider: { settings: { agent_access: 'on' } },
    narrower: { settings: { agent_access: 'off' } },
  },
  'integrations.delete': 'always',
  // Persons and their browsers.
  'persons.create': 'always',
  'persons.password': 'always',
  'persons.delete': 'always',
  'passkeys.options': 'always',
  'passkeys.create': 'always',
  'passkeys.delete': 'always',
  'links.create': 'always',
  'session.change': { wider: { ownDevice: true }, narrower: { ownDevice: false } },
  // Ways to the home from outside.
  'relay.connect': 'always',
  'relay.link': 'always',
  'relay.passthrough': 'always',
  'tls.regenerateCa': 'always',
  // The whole configuration, and ids that credentials are bound to.
  'backups.choose': 'always',
  'backups.phrase': 'always',
  'backups.restore': 'always',
  'brought.begin': 'always',
  'brought.restore': 'always',
  'house.import': { wider: { file: '' }, narrower: { file: '', check: true } },
  'house.replace': {
    wider: { unit: 'none', address: 81 },
    narrower: { unit: 'none', address: 81, dryRun: true },
  },
  // Files of the gateway's own disk.
  'backups.write': 'socket',
  'backups.restoreFile': 'socket',
  'backup.write': 'socket',
  'history.export': 'socket',
  // The proof itself.
  'session.challenge': 'never',
  'session.prove': 'never',
  // Less access, or the end of it.
  'agents.deny': 'never',
  'agents.revoke': 'never',
  'brought.drop': 'never',
  'keys.revoke': 'never',
  'operators.delete': 'never',
  'relay.disconnect': 'never',
  'relay.unlink': 'never',
  'sessions.end': 'never',
  // Requests for access that still wait for an acceptance, and one call of an agent.
  'agents.reserve': 'never',
  'agents.unblock': 'never',
  'confirmations.answer': 'never',
  // The next piece of an upload that a fresh session began, and a phrase that it was shown.
  'brought.add': 'never',
  'backups.confirmPhrase': 'never',
  // The home itself, as the person may change it in any session.
  'automations.delete': 'never',
  'automations.switch': 'never',
  'backups.check': 'never',
  'backups.make': 'never',
  'energy.answerJump': 'never',
  'energy.correct': 'never',
  'energy.undoCorrection': 'never',
  'home.set': 'never',
  'house.place': 'never',
  'incidents.acknowledge': 'never',
  'log.level': 'never',
  'scenes.delete': 'never',
  'schedules.delete': 'never',
  'schedules.switch': 'never',
  'tariff.clear': 'never',
  'tariff.set': 'never',
  'tls.renew': 'never',
}

const CONTRACT: Readonly<Record<string, Endpoint>> = adminContract
const STALE = { status: 403, body: { error: { code: 'sign_in_again' } } }
const changes = ({ method, reads, stepUp }: Endpoint): boolean =>
  (method !== 'GET' && reads !== true) || stepUp !== undefined

/** Time stalls rather than passes: the house need not live through it. */
const clock = new ManualClock(Date.now())
let running: TestGateway
let visitor: ConsoleVisitor
let stale: ConsoleSecrets

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna', password: 'correct horse battery' })
  stale = await visitor.entered('Anna')
  clock.stall(FRESH_MS)
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const asStale = (name: string, body: object, id = 'none') => {
  const { method, path } = CONTRACT[name]!
  return visitor.as(stale, method, path.replace(/\{\w+\}/, id), method === 'GET' ? undefined : body)
}

proves('console.fresh-proofs', 'every administrative request says whether it takes a fresh proof', () => {
  const all = Object.keys(CONTRACT).filter((name) => changes(CONTRACT[name]!))
  expect(Object.keys(NEEDED).toSorted()).toEqual(all.toSorted())
})

proves('console.fresh-proofs', 'a stale session makes, accepts and widens nothing that lasts', async () => {
  for (const [name, needed] of Object.entries(NEEDED)) {
    if (needed === 'always') expect([name, await asStale(name, {})]).toMatchObject([name, STALE])
    else if (typeof needed === 'object') {
      expect([name, await asStale(name, needed.wider)]).toMatchObject([name, STALE])
      expect([name, (await asStale(name, needed.narrower)).status]).not.toEqual([name, 403])
    } else if (needed === 'socket') expect([name, (await asStale(name, {})).status]).toEqual([name, 404])
    else expect([name, (await asStale(name, { unknown: true })).status]).not.toEqual([name, 403])
  }
})

proves('console.fresh-proofs', 'a stale session narrows an integration, and shows or lets it do no more', async () => {
  const made = await running.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Phone',
    expose: ['room:parlour', 'unit:dimmer'],
    settings: { advanced_config: 'off' },
  })
  const { id } = made.integration
  const change = (body: object) => asStale('integrations.change', body, id)
  for (const wider of [
    { expose: ['all'] },
    { expose: ['room:parlour', 'unit:dimmer', 'room:cellar'] },
    ...['automations', 'schedules', 'structural', 'agent_access', 'allow_unlock'].map((knob) => ({
      settings: { [knob]: 'on' },
    })),
    { settings: { advanced_config: 'read' } },
    { settings: { advanced_config: 'read_write' } },
  ])
    expect([wider, await change(wider)]).toMatchObject([wider, STALE])
  for (const narrower of [{ expose: ['unit:dimmer'] }, { settings: { cloud_access: 'off' } }, { enabled: false }])
    expect([narrower, (await change(narrower)).status]).toEqual([narrower, 200])
  expect(await change({ settings: { cloud_access: 'on' } })).toMatchObject(STALE)
  expect(await change({ enabled: true })).toMatchObject(STALE)
})
