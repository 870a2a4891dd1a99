import { describe, expect } from 'vitest'
import type { StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { power, RuleCalls, type RuleObjectKind } from '#support/gateway/rule-calls.ts'

const bodyOf = (kind: RuleObjectKind, home: TestHome): object => {
  const steps = [power(home, 'study-light', true)]
  switch (kind) {
    case 'scene':
      return { name: 'Told', steps }
    case 'automation':
      return { name: 'Told', when: [{ time: '03:00' }], then: steps }
    case 'schedule':
      return { name: 'Told', at: { time: '03:00' }, then: steps }
  }
}

async function listener(home: TestHome, topic: string, token = home.main.token): Promise<TestSocket> {
  const socket = await home.socket(token)
  expect(await socket.subscribe([topic])).toMatchObject({ status: 200 })
  return socket
}

const stateOf = (event: StreamMessage): unknown => event['state']
const about =
  (id: string, change: string) =>
  (event: StreamMessage): boolean => {
    const state = event['state'] as { id?: string; change?: string }
    return state.id === id && state.change === change
  }

describe('the events of a list', () => {
  for (const kind of ['scene', 'automation', 'schedule'] as const) {
    verifies(['stream.lists'], `report changes of a ${kind}, with its revision`, async (home) => {
      const calls = new RuleCalls(home, kind)
      const socket = await listener(home, `${kind}s`)
      const { id } = await calls.create(bodyOf(kind, home))
      expect(await socket.event(about(id, 'created'))).toEqual({
        at: expect.any(Number) as number,
        event: `${kind}s`,
        house: 'Sonnenwinkel',
        device: null,
        class: null,
        state: { id, revision: 1, change: 'created' },
        seq: expect.any(Number) as number,
      })
      await calls.edit(id, { name: 'Told again', ifRevision: 1 })
      expect(stateOf(await socket.event(about(id, 'edited')))).toEqual({ id, revision: 2, change: 'edited' })
      if (kind !== 'scene') {
        await calls.edit(id, { enabled: false, ifRevision: 2 })
        expect(stateOf(await socket.event(about(id, 'disabled')))).toMatchObject({ revision: 3 })
      }
      const local = id.split(':').at(-1)!
      await home.running.admin.call('DELETE', `/${kind}s/${local}`)
      expect(stateOf(await socket.event(about(id, 'deleted')))).toMatchObject({ id, change: 'deleted' })
      socket.close()
    })
  }

  verifies(
    ['stream.lists-hidden', '6.2.hidden'],
    'do not reveal a rule with hidden things or with its knob off, not even by seq',
    async (home) => {
      const settings = { automations: 'on', schedules: 'off' }
      const narrow = await home.integrate({ expose: ['unit:hall-light'], settings })
      const [hearing, all] = [await listener(home, '*', narrow.token), await listener(home, 'schedules')]
      // No sensor measures during the test, which would cause an event.
      const [id, schedule] = await home.running.still(async () => {
        const before = ((await hearing.subscribe(['*']))['body'] as { seq: number }).seq
        hearing.events.length = 0
        const automation = await new RuleCalls(home, 'automation').create(bodyOf('automation', home))
        const disabled = await new RuleCalls(home, 'schedule').create({
          ...bodyOf('schedule', home),
          then: [power(home, 'hall-light', true)],
          enabled: false,
        })
        await all.event(about(disabled.id, 'created'))
        expect((await hearing.subscribe(['*']))['body']).toMatchObject({ seq: before })
        expect(hearing.events).toEqual([])
        return [automation.id, disabled.id] as const
      })
      await home.running.admin.call('DELETE', `/automations/${id.split(':').at(-1)!}`)
      await home.running.admin.call('DELETE', `/schedules/${schedule.split(':').at(-1)!}`)
      hearing.close()
      all.close()
    },
  )

  verifies(
    ['stream.lists', 'automations.openers-off'],
    'report a rule that the gateway switches off because a key has ended',
    async (home) => {
      const who = await home.integrate({ settings: { allow_unlock: 'on', automations: 'on' } })
      const socket = await listener(home, 'automations')
      const calls = new RuleCalls(home, 'automation', who)
      const { id } = await calls.create({
        name: 'Opens',
        when: [{ time: '03:00' }],
        then: [{ device: home.id('driveway-gate', who), op: 'open' }],
      })
      const mine = calls.as(home.main).mine(id)
      await home.running.admin.call('DELETE', `/keys/${who.link}`)
      expect(stateOf(await socket.event(about(mine, 'disabled')))).toMatchObject({ revision: 2 })
      socket.close()
    },
  )

  verifies(
    ['stream.integration'],
    'of the integration report changed knobs, and name the resource to read',
    async (home) => {
      const integration = await home.integrate({ settings: { automations: 'off' } })
      const socket = await listener(home, 'integration', integration.token)
      await home.change(integration, { settings: { automations: 'on' } })
      expect(await socket.event(() => true)).toMatchObject({
        event: 'integration',
        device: null,
        class: null,
        state: {
          id: integration.id,
          change: 'edited',
          read: [
            '/v1/integration',
            '/v1/house',
            '/v1/state',
            '/v1/mode',
            '/v1/calendars',
            '/v1/scenes',
            '/v1/automations',
          ],
        },
      })
      socket.close()
    },
  )
})
