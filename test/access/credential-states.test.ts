import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { callerOver } from '#support/gateway/caller-over.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { TestHome, type TestIntegration, verifiesOver, verifiesAlone } from '#support/gateway/harness.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { proves } from '#support/gateway/verifies.ts'

const verifies = verifiesOver('stream')

const UNAUTHORIZED = {
  error: {
    code: 'unauthorized',
    message: 'This needs a valid credential: send "Authorization: Bearer <token>" with a token of this gateway.',
  },
}
const DISABLED = {
  error: {
    code: 'record_disabled',
    appAction: 'integrations.record',
    message: 'This integration is disabled. An administrator can enable it again.',
  },
}

const house = (home: TestHome, { token }: TestIntegration): Promise<RawAnswer> =>
  home.call({ method: 'GET', path: '/v1/house', token })

describe('a key', () => {
  verifies(['3.key-revoked', '5.2.key', '7.unauthorized'], 'works exactly until it is revoked', async (home) => {
    const [first, second] = [await home.integrate({}), await home.integrate({})]
    expect((await house(home, first)).status).toBe(200)
    await home.running.admin.call('DELETE', `/keys/${first.link}`)
    expect(await house(home, first)).toMatchObject({ status: 401, body: UNAUTHORIZED })
    // This holds for all paths, including unknown ones.
    expect(await home.call({ method: 'GET', path: '/v1/nothing', token: first.token })).toMatchObject({
      status: 401,
      body: UNAUTHORIZED,
    })
    expect((await house(home, second)).status).toBe(200)
  })

  verifies(['3.key-revoked'], 'can be revoked without any effect on other keys of its integration', async (home) => {
    const one = await home.integrate({})
    const other = (await home.running.admin.call('POST', '/keys', { integration: one.id })) as {
      token: string
      link: string
    }
    await home.running.admin.call('DELETE', `/keys/${one.link}`)
    expect((await house(home, one)).status).toBe(401)
    expect((await house(home, { id: one.id, ...other })).status).toBe(200)
  })

  verifies(['3.integration-deleted', '7.unauthorized'], 'ends with its integration', async (home) => {
    const integration = await home.integrate({})
    const second = (await home.running.admin.call('POST', '/keys', { integration: integration.id })) as {
      token: string
      link: string
    }
    expect((await house(home, integration)).status).toBe(200)
    await home.running.admin.call('DELETE', `/integrations/${integration.id}`)
    expect(await house(home, integration)).toMatchObject({ status: 401, body: UNAUTHORIZED })
    expect(await house(home, { id: integration.id, ...second })).toMatchObject({ status: 401, body: UNAUTHORIZED })
  })

  verifies(
    ['3.disabled', 'refusals.disabled'],
    'of a disabled integration is refused with record_disabled, and works again once it is enabled',
    async (home) => {
      const integration = await home.integrate({})
      expect((await house(home, integration)).status).toBe(200)
      for (const path of ['/v1/house', '/v1/integration', '/v1/nothing', home.at('hall-light')]) {
        await home.change(integration, { enabled: false })
        expect(await home.call({ method: 'GET', path, token: integration.token })).toMatchObject({
          status: 403,
          body: DISABLED,
        })
        await home.change(integration, { enabled: true })
      }
      expect((await house(home, integration)).status).toBe(200)
    },
  )

  verifies(['3.disabled'], 'with a wrong secret does not learn that the integration is disabled', async (home) => {
    const integration = await home.integrate({})
    await home.change(integration, { enabled: false })
    const token = integration.token.slice(0, -2) + (integration.token.endsWith('77') ? '88' : '77')
    expect(await home.call({ method: 'GET', path: '/v1/house', token })).toMatchObject({
      status: 401,
      body: UNAUTHORIZED,
    })
  })

  verifies(
    ['3.disabled', '3.key-revoked'],
    'that was revoked while disabled is unauthorized, even after enabling',
    async (home) => {
      const integration = await home.integrate({})
      await home.change(integration, { enabled: false })
      await home.running.admin.call('DELETE', `/keys/${integration.link}`)
      expect(await house(home, integration)).toMatchObject({ status: 401, body: UNAUTHORIZED })
      await home.change(integration, { enabled: true })
      expect(await house(home, integration)).toMatchObject({ status: 401, body: UNAUTHORIZED })
    },
  )

  verifies(
    ['5.2.key'],
    'keeps working while agent_access and cloud_access are off',
    { atHome: 'cloud_access off refuses all requests through the relay.' },
    async (home) => {
      const integration = await home.integrate({ settings: { agent_access: 'off', cloud_access: 'off' } })
      expect((await house(home, integration)).status).toBe(200)
      await home.change(integration, { settings: { agent_access: 'on' } })
      await home.change(integration, { settings: { agent_access: 'off' } })
      expect((await house(home, integration)).status).toBe(200)
    },
  )
})

