import { afterAll, beforeAll, expect } from 'vitest'
import { once } from 'node:events'
import { adminContract } from '../../src/admin/contract/index.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { KIND_RULES, type MessageDraft } from '../../src/home/model/messages.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { ConsolePage } from '#support/gateway/console-page.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

let running: TestGateway
let visitor: ConsoleVisitor
let anna: ConsoleSecrets

beforeAll(async () => {
  running = await TestGateway.open({ setupCode: 'ABCD-1234' })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  anna = await visitor.signInByLink('Anna')
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

interface Person {
  readonly id: string
  readonly name: string
  readonly integration: string
}

/** A signed-in member. */
interface Member extends Person, ConsoleSecrets {}

let members = 0

async function memberOf(member: object = {}): Promise<Member> {
  const name = `Member ${(members += 1)}`
  const { person } = await running.admin.call<{ person: Person }>('POST', '/persons', { name, member })
  return { ...person, ...(await visitor.signInByLink(name)) }
}

const as = (who: ConsoleSecrets, method: string, path: string, body?: unknown): Promise<RawAnswer> =>
  running.hasten(visitor.as(who, method, path, body))

/** The member's own id of a device. */
const idOf = ({ integration }: Person, local: string): string => `${running.gateway.serial}:${integration}:${local}`

const at = (who: Person, local: string, more = ''): string =>
  `/admin/home/v1/devices/${encodeURIComponent(idOf(who, local))}${more}`

const change = (who: Person, body: object): Promise<object> =>
  running.admin.call('PATCH', `/integrations/${who.integration}`, body)

const ALLOWED = { allow_unlock: 'on', automations: 'on' }
const RULE = (who: Person) => ({
  name: `Of ${who.name}`,
  when: [{ time: '07:00' }],
  then: [{ device: idOf(who, 'front-door'), op: 'open' }],
})

const TEST: MessageDraft = {
  ...KIND_RULES.test,
  ...{ kind: 'test', title: 'A test', device: null, go: null, ref: 'test', lasts: false },
  subjects: { devices: [], scenes: [] },
}

/** Parts of an answer that a client sees, except the time. */
function seen({ status, text, headers }: RawAnswer): object {
  const { date: _, ...rest } = headers ?? {}
  return { status, text, headers: rest }
}

proves('console.members', 'a member sees the home by the record, and is the cause of changes', async () => {
  const hours = [{ from: 'mon 00:00', until: 'sun 23:59' }]
  const lena = await memberOf({ expose: ['room:hall'], hours })
  expect(await running.admin.call('GET', `/integrations/${lena.integration}`)).toMatchObject({
    integration: {
      kind: 'member',
      person: lena.id,
      name: lena.name,
      reports: [lena.id],
      opening: 'yes',
      credentials: [],
    },
  })
  const { body } = await as(lena, 'GET', '/admin/v1/session')
  expect(body).toMatchObject({
    role: 'member',
    record: { id: lena.integration, opening: 'yes', until: null, hours, settings: { allow_unlock: 'off' } },
    session: { person: lena.id, name: lena.name },
  })
  expect((await as(anna, 'GET', '/admin/v1/session')).body).toMatchObject({ role: 'administrator', record: null })
  const house = (await as(lena, 'GET', '/admin/home/v1/house')).text
  expect([house.includes(idOf(lena, 'hall-light')), house.includes('kitchen')]).toEqual([true, false])
  const control = { op: 'set_power', args: { on: true } }
  expect((await as(lena, 'POST', at(lena, 'hall-light', '/control'), control)).status).toBe(200)
  const path = `/admin/home/v1/activity?device=${encodeURIComponent(idOf(lena, 'hall-light'))}`
  const { entries } = (await as(lena, 'GET', path)).body as { entries: { cause: object }[] }
  expect(entries[0]?.cause).toEqual({ source: 'person', name: lena.name })
  expect((await as(lena, 'POST', at(lena, 'driveway-gate', '/control'), { op: 'open' })).status).toBe(404)
  const presence = await as(lena, 'PUT', `/admin/home/v1/persons/${lena.id}/presence`, { is: 'home' })
  expect(presence).toMatchObject({ status: 200, body: { is: 'home' } })
})

proves('console.members', 'a member has their own sessions, password and passkeys alone', async () => {
  const [lena, ben] = [await memberOf(), await memberOf()]
  const { sessions } = (await as(lena, 'GET', '/admin/v1/sessions')).body as { sessions: { person: string }[] }
  expect(sessions.map(({ person }) => person)).toEqual([lena.id])
  const invented = 'abcdefghij'
  for (const [method, path, body, own, foreign] of [
    ['DELETE', '/admin/v1/sessions/', undefined, null, [anna.session, ben.session]],
    ['PUT', '/admin/v1/persons/', { password: 'a long password' }, '/password', [ben.id]],
  ] as const) {
    const answers = await Promise.all(
      [invented, ...foreign].map(async (id) => {
        const answer = await as(lena, method, `${path}${id}${own ?? ''}`, body)
        return JSON.stringify(seen(answer)).replaceAll(id, 'ID')
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('404')
  }
  expect((await as(lena, 'PUT', `/admin/v1/persons/${lena.id}/password`, { password: 'a long password' })).status).toBe(
    200,
  )
  const again = await visitor.signIn({ name: lena.name, password: 'a long password' })
  expect(again.status).toBe(201)
  expect((await as(lena, 'GET', '/admin/v1/passkeys')).body).toEqual({ passkeys: [] })
  expect((await as(lena, 'DELETE', `/admin/v1/sessions/${lena.session}`)).status).toBe(200)
  expect((await as(lena, 'GET', '/admin/v1/session')).status).toBe(401)
})

proves('console.member-paths', 'every path that is not for members answers like an invented one', async () => {
  const lena = await memberOf()
  const invented = new Map<string, string>()
  const differing: string[] = []
  for (const { method, path, for: people } of Object.values<Endpoint>(adminContract)) {
    if (people !== undefined) continue
    if (!invented.has(method))
      invented.set(method, JSON.stringify(seen(await as(lena, method, '/admin/v1/invented', {}))))
    const answer = JSON.stringify(seen(await as(lena, method, path.replaceAll(/\{\w+\}/g, 'abc'), {})))
    if (answer !== invented.get(method)) differing.push(`${method} ${path} ${answer}`)
  }
  expect(differing).toEqual([])
  const { backup } = await running.admin.call<{ backup: { name: string } }>('POST', '/backups', {})
  const file = await as(lena, 'GET', `/admin/v1/backups/${backup.name}/file`)
  expect(JSON.stringify(seen(file))).toBe(invented.get('GET'))
})

proves(
  'console.members',
  'an integration of a person takes no key, no name, and goes with the person alone',
  async () => {
    const lena = await memberOf()
    const path = `/integrations/${lena.integration}`
    for (const refused of [
      () => running.admin.call('DELETE', path),
      () => running.admin.call('PATCH', path, { name: 'Other' }),
      () => running.admin.call('POST', '/keys', { integration: lena.integration }),
    ])
      await expect(refused()).rejects.toThrow(`This is the record of ${lena.name}`)
  },
)

proves(
  'console.members',
  'members are no administrators: the last one stays, and no label opens the home',
  async () => {
    await using home = await TestGateway.open({ setupCode: 'ABCD-1234', settled: false })
    using guest = new ConsoleVisitor(home)
    const create = (body: object) => home.admin.call<{ person: Person }>('POST', '/persons', body)
    await create({ name: 'Lena', password: 'a long password', member: {} })
    const nameless = await guest.signInByLink()
    expect((await guest.signIn({ setupCode: 'ABCD-1234' })).status).toBe(201)
    expect((await guest.as(nameless, 'GET', '/admin/v1/session')).body).toMatchObject({ role: 'administrator' })
    // Until an administrator has an account, the first needs no proof, and takes over the session.
    const made = await guest.as(nameless, 'POST', '/admin/v1/persons', { name: 'Ben', member: { expose: ['nothing'] } })
    expect(made).toMatchObject({ status: 201, body: { person: { role: 'member' } } })
    expect((await guest.as(nameless, 'GET', '/admin/v1/session')).body).toMatchObject({ session: { person: null } })
    const { person } = await create({ name: 'Anna', password: 'a long password' })
    expect((await guest.signIn({ setupCode: 'ABCD-1234' })).status).toBe(401)
    await expect(home.admin.call('DELETE', `/persons/${person.id}`)).rejects.toThrow('last administrator')
  },
)

proves('console.member-stream', 'a member hears the topics of the record and its messages, and no others', async () => {
  const lena = await memberOf({ expose: ['room:hall'] })
  const page = new ConsolePage({ running, visitor }, lena)
  const invented = await page.hears('invented')
  for (const topic of ['activity', 'status']) expect(await page.hears(topic)).toEqual(invented)
  expect((await page.hears('*', 'messages')).body).toMatchObject({ subscribed: ['*', 'messages'] })
  await page.until(() => page.of('messages').length > 0)
  expect(page.of('messages')[0]?.state).toEqual({ messages: [], isWhole: true })
  const { messages } = running.gateway.home
  const draft = { ...messages.post(TEST), ref: 'kitchen' }
  messages.post({ ...draft, subjects: { devices: ['kitchen-light'], scenes: [] } })
  messages.post({ ...draft, ref: 'us', to: 'administrators' })
  await page.until(() => page.of('messages').length > 1)
  await as(lena, 'POST', at(lena, 'hall-light', '/control'), { op: 'set_power', args: { on: true } })
  await page.until(() => page.of('state').length > 0)
  expect(page.of('messages')).toHaveLength(2)
  const list = (await as(lena, 'GET', '/admin/v1/messages')).body as { messages: { id: string }[] }
  expect(list.messages).toMatchObject([{ id: draft.id }])
  const seenBy = async (id: string): Promise<object> =>
    seen(await as(lena, 'POST', `/admin/v1/messages/${id}/acknowledge`))
  const hidden = messages.current().find(({ ref }) => ref === 'kitchen')
  const [foreign, none] = [await seenBy(hidden?.id ?? ''), await seenBy('abcdefghijkl')]
  expect(JSON.stringify(foreign).replaceAll(hidden?.id ?? '', 'abcdefghijkl')).toBe(JSON.stringify(none))
  expect(await as(lena, 'POST', `/admin/v1/messages/${draft.id}/acknowledge`)).toMatchObject({ status: 200 })
  page.socket.terminate()
})

proves(
  'console.member-stream',
  'the stream closes with a reason at a change, at the end and when disabled',
  async () => {
    for (const [act, reason] of [
      [(who) => change(who, { expose: ['room:kitchen'] }), 'An administrator changed your access to this home.'],
      [(who) => change(who, { enabled: false }), 'Your access to this home is closed now.'],
      [(who) => running.admin.call('DELETE', `/persons/${who.id}`), 'This session has ended.'],
    ] satisfies [(who: Person) => Promise<object>, string][]) {
      const lena = await memberOf({ expose: ['room:hall'] })
      const page = new ConsolePage({ running, visitor }, lena)
      await page.hears('*', 'messages')
      await act(lena)
      await page.until(() => page.closed !== null)
      expect(page.closed).toEqual({ code: 4401, reason })
      expect(page.received.at(-1)?.error).toMatchObject({ code: 'unauthorized', message: reason })
    }
  },
)

proves('console.member-stream', 'a disabled member keeps their session, and nothing of the home', async () => {
  const lena = await memberOf()
  await change(lena, { enabled: false })
  expect((await as(lena, 'GET', '/admin/v1/session')).status).toBe(200)
  for (const path of ['/admin/home/v1/house', '/admin/home/v1/invented', '/admin/v1/messages'])
    expect(await as(lena, 'GET', path)).toMatchObject({ status: 403, body: { error: { code: 'record_disabled' } } })
  const page = new ConsolePage({ running, visitor }, lena)
  const [error] = (await once(page.socket, 'error')) as [Error]
  expect(error.message).toContain('403')
})

proves('console.member-opening', 'a member opens never, after a confirmation, or alone', async () => {
  const lena = await memberOf()
  const open = (): Promise<RawAnswer> => as(lena, 'POST', at(lena, 'front-door', '/control'), { op: 'open' })
  expect(await open()).toMatchObject({ status: 403, body: { error: { code: 'unlock_not_allowed' } } })
  await change(lena, { settings: { ...ALLOWED }, opening: 'ask' })
  expect(await open()).toMatchObject({ status: 403, body: { error: { code: 'confirmation_required' } } })
  const rule = (): Promise<RawAnswer> => as(lena, 'POST', '/admin/home/v1/automations', RULE(lena))
  expect(await rule()).toMatchObject({ status: 403, body: { error: { code: 'unlock_not_allowed' } } })
  const { confirmations } = await running.admin.call<{ confirmations: { id: string; label: string }[] }>(
    'GET',
    '/confirmations',
  )
  expect(confirmations).toMatchObject([{ label: lena.name, integration: lena.name }])
  await running.admin.call('POST', `/confirmations/${confirmations[0]?.id}`, { confirm: true })
  expect((await open()).status).toBe(200)
  expect((await open()).status).toBe(403)
  await change(lena, { opening: 'yes' })
  expect((await open()).status).toBe(200)
  expect((await rule()).status).toBe(201)
  const asked = (await change(lena, { opening: 'ask' })) as { switchedOff?: string[] }
  expect(asked.switchedOff).toEqual([RULE(lena).name])
})

proves('console.member-end', 'a member whose session an administrator ends reads no other name', async () => {
  const lena = await memberOf()
  const { sessions } = (await as(anna, 'GET', '/admin/v1/sessions')).body as {
    sessions: { id: string; person: string }[]
  }
  const own = sessions.find(({ person }) => person === lena.id)
  expect((await as(anna, 'DELETE', `/admin/v1/sessions/${own?.id}`)).status).toBe(200)
  const ended = await visitor.ask({ path: '/console/ended', headers: visitor.headersOf(lena) })
  expect(ended.body).toEqual({ reason: 'This session was ended by somebody.' })
})

proves(
  'console.member-end',
  'removing a member removes the record and its agents, and switches rules off',
  async () => {
    const lena = await memberOf({ settings: { ...ALLOWED, agent_access: 'on' } })
    expect((await as(lena, 'POST', '/admin/home/v1/automations', RULE(lena))).status).toBe(201)
    const agent = { integration: lena.integration, name: 'Claude', platform: 'Laptop' }
    const { token } = await running.admin.call<{ token: string }>('POST', '/agents', agent)
    const ask = () => visitor.ask({ path: '/v1/house', headers: { authorization: `Bearer ${token}` } })
    expect((await ask()).status).toBe(200)
    const removed = await running.admin.call<{ switchedOff?: string[] }>('DELETE', `/persons/${lena.id}`)
    expect(removed.switchedOff).toEqual([RULE(lena).name])
    const { automations } = await running.admin.call<{ automations: { name: string; enabled: boolean }[] }>(
      'GET',
      '/automations',
    )
    expect(automations.find(({ name }) => name === RULE(lena).name)?.enabled).toBe(false)
    await expect(running.admin.call('GET', `/integrations/${lena.integration}`)).rejects.toThrow('no integration')
    expect((await ask()).status).toBe(401)
    expect((await as(lena, 'GET', '/admin/v1/session')).status).toBe(401)
    const ended = await visitor.ask({ path: '/console/ended', headers: visitor.headersOf(lena) })
    expect(ended.body).toEqual({ reason: `${lena.name} no longer has access to this home.` })
  },
)
