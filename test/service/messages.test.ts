import { describe, expect } from 'vitest'
import { conditionDraft, deviceDraft } from '../../src/home/messages/home-messages.ts'
import type { HomeMessage } from '../../src/home/model/messages.ts'
import { type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'

/** Address of the climate sensor in the bathroom of the demo home. */
const BATHROOM = 63

type Answer = Readonly<Record<string, unknown>>

let posted = 0

/** Sends a message about a device with a title of its own. */
function post({ running }: TestHome, local: string): HomeMessage {
  posted += 1
  const { messages } = running.gateway.home
  return messages.post({ ...deviceDraft('smoke', local, `${local} burns ${posted}`), ref: `test ${posted}` })
}

/** Titles of the listed messages of these tests. */
async function titles(home: TestHome, who: TestIntegration, query: Record<string, string> = {}): Promise<unknown[]> {
  const answer = await home.call({ method: 'GET', path: '/v1/messages', query, token: who.token })
  expect(answer.status).toBe(200)
  return (answer.body as { messages: Answer[] }).messages.map(({ title }) => title)
}

describe('GET /v1/messages', () => {
  verifies(['messages.list', '1.4.hidden'], 'lists messages about exposed devices, newest first', async (home) => {
    const part = await home.integrate({ expose: ['unit:study-light'] })
    const { messages } = home.running.gateway.home
    const seen = post(home, 'study-light')
    const hidden = post(home, 'hall-light')
    const owners = messages.post(conditionDraft('disk', seen.id, `The disk is full ${seen.id}`, '/console/system'))
    expect((await titles(home, part))[0]).toBe(seen.title)
    const all = await titles(home, home.main)
    expect(all.slice(0, 2)).toEqual([hidden.title, seen.title])
    expect(all).not.toContain(owners.title)
    const { messages: listed } = (await home.get('/v1/messages', part.token)) as { messages: Answer[] }
    expect(listed[0]).toEqual({
      id: seen.id,
      at: expect.any(Number) as number,
      kind: 'smoke',
      urgency: 'alarm',
      title: seen.title,
      device: home.id('study-light', part),
      go: '/console/go/unit?device=study-light',
      acknowledged: null,
      ended: null,
    })
  })

  verifies(['messages.list'], 'answers pages, and refuses the id of a hidden message', async (home) => {
    const part = await home.integrate({ expose: ['unit:study-light'] })
    const hidden = post(home, 'hall-light')
    post(home, 'study-light')
    const { messages, next } = (await home.get('/v1/messages?limit=1')) as { messages: Answer[]; next: string }
    expect(next).toBe(messages[0]!['id'])
    expect(await titles(home, home.main, { limit: '1', before: next })).toEqual([hidden.title])
    for (const before of [hidden.id, 'invented'])
      expect(
        await home.call({ method: 'GET', path: '/v1/messages', query: { before }, token: part.token }),
      ).toMatchObject({ status: 422 })
  })
})

describe('POST /v1/messages/{id}/acknowledge', () => {
  verifies(['messages.acknowledge'], 'acknowledges a message for everybody', async (home) => {
    const { id } = post(home, 'study-light')
    const path = `/v1/messages/${id}/acknowledge`
    const answer = await home.call({ method: 'POST', path })
    expect(answer).toMatchObject({ status: 200, body: { message: { id, acknowledged: expect.any(Number) as number } } })
    expect((await home.call({ method: 'POST', path })).body).toEqual(answer.body)
    const { messages } = await home.running.admin.call<{ messages: Answer[] }>('GET', '/messages')
    expect(messages.find((message) => message['id'] === id)).toMatchObject({
      acknowledgedBy: 'API: Test',
      device: 'study-light',
      to: 'everyone',
    })
  })
})

describe('the event message', () => {
  verifies(['messages.event'], 'goes to sockets with its topic, and never to `*`', { over: 'stream' }, async (home) => {
    const part = await home.integrate({ expose: ['unit:study-light'] })
    const [all, own, hidden] = await Promise.all([home.socket(), home.socket(), home.socket(part.token)])
    await all.subscribe(['*'])
    await own.subscribe(['message'])
    await hidden.subscribe(['message', '*'])
    home.running.sim.house.detect(BATHROOM, 'water', true)
    const event = await own.event(({ event: kind }) => kind === 'message')
    expect(event).toMatchObject({
      device: home.id('bathroom-climate'),
      class: 'sensor',
      state: { kind: 'water', urgency: 'alarm', title: 'Bathroom climate: water detected', change: 'new', repeat: 0 },
    })
    const { id } = event['state'] as { id: string }
    await home.call({ method: 'POST', path: `/v1/messages/${id}/acknowledge` })
    expect(await own.event(({ state }) => (state as Answer)['change'] === 'update')).toMatchObject({ state: { id } })
    home.running.sim.house.detect(BATHROOM, 'water', false)
    await own.event(({ state }) => (state as Answer)['ended'] !== null)
    await hidden.subscribe(['state'])
    for (const socket of [all, hidden])
      expect(socket.events.filter(({ event: kind }) => kind === 'message')).toEqual([])
    for (const socket of [all, own, hidden]) socket.close()
  })
})
