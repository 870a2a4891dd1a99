import { describe, expect } from 'vitest'
import { AgentRequestShape } from '../../src/admin/contract/agents.ts'
import type { AdminEvent } from '../../src/admin/contract/events.ts'
import { WATCHERS_MAX } from '../../src/admin/events.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { accept, startPairing, collectToken, deny, allowAgents, passSeconds, withPassingClock } from './device-flow.ts'

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

  /** Expects the line that separates pending requests from new events. */
  async expectWatching(): Promise<this> {
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
    'receive each request at once, with all fields of the specification, and later its outcome',
    async () => {
      await using home = await TestHome.open('http', withPassingClock())
      await allowAgents(home)
      await using watch = await new Watch(home).expectWatching()
      const before = home.running.clock.now()
      const suggested = { exposure: ['Ground floor', 'Hall light'], settings: { automations: 'on' } }
      const { code, userCode } = await startPairing(home, { record: home.main.id, suggested })
      const event = await watch.next()
      if (event.kind !== 'agent_request') throw new Error(`The watch received ${event.kind}.`)
      expect(event).toMatchObject({
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
      const shape = AgentRequestShape.parse(event.request)
      // The two times are rounded and come from clocks that are read one after the other.
      expect(Math.abs(shape.expiresAt - shape.askedAt - 600_000)).toBeLessThan(1_000)
      expect(shape.askedAt).toBeGreaterThanOrEqual(before)
      expect(shape.request).not.toBe(code)
      const { requests } = await home.running.admin.call<{ requests: object[] }>('GET', '/agents/requests')
      expect(requests).toEqual([{ ...event.request, expiresAt: expect.any(Number) as number }])
      expect(JSON.stringify(requests)).not.toContain(code)

      await accept(home, userCode)
      expect(await watch.next()).toMatchObject({
        kind: 'agent_request_ended',
        how: 'accepted',
        request: { code: userCode },
      })
      const token = await collectToken(home, code)
      const ended = await watch.next()
      expect(ended).toMatchObject({ kind: 'agent_request_ended', how: 'collected', request: { code: userCode } })
      expect(JSON.stringify(ended)).not.toContain(token.split('.').at(-1))

      const second = await startPairing(home, { name: 'Second' })
      expect(await watch.next()).toMatchObject({
        kind: 'agent_request',
        request: { name: 'Second', record: null, suggested: null },
      })
      await deny(home, second.userCode)
      expect(await watch.next()).toMatchObject({ kind: 'agent_request_ended', how: 'denied' })
      await startPairing(home, { name: 'Third' })
      expect(await watch.next()).toMatchObject({ kind: 'agent_request' })
      await passSeconds(home, 601)
      expect(await watch.next()).toMatchObject({
        kind: 'agent_request_ended',
        how: 'expired',
        request: { name: 'Third' },
      })
    },
  )

  proves(
    'agents.told',
    'receive pending requests first when they connect; several may watch at once, up to a limit',
    async () => {
      await using home = await TestHome.open('http', withPassingClock())
      await allowAgents(home)
      const { userCode } = await startPairing(home)
      await using first = new Watch(home)
      await using second = new Watch(home)
      for (const watch of [first, second]) {
        expect(await watch.next()).toMatchObject({ kind: 'agent_request', request: { code: userCode, name: 'Claude' } })
        await watch.expectWatching()
      }
      await deny(home, userCode)
      for (const watch of [first, second])
        expect(await watch.next()).toMatchObject({ kind: 'agent_request_ended', how: 'denied' })

      const extraWatches = await Promise.all(
        Array.from({ length: WATCHERS_MAX - 2 }, () => new Watch(home).expectWatching()),
      )
      await expect(new Watch(home).next()).rejects.toThrow('Too many clients are watching')
      for (const watch of extraWatches) await watch[Symbol.asyncDispose]()
      // The place of a watcher becomes free once its connection has ended.
      const reconnect = async (tries: number): Promise<Watch> => {
        const watch = new Watch(home)
        try {
          return await watch.expectWatching()
        } catch (error) {
          if (tries === 0) throw error
          return reconnect(tries - 1)
        }
      }
      await using _later = await reconnect(100)
    },
  )

  proves(
    'agents.told',
    'are notified of two requests of one source, and find all of them in the list',
    { tags: ['long'] },
    async () => {
      await using home = await TestHome.open('http', withPassingClock())
      await allowAgents(home)
      await using watch = await new Watch(home).expectWatching()
      const notices: boolean[] = []
      for (let turn = 0; turn < 3; turn++) {
        await startPairing(home)
        const event = await watch.next()
        notices.push(event.kind === 'agent_request' && event.notice)
      }
      expect(notices).toEqual([true, true, false])
      expect((await home.running.admin.call<{ requests: object[] }>('GET', '/agents/requests')).requests).toHaveLength(
        3,
      )
    },
  )

  proves(
    ['agents.told'],
    'receive each call that waits for confirmation, with its secret code, and later its outcome',
    async () => {
      await using home = await TestHome.open('http')
      await allowAgents(home)
      const { token, link } = await home.running.admin.call<{ token: string; link: string }>('POST', '/agents', {
        integration: home.main.id,
        name: 'Claude',
        platform: 'Laptop',
      })
      await using watch = await new Watch(home).expectWatching()
      const open = { method: 'POST', path: home.at('front-door', '/control'), body: { op: 'open' }, token }
      const refused = await home.call(open)
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'confirmation_required' } } })
      const event = await watch.next()
      if (event.kind !== 'confirmation') throw new Error(`The watch received ${event.kind}.`)
      expect(event).toMatchObject({
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
      expect(refused.text).toContain(event.confirmation.id)
      expect(refused.text).not.toContain(event.confirmation.code)
      expect(await home.running.admin.call('GET', '/confirmations')).toMatchObject({
        confirmations: [{ id: event.confirmation.id, code: event.confirmation.code }],
      })
      await home.running.admin.call('POST', `/confirmations/${event.confirmation.id}`, { confirm: true })
      expect(await watch.next()).toMatchObject({
        kind: 'confirmation_ended',
        how: 'confirmed',
        confirmation: { id: event.confirmation.id },
      })
      expect((await home.call(open)).status).toBe(200)
      expect(await watch.next()).toMatchObject({ kind: 'confirmation_ended', how: 'used' })
    },
  )
})