describe('after a restart', () => {
  const verifies = verifiesAlone(() => ({ settled: false }), { over: 'stream' })

  verifies(
    ['5.2.key', '3.key-revoked', '3.disabled'],
    'a key still works, a revoked one still does not, and a disabled integration is disabled',
    async (home) => {
      const [good, revoked, disabled] = [await home.integrate({}), await home.integrate({}), await home.integrate({})]
      await home.running.admin.call('DELETE', `/keys/${revoked.link}`)
      await home.change(disabled, { enabled: false })
      await home.running.stop()
      await using again = await TestGateway.open({ dataDir: home.running.dataDir, settled: false })
      await using started = await TestHome.at(home.transport, again, good)
      await using caller = callerOver(home.transport, started.access(good.token))
      const answers = []
      for (const { token } of [good, revoked, disabled])
        answers.push((await caller.call({ method: 'GET', path: '/v1/house', token })).status)
      expect(answers).toEqual([200, 401, 403])
    },
  )
})

interface KeyView {
  link: string
  lastUsed: { at: number; via: string } | null
}

async function lastUsed(running: TestGateway, link: string): Promise<KeyView['lastUsed']> {
  const { keys } = (await running.admin.call('GET', '/keys')) as unknown as { keys: KeyView[] }
  return keys.find((key) => key.link === link)!.lastUsed
}

describe('last use', () => {
  /** Stored rows, read directly from the database. */
  const stored = (running: TestGateway, link: string): unknown =>
    running.gateway.stores.core.db.prepare('SELECT last_used_at FROM credentials WHERE link = ?').pluck().get(link)

  async function open(
    clock: ManualClock,
    dataDir?: string,
  ): Promise<{ running: TestGateway; use: (token: string) => Promise<number> }> {
    const own = dataDir === undefined ? {} : { dataDir }
    const running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT, ...own })
    const ca = readFileSync(running.gateway.caFile, 'utf8')
    return {
      running,
      use: async (token) =>
        (
          await rawRequest(
            { url: running.url, ca },
            { path: '/v1/about/', headers: { authorization: `Bearer ${token}` } },
          )
        ).status,
    }
  }

  async function key(running: TestGateway): Promise<{ token: string; link: string }> {
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Used' })) as {
      integration: { id: string }
    }
    return (await running.admin.call('POST', '/keys', { integration: integration.id })) as {
      token: string
      link: string
    }
  }

  proves('5.9.last-used', 'is empty at first, and then gives administrators the time and the network', async () => {
    const clock = new ManualClock(Date.now())
    const { running, use } = await open(clock)
    await using _ = running
    const { token, link } = await key(running)
    expect(await lastUsed(running, link)).toBeNull()
    clock.advance(1_000)
    expect(await use(token)).toBe(404)
    const first = clock.now()
    expect(await lastUsed(running, link)).toEqual({ at: first, via: 'home' })
    clock.advance(5_000)
    expect(await lastUsed(running, link)).toEqual({ at: first, via: 'home' })
    // A refused token does not count as use of the credential that it resembles.
    expect(await use(`${token.slice(0, -2)}${token.endsWith('77') ? '88' : '77'}`)).toBe(401)
    expect(await lastUsed(running, link)).toEqual({ at: first, via: 'home' })
    expect(await use(token)).toBe(404)
    expect(await lastUsed(running, link)).toEqual({ at: first + 5_000, via: 'home' })
  })

  proves('credentials.last-used', 'is written at most every 30 seconds', { tags: ['long'] }, async () => {
    const clock = new ManualClock(Date.now())
    const { running, use } = await open(clock)
    await using _ = running
    const { token, link } = await key(running)
    const written: unknown[] = []
    for (let second = 1; second <= 90; second++) {
      await clock.advanceAsync(1_000)
      await use(token)
      written.push(stored(running, link))
    }
    expect(written.findIndex((at) => at !== null)).toBeLessThanOrEqual(30)
    expect(new Set(written.filter((at) => at !== null)).size).toBe(3)
  })

  proves('credentials.last-used', 'is written at stop, and known after the restart', async () => {
    const clock = new ManualClock(Date.now())
    const { running, use } = await open(clock)
    await using _ = running
    const { token, link } = await key(running)
    clock.advance(2_000)
    await use(token)
    const at = clock.now()
    expect(stored(running, link)).toBeNull()
    await running.stop()
    const { running: again } = await open(new ManualClock(at + 60_000), running.dataDir)
    await using __ = again
    expect(await lastUsed(again, link)).toEqual({ at, via: 'home' })
  })
})
