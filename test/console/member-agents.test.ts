import { afterAll, beforeAll, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { ConsolePage } from '#support/gateway/console-page.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

let running: TestGateway
let visitor: ConsoleVisitor
let lena: Member
let ben: Member

interface Member extends ConsoleSecrets {
  readonly id: string
  readonly integration: string
}

const SETTINGS = { allow_unlock: 'on', agent_access: 'on' }

async function memberOf(name: string, member: object): Promise<Member> {
  const { person } = await running.admin.call<{ person: Member }>('POST', '/persons', { name, member })
  return { ...person, ...(await visitor.signInByLink(name)) }
}

beforeAll(async () => {
  running = await TestGateway.open({ setupCode: 'ABCD-1234' })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  lena = await memberOf('Lena', { settings: SETTINGS })
  ben = await memberOf('Ben', { settings: SETTINGS })
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const as = (who: ConsoleSecrets, method: string, path: string, body?: unknown): Promise<RawAnswer> =>
  running.hasten(visitor.as(who, method, `/admin/v1/${path}`, body))

interface Asked {
  readonly code: string
  readonly userCode: string
}

let senders = 1

/** Each request has an address of its own, because requests are limited by it. */
async function asks(record: string | null, name = 'Claude'): Promise<Asked> {
  const body = { gateway: running.gateway.serial, name, platform: 'Laptop', record }
  const from = `127.0.0.${(senders += 1)}`
  return (await visitor.ask({ method: 'POST', path: '/v1/pair', body, from })).body as Asked
}

interface Waiting {
  readonly request: string
  readonly code: string
  readonly known: readonly string[]
}

const waitingFor = async (who: ConsoleSecrets, code = ''): Promise<Waiting[]> =>
  ((await as(who, 'GET', `agents/requests?code=${code}`)).body as { requests: Waiting[] }).requests

async function agentIn(who: Member, name = 'Claude'): Promise<{ readonly token: string; readonly link: string }> {
  return running.admin.call('POST', '/agents', { integration: who.integration, name, platform: 'Laptop' })
}

/** An answer without the id that it names. */
const without = ({ status, text }: RawAnswer, id: string): string => `${status} ${text.replaceAll(id, 'ID')}`

function opens(who: Member, token: string, local = 'front-door'): Promise<RawAnswer> {
  const id = encodeURIComponent(`${running.gateway.serial}:${who.integration}:${local}`)
  const headers = { authorization: `Bearer ${token}` }
  const asked = { method: 'POST', path: `/v1/devices/${id}/control`, headers, body: { op: 'open' } }
  return running.hasten(visitor.ask(asked))
}

proves('console.member-agents', 'a member decides requests that named the record or whose code they type', async () => {
  const foreign = await agentIn(ben, 'Known')
  const [named, free, other] = [await asks(lena.integration, 'Known'), await asks(null), await asks(ben.integration)]
  expect(await waitingFor(lena)).toMatchObject([{ code: named.userCode, known: [] }])
  expect(await waitingFor(ben)).toMatchObject([{ code: other.userCode }])
  expect(await waitingFor(lena, free.userCode.toLowerCase())).toMatchObject([
    { code: named.userCode },
    { code: free.userCode },
  ])
  const [freeRequest] = (await waitingFor(lena, free.userCode)).slice(1)
  const [foreignRequest] = await waitingFor(ben)
  // Neither another's request nor a free one by its id exists for a member.
  const invented = without(await as(lena, 'POST', 'agents/requests/abcdefghij/accept', {}), 'abcdefghij')
  expect(invented).toContain('404')
  for (const id of [freeRequest?.request, foreignRequest?.request, other.userCode])
    for (const [verb, body] of [
      ['accept', {}],
      ['deny', { block: false }],
    ] as const)
      expect(without(await as(lena, 'POST', `agents/requests/${id}/${verb}`, body), id ?? '')).toBe(invented)
  const wide = await as(lena, 'POST', `agents/requests/${free.userCode}/accept`, { integration: ben.integration })
  expect(wide).toMatchObject({ status: 422 })
  expect(await as(lena, 'POST', `agents/requests/${named.userCode}/deny`, { block: true })).toMatchObject({
    status: 422,
  })
  expect(await as(lena, 'POST', `agents/requests/${named.userCode}/deny`, { block: false })).toMatchObject({
    status: 200,
  })
  const accepted = await as(lena, 'POST', `agents/requests/${free.userCode}/accept`, {})
  expect(accepted).toMatchObject({ status: 200, body: { integration: lena.integration } })
  const collected = await visitor.ask({ method: 'POST', path: '/v1/pair/token', body: { code: free.code } })
  expect(collected).toMatchObject({ status: 200 })
  const { agents } = (await as(lena, 'GET', 'agents')).body as { agents: { link: string; integration: string }[] }
  expect(agents).toMatchObject([{ integration: lena.integration, label: 'Agent: Claude via Laptop' }])
  const [ended, none] = [
    await as(lena, 'DELETE', `agents/${foreign.link}`),
    await as(lena, 'DELETE', 'agents/abcdefgh'),
  ]
  expect(without(ended, foreign.link)).toBe(without(none, 'abcdefgh'))
  expect(await as(lena, 'DELETE', `agents/${agents[0]?.link}`)).toMatchObject({ status: 200 })
  const denied = await as(ben, 'POST', `agents/requests/${other.userCode}/deny`, { block: false })
  expect(denied).toMatchObject({ status: 200 })
  // Guesses of codes wait soon.
  let status = 0
  for (let tried = 0; tried < 11 && status !== 429; tried += 1)
    ({ status } = await as(ben, 'GET', 'agents/requests?code=BBBB-BBBB'))
  expect(status).toBe(429)
})

proves('console.member-agents', 'a member confirms openings of own agents that they may do alone', async () => {
  const { token } = await agentIn(lena, 'Helper')
  const { token: foreign } = await agentIn(ben, 'Helper')
  for (const [who, secret] of [
    [lena, token],
    [ben, foreign],
  ] as const)
    expect(await opens(who, secret)).toMatchObject({ status: 403, body: { error: { code: 'confirmation_required' } } })
  const pending = async (who: Member): Promise<{ id: string; what: string }[]> =>
    ((await as(who, 'GET', 'confirmations')).body as { confirmations: { id: string; what: string }[] }).confirmations
  const [[own], [other]] = [await pending(lena), await pending(ben)]
  expect((await pending(lena)).length).toBe(1)
  const confirm = (who: Member, id = ''): Promise<RawAnswer> =>
    as(who, 'POST', `confirmations/${id}`, { confirm: true })
  expect(without(await confirm(lena, other?.id), other?.id ?? '')).toBe(without(await confirm(lena, 'QQQQ'), 'QQQQ'))
  expect(await confirm(lena, own?.id)).toMatchObject({ status: 200 })
  expect(await opens(lena, token)).toMatchObject({ status: 200 })
  const { entries } = await running.admin.call<{ entries: { cause: object }[] }>('GET', '/activity?device=front-door')
  expect(entries.map(({ cause }) => cause)).toContainEqual(
    expect.objectContaining({ name: 'Agent: Helper via Laptop, for Lena', confirmedBy: 'Lena' }),
  )
  const causeFor = async (who: Member): Promise<object | undefined> => {
    const path = `/admin/home/v1/activity?device=${encodeURIComponent(`${running.gateway.serial}:${who.integration}:front-door`)}`
    const { body } = await visitor.as(who, 'GET', path)
    return (body as { entries: { cause: { source: string } }[] }).entries.find(({ cause }) => cause.source === 'agent')
  }
  expect(await causeFor(lena)).toMatchObject({
    cause: { name: 'Agent: Helper via Laptop, for Lena', confirmedBy: 'Lena' },
  })
  expect(await causeFor(ben)).toMatchObject({ cause: { name: 'Agent: Helper via Laptop', confirmedBy: 'somebody' } })
  // With “ask”, administrators decide; so they do once the door is hidden.
  for (const change of [{ opening: 'ask' }, { opening: 'yes', expose: ['room:kitchen'] }]) {
    await running.admin.call('PATCH', `/integrations/${ben.integration}`, change)
    expect(await pending(ben)).toEqual([])
    expect(without(await confirm(ben, other?.id), other?.id ?? '')).toBe(without(await confirm(ben, 'QQQQ'), 'QQQQ'))
  }
})

proves('console.member-agents', 'a member hears of own agents alone', async () => {
  const page = new ConsolePage({ running, visitor }, lena)
  await page.hears('access')
  await page.until(() => page.of('access', 'watching').length > 0)
  await asks(ben.integration, 'Foreign')
  const { token: foreign } = await agentIn(ben, 'Foreign')
  await opens(ben, foreign)
  await asks(lena.integration, 'Own')
  const { token } = await agentIn(lena, 'Own')
  await opens(lena, token)
  await page.until(() => page.of('access', 'confirmation').length > 0)
  const events = JSON.stringify(page.of('access'))
  expect(events).toContain('"Own"')
  for (const name of ['Foreign', 'Ben', ben.integration]) expect(events).not.toContain(name)
  page.socket.terminate()
})
