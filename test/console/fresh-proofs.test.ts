import { afterAll, beforeAll, expect } from 'vitest'
import { adminContract } from '../../src/admin/contract/index.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { intentHouse } from '#support/homes/intent-house.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

/**
 * `socket`: only over the socket file. `never`: gives no lasting access. `by_home`: depends on the home; separate tests
 * below cover it.
 */
type Needed = 'always' | 'socket' | 'never' | 'by_home' | { readonly wider: object; readonly narrower: object }

/** Every changing request of the administrators' API, and whether it needs a fresh proof. */
const NEEDED: Readonly<Record<string, Needed>> = {
  // Credentials, exposure and knobs.
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
  'persons.factors': 'always',
  'tablets.create': 'always',
  'tablets.link': 'always',
  'tablets.pin': 'always',
  'persons.delete': 'always',
  'passkeys.options': 'always',
  'passkeys.create': 'always',
  'passkeys.delete': 'always',
  'links.create': 'always',
  'session.change': { wider: { ownDevice: true }, narrower: { ownDevice: false } },
  // Access from outside, and messages to other programs.
  'webhooks.create': 'always',
  'push.subscribe': {
    wider: { endpoint: 'https://x.example', p256dh: 'x', auth: 'x', names: true },
    narrower: { endpoint: 'https://x.example', p256dh: 'x', auth: 'x' },
  },
  'calendars.add': 'always',
  'calendars.change': 'always',
  'relay.connect': 'always',
  'relay.link': 'always',
  'relay.passthrough': 'always',
  'tls.regenerateCa': 'always',
  // The whole configuration, and ids that credentials depend on.
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
  // Devices that become visible to integrations, and rules that open locks or gates.
  'house.place': 'by_home',
  'automations.switch': 'by_home',
  'schedules.switch': 'by_home',
  // Files of the gateway's own disk.
  'backups.write': 'socket',
  'backups.restoreFile': 'socket',
  'backup.write': 'socket',
  'history.export': 'socket',
  // The proof itself.
  'session.challenge': 'never',
  'session.prove': 'never',
  'session.code': 'never',
  // Messages.
  'messages.test': 'never',
  'messages.acknowledge': 'never',
  'presence.set': 'never',
  'session.use': 'never',
  'webhooks.test': 'never',
  'push.test': 'never',
  // Less or no access.
  'webhooks.delete': 'never',
  'push.delete': 'never',
  'agents.deny': 'never',
  'agents.revoke': 'never',
  'brought.drop': 'never',
  'keys.revoke': 'never',
  'operators.delete': 'never',
  'relay.disconnect': 'never',
  'relay.unlink': 'never',
  'sessions.end': 'never',
  // Waiting requests for access, and one call of an agent.
  'agents.reserve': 'never',
  'agents.unblock': 'never',
  'confirmations.answer': 'never',
  // Parts of uploads and phrases that a fresh session started.
  'brought.add': 'never',
  'backups.confirmPhrase': 'never',
  // The home itself, which any session may change.
  'automations.delete': 'never',
  'modes.add': 'never',
  'modes.rename': 'never',
  'modes.remove': 'never',
  'calendars.remove': 'never',
  'backups.check': 'never',
  'backups.make': 'never',
  'energy.answerJump': 'never',
  'energy.correct': 'never',
  'energy.undoCorrection': 'never',
  'home.set': 'never',
  'incidents.acknowledge': 'never',
  'log.level': 'never',
  'scenes.delete': 'never',
  'schedules.delete': 'never',
  'tariff.clear': 'never',
  'tariff.set': 'never',
  'tls.renew': 'never',
}

const CONTRACT: Readonly<Record<string, Endpoint>> = adminContract
const STALE = { status: 403, body: { error: { code: 'sign_in_again' } } }
const changes = ({ method, reads, stepUp }: Endpoint): boolean =>
  (method !== 'GET' && reads !== true) || stepUp !== undefined

/** The clock stalls instead of advancing, to skip the house's events. */
const clock = new ManualClock(Date.now())
/** House with a lock and a module, although its bus has neither. */
const HOUSE = {
  ...intentHouse(),
  units: [
    ...intentHouse().units.filter(({ id }) => ['dimmer', 'module'].includes(id)),
    {
      id: 'front-door',
      name: 'Front door',
      address: 90,
      model: null,
      class: 'lock' as const,
      room: 'cellar',
      position: 9,
      gangs: [],
    },
  ],
}
const PASSWORD = 'correct horse battery'
let running: TestGateway
let visitor: ConsoleVisitor
let stale: ConsoleSecrets

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, firstHouse: HOUSE, settled: false, clock })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
  stale = await visitor.signInByLink('Anna')
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

proves('console.fresh-proofs', 'every administrative request declares whether it needs a fresh proof', () => {
  const all = Object.keys(CONTRACT).filter((name) => changes(CONTRACT[name]!))
  expect(Object.keys(NEEDED).toSorted()).toEqual(all.toSorted())
})

proves('console.fresh-proofs', 'a stale session cannot create, accept or widen lasting access', async () => {
  for (const [name, needed] of Object.entries(NEEDED)) {
    if (needed === 'always') expect([name, await asStale(name, {})]).toMatchObject([name, STALE])
    else if (typeof needed === 'object') {
      expect([name, await asStale(name, needed.wider)]).toMatchObject([name, STALE])
      expect([name, (await asStale(name, needed.narrower)).status]).not.toEqual([name, 403])
    } else if (needed === 'socket') expect([name, (await asStale(name, {})).status]).toEqual([name, 404])
    else expect([name, (await asStale(name, { unknown: true })).status]).not.toEqual([name, 403])
  }
})

