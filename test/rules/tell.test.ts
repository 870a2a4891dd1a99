import { expect } from 'vitest'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'

/** Address of the climate sensor in the bathroom of the demo home. */
const BATHROOM = 63
const SENSOR = 'bathroom-climate'

interface Message {
  readonly title: string
  readonly kind: string
  readonly urgency: string
  readonly device: string | null
}

/** An automation that sends this message when the sensor detects water. */
const telling = (home: TestHome, tell: string, more: object = {}) => ({
  name: 'Tells',
  when: [{ device: home.id(SENSOR), detection: 'water' }],
  then: [{ tell, to: 'everyone', urgency: 'high', ...more }],
})

async function wet({ running }: TestHome): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const stop = running.gateway.home.events.on(({ kind }) => kind === 'run' && ended.resolve())
  running.sim.house.detect(BATHROOM, 'water', true)
  await running.hasten(ended.promise)
  stop()
  running.sim.house.detect(BATHROOM, 'water', false)
}

const tellsTo = async (home: TestHome, token?: string): Promise<Message[]> =>
  ((await home.get('/v1/messages', token)) as { messages: Message[] }).messages.filter(({ kind }) => kind === 'tell')

verifies(
  ['automations.tell', 'automations.tell-recipients'],
  'a message reaches programs that see all that its rule names, and a dry run sends none',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const draft = telling(home, '{device} ({room}): {value}')
    const tried = await home.call({ method: 'POST', path: '/v1/automations/try', body: draft })
    expect(tried).toMatchObject({
      status: 200,
      body: { refused: null, steps: [{ tells: 'Bathroom climate (Bathroom): water detected', refused: null }] },
    })
    const { id } = await automations.create(draft)
    const part = await home.integrate({ expose: [`unit:${SENSOR}`] })
    const room = await home.integrate({ expose: ['room:bathroom'] })
    const before = (await tellsTo(home)).length
    await wet(home)
    const [message, ...others] = await tellsTo(home)
    expect(others).toHaveLength(before)
    expect(message).toMatchObject({
      title: 'Bathroom climate (Bathroom): water detected',
      urgency: 'high',
      device: home.id(SENSOR),
    })
    expect((await tellsTo(home, room.token))[0]?.title).toBe(message?.title)
    // The text names a room that this integration does not see.
    expect(await tellsTo(home, part.token)).toEqual([])
    await automations.edit(id, { enabled: false, ifRevision: 1 })
  },
)

verifies('automations.tell-recipients', 'a message about a group needs sight of its devices', async (home) => {
  const automations = new RuleCalls(home, 'automation')
  const when = [{ group: 'any', room: home.id('room:bathroom'), detection: 'water' }]
  const draft = { ...telling(home, '{device}: {value}'), when }
  const tried = await home.call({ method: 'POST', path: '/v1/automations/try', body: draft })
  expect(tried.text).toContain('Bathroom climate: water detected')
  const { id } = await automations.create(draft)
  const part = await home.integrate({ expose: [`unit:${SENSOR}`] })
  const room = await home.integrate({ expose: ['room:bathroom'] })
  await wet(home)
  const [message] = await tellsTo(home, room.token)
  expect(message).toMatchObject({ title: 'Bathroom climate: water detected', device: home.id(SENSOR, room) })
  expect(await tellsTo(home, part.token)).toEqual([])
  await automations.edit(id, { enabled: false, ifRevision: 1 })
})

verifies('automations.tell-recipients', 'a message for people is not for programs', async (home) => {
  const automations = new RuleCalls(home, 'automation')
  const { id } = await automations.create(telling(home, 'Water!', { to: 'home' }))
  const before = await tellsTo(home)
  await wet(home)
  expect(await tellsTo(home)).toEqual(before)
  const { messages } = await home.running.admin.call<{ messages: object[] }>('GET', '/messages')
  expect(messages.find((message) => (message as Message).kind === 'tell')).toMatchObject({
    title: 'Water!',
    to: 'home',
    device: SENSOR,
  })
  await automations.edit(id, { enabled: false, ifRevision: 1 })
})

verifies('automations.tell-placeholders', 'a placeholder that a trigger does not fill is refused', async (home) => {
  const automations = new RuleCalls(home, 'automation')
  const timed = { ...telling(home, '{device} at {time}'), when: [{ time: '03:00' }] }
  const refused = await automations.send('POST', undefined, timed)
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'validation', at: '/then/0/tell' } } })
  expect(refused.text).toContain('{device} is filled by a device: each trigger of the rule must be about one')
  const value = { ...telling(home, '{value}'), enabled: false }
  const byMode = { ...value, when: [{ mode: 'away' }, { calendar: 'bins', event: 'begins' }] }
  expect(
    await automations.send('POST', undefined, { ...byMode, when: [...byMode.when, { time: '03:00' }] }),
  ).toMatchObject({ status: 422, body: { error: { at: '/then/0/tell' } } })
  expect(await automations.send('POST', undefined, { ...byMode, then: telling(home, '{room}').then })).toMatchObject({
    status: 422,
  })
  const tried = await home.call({ method: 'POST', path: '/v1/automations/try', body: byMode })
  expect(tried.body).toMatchObject({ refused: null, steps: [{ tells: 'Away' }] })
  await automations.create(byMode)
  const unknown = await automations.send('POST', undefined, telling(home, '{devices}'))
  expect(unknown).toMatchObject({ status: 422, body: { error: { code: 'validation', at: '/then/0/tell' } } })
  const made = await automations.create({ ...telling(home, '{device}'), enabled: false })
  const edit = { when: [{ time: '03:00' }], ifRevision: 1 }
  expect(await automations.send('PATCH', made.id, edit)).toMatchObject({ status: 422 })
  expect(await automations.edit(made.id, { name: 'Other', ifRevision: 1 })).toMatchObject({ revision: 2 })
})

verifies('automations.tell-permission', 'saving a message needs may_tell; renaming it does not', async (home) => {
  const may = await home.integrate({ settings: { automations: 'on', may_tell: 'off' } })
  const theirs = new RuleCalls(home, 'automation', may)
  const own = new RuleCalls(home, 'automation')
  const draft = { ...telling(home, 'Water!'), enabled: false }
  const mine = { ...draft, when: [{ device: home.id(SENSOR, may), detection: 'water' }] }
  const refusal = { status: 403, body: { error: { code: 'tell_not_allowed', appAction: 'integrations.record' } } }
  expect(await theirs.send('POST', undefined, mine)).toMatchObject(refusal)
  const tried = await home.call({ method: 'POST', path: '/v1/automations/try', body: mine, token: may.token })
  expect(tried.body).toMatchObject({
    refused: { code: 'tell_not_allowed' },
    steps: [{ refused: { code: 'tell_not_allowed' } }],
  })
  const made = await own.create(draft)
  const id = theirs.mine(made.id)
  expect(await theirs.edit(id, { name: 'Theirs', ifRevision: 1 })).toMatchObject({ name: 'Theirs', revision: 2 })
  expect(await theirs.send('PATCH', id, { enabled: true, ifRevision: 2 })).toMatchObject(refusal)
  expect(await theirs.send('PATCH', id, { then: [{ tell: 'Fire!', to: 'home' }], ifRevision: 2 })).toMatchObject(
    refusal,
  )
})
