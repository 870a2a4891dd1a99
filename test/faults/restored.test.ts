import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { COPY_AFTER_MS } from '../../src/db/core/core-copies.ts'
import { banner } from '../../src/gateway/banner.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'

const copiesIn = (dataDir: string): string[] =>
  readdirSync(join(dataDir, 'backups')).filter((name) => /^core-.*\.db$/.test(name))

/** Resolves once there are so many; a copy is made beside everything else. */
async function copies(dataDir: string, count: number): Promise<void> {
  while (copiesIn(dataDir).length < count) await wait(2)
}

/** A home whose configuration is lost after some credentials ended; what is left are copies from before. */
async function lostAfter(end: (running: TestGateway, who: TestIntegration) => Promise<unknown>) {
  const folder = mkdtempSync(join(tmpdir(), 'hm-lost-'))
  await using running = await TestGateway.open()
  const home = await TestHome.at('http', running)
  const who = await home.integrate({})
  await running.admin.call('POST', '/backup', {
    file: join(running.dataDir, 'backups/core-900000-2099-01-01T00-00-00.000Z.db'),
  })
  await end(running, who)
  await running.stop()
  cpSync(running.dataDir, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  writeFileSync(join(folder, 'core.db'), '')
  return { folder, who, main: home.main, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

proves(
  'storage.restored',
  'a key that was revoked after the copy stays revoked, and its integration’s too',
  async () => {
    for (const end of [
      (running: TestGateway, { link }: TestIntegration) => running.admin.call('DELETE', `/keys/${link}`),
      (running: TestGateway, { id }: TestIntegration) => running.admin.call('DELETE', `/integrations/${id}`),
    ]) {
      using lost = await lostAfter(end)
      await using running = await TestGateway.open({ dataDir: lost.folder, settled: false })
      const home = await TestHome.at('http', running, lost.main)
      expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
      expect((await home.call({ method: 'GET', path: '/v1/house', token: lost.who.token })).status).toBe(401)
    }
  },
)

proves('storage.restored', 'it is told by status and at every start, until it is acknowledged', async () => {
  using lost = await lostAfter(() => Promise.resolve())
  const told =
    /The configuration was not usable \(it is missing or empty, .*\): the copy core-900000-2099.* took its place\./
  for (const start of [1, 2]) {
    await using running = await TestGateway.open({ dataDir: lost.folder, settled: false })
    expect((await hm(lost.folder, 'status')).out, `start ${start}`).toMatch(told)
    expect(running.gateway.stores.incidents.list().map(({ what }) => what)).toEqual([
      expect.stringMatching(told) as string,
    ])
    if (start === 2) expect((await hm(lost.folder, 'acknowledge')).out).toMatch(told)
  }
  await using running = await TestGateway.open({ dataDir: lost.folder, settled: false })
  expect(running.gateway.stores.incidents.list()).toEqual([])
  expect((await hm(lost.folder, 'status')).out).not.toMatch(told)
})

test('the banner tells what befell the configuration', () => {
  const facts = {
    homeName: 'Home',
    port: 1,
    serial: 's',
    addresses: [],
    fingerprint: '',
    caFile: 'ca',
    dataDir: 'data',
  }
  const text = banner({ ...facts, line: 'sim', incidents: ['It was restored.'], firstKey: null })
  expect(text).toContain('  Needs attention (bin/hm acknowledge ends this):\n  It was restored.\n')
})

test('a configuration that is damaged while the gateway runs takes the place of no copy', async () => {
  const clock = new PassingClock()
  const log = recordingLog()
  await using running = await TestGateway.open({ clock, log })
  await copies(running.dataDir, 1)
  await running.admin.call('POST', '/integrations', { name: 'First' })
  running.gateway.stores.core.db.exec(`UPDATE integrations SET knobs = '{"mdns'`)
  const told = log.told('The configuration could not be copied.')
  await clock.pass(COPY_AFTER_MS)
  await told
  expect(readdirSync(join(running.dataDir, 'backups'))).toHaveLength(1)
  // Meanwhile the integration is served as one that is disabled.
  expect(running.gateway.stores.integrations.list().map(({ enabled }) => enabled)).toEqual([false])
})