proves('console.fresh-proofs', 'a stale session can narrow an integration, but not widen it', async () => {
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

proves('console.fresh-proofs-house', 'a stale session cannot place a device where an integration sees it', async () => {
  await running.admin.call('POST', '/integrations', {
    name: 'Guest',
    expose: ['room:parlour', 'gang:module:1'],
    settings: { allow_unlock: 'on' },
  })
  const place = (body: object) => asStale('house.place', body)
  const before = running.gateway.home.house.content()
  for (const wider of [
    { unit: 'front-door', room: 'parlour' },
    { unit: 'front-door', name: 'Door', room: 'parlour' },
    { unit: 'module', room: 'parlour' },
    { unit: 'module', gangs: [{ gang: 0, room: 'parlour' }] },
  ])
    expect([wider, await place(wider)]).toMatchObject([wider, STALE])
  expect(running.gateway.home.house.content()).toEqual(before)
  for (const same of [
    { unit: 'front-door', name: 'Door' },
    { unit: 'front-door', room: 'attic' },
    { unit: 'module', gangs: [{ gang: 1, room: 'parlour' }] },
    { unit: 'dimmer', room: 'cellar' },
  ])
    expect([same, (await place(same)).status]).toEqual([same, 200])
  expect(await place({ unit: 'dimmer', room: 'parlour' })).toMatchObject(STALE)
})

/** The owner's ids. */
const owned = (local: string): string => `${running.gateway.serial}:00000000-0000-0000-0000-000000000000:${local}`
const home = (who: ConsoleSecrets, method: string, path: string, body?: object) =>
  visitor.as(who, method, `/admin/home/v1${path}`, body)
const opens = () => ({ device: owned('front-door'), op: 'open' })
const closes = () => ({ device: owned('front-door'), op: 'close' })
const automation = (step: object) => ({
  name: 'Evening',
  when: [{ device: owned('dimmer'), state: 'on', is: true }],
  then: [step],
})
const schedule = (step: object) => ({ name: 'Evening', at: { time: '20:00' }, then: [step] })
const scene = (step: object) => ({ name: 'Evening', steps: [step] })

proves(
  'console.fresh-proofs-opening',
  'a stale session cannot save or switch on a rule that opens a lock',
  async () => {
    const fresh = await visitor.signInByLink('Anna')
    const made = async (path: string, body: object): Promise<{ readonly id: string; readonly revision: number }> => {
      const answer = await home(fresh, 'POST', path, body)
      expect(answer).toMatchObject({ status: 201 })
      const { automation: one, schedule: other, scene: third } = answer.body as Record<string, never>
      return one ?? other ?? third!
    }
    const opening = await made('/scenes', scene(opens()))
    for (const [path, body] of [
      ['/automations', automation],
      ['/schedules', schedule],
    ] as const) {
      for (const step of [opens(), { scene: opening.id }]) {
        expect([step, await home(stale, 'POST', path, body(step))]).toMatchObject([step, STALE])
        expect([step, await home(stale, 'POST', `${path}/try`, body(step))]).toMatchObject([
          step,
          { status: 200, body: { refused: null } },
        ])
        const rule = await made(path, body(step))
        const edit = async (change: object) => {
          const { revision } = Object.values(
            (await home(stale, 'GET', `${path}/${encodeURIComponent(rule.id)}`)).body as object,
          ).find((value: unknown): value is { readonly revision: number } => typeof value === 'object')!
          return home(stale, 'PATCH', `${path}/${encodeURIComponent(rule.id)}`, { ...change, ifRevision: revision })
        }
        const local = rule.id.split(':').at(-1)
        const name = path === '/automations' ? 'automations.switch' : 'schedules.switch'
        // Switching a rule on makes the sender its author.
        expect(await edit({ enabled: true })).toMatchObject(STALE)
        expect(await edit(path === '/automations' ? { mode: 'restart' } : { at: { time: '03:00' } })).toMatchObject(
          STALE,
        )
        expect(await edit({ name: 'Renamed' })).toMatchObject({ status: 200 })
        expect(await edit({ enabled: false })).toMatchObject({ status: 200 })
        expect(await edit({ enabled: true })).toMatchObject(STALE)
        expect(await asStale(name, { enabled: true }, local)).toMatchObject(STALE)
        expect(await asStale(name, { enabled: false }, local)).toMatchObject({ status: 200 })
        expect(await edit({ then: [closes()] })).toMatchObject({ status: 200 })
        expect(await edit({ then: [step] })).toMatchObject(STALE)
        expect(await asStale(name, { enabled: true }, local)).toMatchObject({ status: 200 })
      }
      expect(await home(stale, 'POST', path, body(closes()))).toMatchObject({ status: 201 })
    }
    expect(await home(stale, 'POST', '/scenes', scene(opens()))).toMatchObject(STALE)
    const { id, revision } = await made('/scenes', scene(closes()))
    const edit = { steps: [opens()], ifRevision: revision }
    expect(await home(stale, 'PATCH', `/scenes/${encodeURIComponent(id)}`, edit)).toMatchObject(STALE)
  },
)

proves(
  'console.fresh-proofs-opening',
  'the same call with the same Idempotency-Key succeeds after the proof',
  async () => {
    const send = () =>
      visitor.ask({
        method: 'POST',
        path: '/admin/home/v1/automations',
        body: automation(opens()),
        headers: { ...visitor.headersOf(stale), 'idempotency-key': 'again' },
      })
    expect(await send()).toMatchObject(STALE)
    expect(await asStale('session.prove', { password: PASSWORD })).toMatchObject({ status: 200 })
    expect(await send()).toMatchObject({ status: 201 })
  },
)
