import { describe, expect } from 'vitest'
import { AgentRequestShape } from '../../src/admin/contract/agents.ts'
import type { AdminEvent } from '../../src/admin/contract/events.ts'
import { WATCHERS_MAX } from '../../src/admin/events.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { accept, asked, collected, deny, letIn, pass, passing } from './device-flow.ts'

/** Lines of an administrator's event stream. */
class Watch implements AsyncDisposable {
  readonly #lines: AsyncGenerator<string>

  constructor(home: TestHome) {
    this.#lines = home.running.admin.lines('/events')
  }

  async next(): Promise<AdminEvent> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('The gateway ended the watch.')
    return JSON.parse(value) as AdminEvent
  }

  /** The line that a watch of nothing begins with; then everything is new. */
  async begun(): Promise<this> {
    expect(await this.next()).toEqual({ kind: 'watching' })
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines.return(undefined)
  }
}

describe('administrators', () => {
  proves(
    ['2.8.agent-request', 'agents.told'],
    'are told of a request while it happens, with all that the specification names, and of what becomes of it',
    async () => {
      await using home = await TestHome.open('http', passing())
      await letIn(home)
      await using watch = await new Watch(home).begun()
      const before = home.running.clock.now()
      const suggested = { exposure: ['Ground floor', 'Hall light'], settings: { automations: 'on' } }
      const { code, userCode } = await asked(home, { record: home.main.id, suggested })
      const told = await watch.next()
      if (told.kind !== 'agent_request') throw new Error(`The watch was told of ${told.kind}.`)
      expect(told).toMatchObject({
        notice: true,
        request: {
          code: userCode,
          hosted: false,
          name: 'Claude',
          platform: 'Claude Code',
          record: home.main.id,
          suggested,
          via: 'home',
          peer: '127.0.0.1',
          known: [],
        },
      })
      const shape = AgentRequestShape.parse(told.request)
      // Two clocks of whole milliseconds are in it, and what passed in between.
      expect(Math.abs(shape.expiresAt - shape.askedAt - 600_000)).toBeLessThan(1_000)
      expect(shape.askedAt).toBeGreaterThanOrEqual(before)
      expect(shape.request).not.toBe(code)
      const { requests } = await home.running.admin.call<{ requests: object[] }>('GET', '/agents/requests')
      expect(requests).toEqual([{ ...told.request, expiresAt: expect.any(Number) as number }])
      expect(JSON.stringify(requests)).not.toContain(code)

      await accept(home, userCode)
      expect(await watch.next()).toMatchObject({
        kind: 'agent_request_ended',
        how: 'accepted',
        request: { code: userCode },
      })
      const token = await collected(home, code)
      const ended = await watch.next()
      expect(ended).toMatchObject({ kind: 'agent_request_ended', how: 'collected', request: { code: userCode } })
      expect(JSON.stringify(ended)).not.toContain(token.split('.').at(-1))

      const second = await asked(home, { name: 'Second' })
      expect(await watch.next()).toMatchObject({
        kind: 'agent_request',
        request: { name: 'Second', record: null, suggested: null },
      })
      await deny(home, second.userCode)
      expect(await watch.next()).toMatchObject({ kind: 'agent_request_ended', how: 'denied' })
      await asked(home, { name: 'Third' })
      expect(await watch.next()).toMatchObject({ kind: 'agent_request' })
      await pass(home, 601)
      expect(await watch.next()).toMatchObject({
        kind: 'agent_request_ended',
        how: 'expired',
        request: { name: 'Third' },
      })
    },
  )

  proves(
    'agents.told',
    'who come later are first told what waits; several watch at once; too many get a sentence',
    async () => {
      await using home = await TestHome.open('http', passing())
      await letIn(home)
      const { userCode } = await asked(home)
      await using first = new Watch(home)
      await using second = new Watch(home)
      for (const watch of [first, second]) {
        expect(await watch.next()).toMatchObject({ kind: 'agent_request', request: { code: userCode, name: 'Claude' } })
        await watch.begun()
      }
      await deny(home, userCode)
      for (const watch of [first, second])
        expect(await watch.next()).toMatchObject({ kind: 'agent_request_ended', how: 'denied' })

      const others = await Promise.all(Array.from({ length: WATCHERS_MAX - 2 }, () => new Watch(home).begun()))
      await expect(new Watch(home).next()).rejects.toThrow('Too many clients are watching')
      for (const each of others) await each[Symbol.asyncDispose]()
      // A watcher that is gone makes room, as soon as its connection has ended.
      const again = async (tries: number): Promise<Watch> => {
        const watch = new Watch(home)
        try {
          return await watch.begun()
        } catch (error) {
          if (tries === 0) throw error
          return again(tries - 1)
        }
      }
      await using _later = await again(100)
    },
  )

  proves(
    'agents.told',
    'are asked for no more than three requests at a time, and see the others when they look',
    async () => {
      await using home = await TestHome.open('http', passing())
      await letIn(home)
      await using watch = await new Watch(home).begun()
      const notices: boolean[] = []
      for (let turn = 0; turn < 3; turn++) {
        await asked(home)
        const told = await watch.next()
        notices.push(told.kind === 'agent_request' && told.notice)
      }
      // Two of one source call; all of them are listed.
      expect(notices).toEqual([true, true, false])
      expect((await home.running.admin.call<{ requests: object[] }>('GET', '/agents/requests')).requests).toHaveLength(
        3,
      )
    },
  )

  proves(
    ['agents.told'],
    'learn that a call waits for a confirmation, with the code that only they see, and how it ended',
    async () => {
      await using home = await TestHome.open('http')
      await letIn(home)
      const { token, link } = await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', {
        integration: home.main.id,
        name: 'Claude',
        platform: 'Laptop',
      })
      await using watch = await new Watch(home).begun()
      const open = { method: 'POST', path: home.at('front-door', '/control'), body: { op: 'open' }, token }
      const refused = await home.call(open)
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'confirmation_required' } } })
      const told = await watch.next()
      if (told.kind !== 'confirmation') throw new Error(`The watch was told of ${told.kind}.`)
      expect(told).toMatchObject({
        notice: true,
        confirmation: {
          link,
          label: 'Agent: Claude via Laptop',
          integration: 'Test',
          what: 'open lock "Front door" (HMLK front-door)',
          opens: [{ id: 'front-door', name: 'Front door', class: 'lock', model: 'HMLK', after: 0 }],
          code: expect.stringMatching(/^\d{6}$/) as string,
          expiresAt: expect.any(Number) as number,
        },
      })
      expect(refused.text).toContain(told.confirmation.id)
      expect(refused.text).not.toContain(told.confirmation.code)
      expect(await home.running.admin.call('GET', '/confirmations')).toMatchObject({
        confirmations: [{ id: told.confirmation.id, code: told.confirmation.code }],
      })
      await home.running.admin.call('POST', `/confirmations/${told.confirmation.id}`, { confirm: true })
      expect(await watch.next()).toMatchObject({
        kind: 'confirmation_ended',
        how: 'confirmed',
        confirmation: { id: told.confirmation.id },
      })
      expect((await home.call(open)).status).toBe(200)
      expect(await watch.next()).toMatchObject({ kind: 'confirmation_ended', how: 'used' })
    },
  )
})
