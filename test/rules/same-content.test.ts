import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls, type RuleObject } from '#support/gateway/rule-calls.ts'

const BODIES = (home: TestHome) =>
  ({
    scene: { name: 'Same', icon: 'moon', roomId: home.id('room:study'), steps: [power(home, 'study-light', true)] },
    automation: {
      name: 'Same',
      when: [{ sun: 'sunset' }],
      if: [{ after: '18:00' }],
      then: [{ delay: 1 }, power(home, 'study-light', true)],
    },
    schedule: { name: 'Same', at: { time: '07:00' }, days: [1, 2], then: [power(home, 'study-light', true)] },
  }) as const

/** The administrators' view of the activity, and the clients' view of the structure. */
async function traces(home: TestHome): Promise<object> {
  const { file } = await home.running.admin.call<{ file: string }>('GET', '/house/file')
  const { entries } = (await home.get('/v1/activity')) as { entries: readonly { readonly kind: string }[] }
  return {
    edits: entries.filter(({ kind }) => kind === 'edited' || kind === 'access'),
    file,
    revision: home.running.gateway.home.house.revision,
  }
}

const revisionOf = ({ status, body }: RawAnswer, kind: string): unknown => [
  status,
  (body as Record<string, RuleObject>)[kind]?.revision,
]

describe('an edit that changes nothing', () => {
  verifies('automations.same-content', 'keeps the revision and leaves no entry', async (home) => {
    for (const kind of ['scene', 'automation', 'schedule'] as const) {
      const calls = new RuleCalls(home, kind)
      const body = BODIES(home)[kind]
      const made = await calls.create(body)
      const before = await traces(home)
      const { revision: _, ...read } = await calls.get(made.id)
      for (const edit of [{ name: body.name }, body, read, {}])
        expect(revisionOf(await calls.send('PATCH', made.id, { ...edit, ifRevision: 1 }), kind)).toEqual([200, 1])
      expect(await traces(home)).toEqual(before)
      expect(await calls.get(made.id)).toEqual(made)
      const stale = await calls.send('PATCH', made.id, { ...body, ifRevision: 2 })
      expect(statusAndCode(stale)).toEqual([409, 'revision_mismatch'])
      expect(revisionOf(await calls.send('PATCH', made.id, { name: 'Other', ifRevision: 1 }), kind)).toEqual([200, 2])
    }
  })

  verifies('automations.same-content', 'is no event of the stream', async (home) => {
    const calls = new RuleCalls(home, 'automation')
    const made = await calls.create(BODIES(home).automation)
    const socket = await home.socket()
    await socket.subscribe(['exposure', 'scenes', 'automations', 'schedules'])
    const { name } = (await home.get(home.at('study-desk')))['device'] as { name: string }
    await home.call({ method: 'PATCH', path: home.at('study-desk'), body: { name } })
    await calls.edit(made.id, { name: made.name, ifRevision: 1 })
    await calls.edit(made.id, { name: 'Other', ifRevision: 1 })
    await socket.event(({ event }) => event === 'automations')
    expect(socket.events.map(({ event }) => event)).toEqual(['automations'])
    socket.close()
  })

  verifies('automations.same-content', 'of a name or a place does nothing either', async (home) => {
    const { admin } = home.running
    const before = await traces(home)
    await home.call({ method: 'PATCH', path: home.at('study-light'), body: { name: 'Study light' } })
    await home.call({
      method: 'PATCH',
      path: `/v1/rooms/${encodeURIComponent(home.id('room:study'))}`,
      body: { name: 'Study' },
    })
    await admin.call('POST', '/house/place', { unit: 'study-light', room: 'study', name: 'Study light' })
    await admin.call('PATCH', '/home', { name: 'Sonnenwinkel', currency: 'EUR' })
    await admin.call('PATCH', `/integrations/${home.main.id}`, { enabled: true, settings: { structural: 'on' } })
    expect(await traces(home)).toEqual(before)
  })
})
