// @module-tag repeated
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { COPY_AFTER_MS } from '../../src/db/core/core-copies.ts'
import { banner } from '../../src/operations/banner.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG } from '#support/long.ts'
import { recordingLog } from '#support/recording-log.ts'

const copiesIn = (dataDir: string): string[] =>
  readdirSync(join(dataDir, 'backups')).filter((name) => /^core-.*\.db$/.test(name))

/** Resolves once there are this many; copies are made in the background. */
async function copies(dataDir: string, count: number): Promise<void> {
  while (copiesIn(dataDir).length < count) await wait(2)
}

/** A home that lost its configuration after some credentials ended; only earlier copies remain. */
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
  "a key revoked after the copy stays revoked, and its integration's keys too",
  { tags: ['long'] },
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

proves(
  'storage.restored',
  'status and every start report it until it is acknowledged',
  { tags: ['long'] },
  async () => {
    using lost = await lostAfter(() => Promise.resolve())
    const sentence =
      /The configuration was not usable \(it is missing or empty, .*\)\. The gateway restored the copy of .* \(core-900000-2099.*\)\./
    for (const start of [1, 2]) {
      await using running = await TestGateway.open({ dataDir: lost.folder, settled: false })
      expect((await hm(lost.folder, 'status')).out, `start ${start}`).toMatch(sentence)
      expect(running.gateway.stores.incidents.list().map(({ what }) => what)).toEqual([
        expect.stringMatching(sentence) as string,
      ])
      if (start === 2) expect((await hm(lost.folder, 'acknowledge')).out).toMatch(sentence)
    }
    await using running = await TestGateway.open({ dataDir: lost.folder, settled: false })
    expect(running.gateway.stores.incidents.list()).toEqual([])
    expect((await hm(lost.folder, 'status')).out).not.toMatch(sentence)
  },
)

/** A home whose configuration was replaced by an earlier copy by hand, after a key was revoked. */
async function putBackByHand(copyOf: (running: TestGateway) => Promise<string>, without: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'hm-put-back-'))
  await using running = await TestGateway.open({ settled: false })
  const home = await TestHome.at('http', running)
  const who = await home.integrate({})
  const copy = await copyOf(running)
  await running.admin.call('PATCH', `/integrations/${who.id}`, { settings: { structural: 'on' } })
  await running.admin.call('DELETE', `/keys/${who.link}`)
  await running.admin.call('POST', '/backup', { file: join(running.dataDir, 'backups/core-900001-later.db') })
  await running.stop()
  cpSync(running.dataDir, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  cpSync(copy, join(folder, 'core.db'))
  for (const name of without) rmSync(join(folder, name), { recursive: true, force: true })
  return { folder, who, main: home.main, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

async function backupOf(running: TestGateway): Promise<string> {
  const file = join(running.dataDir, 'backups/core-900000-by-hand.db')
  await running.admin.call('POST', '/backup', { file })
  return file
}

proves(
  'storage.put-back',
  'a copy restored by hand is reported until acknowledged, and revives no key',
  { tags: ['long'] },
  async () => {
    const sentence = 'an older one: somebody replaced it, or the end of its log is lost. 2 later changes are lost.'
    // The history and the copies both reveal it; each is enough.
    for (const without of LONG ? [[], ['history.db'], ['backups']] : [['history.db'], ['backups']]) {
      using back = await putBackByHand(backupOf, without)
      for (const start of [1, 2]) {
        await using running = await TestGateway.open({ dataDir: back.folder, settled: false })
        const home = await TestHome.at('http', running, back.main)
        expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
        expect((await home.call({ method: 'GET', path: '/v1/house', token: back.who.token })).status).toBe(401)
        expect(running.gateway.stores.incidents.list()).toHaveLength(1)
        expect((await hm(back.folder, 'status')).out).toContain(sentence)
        if (start === 2) expect((await hm(back.folder, 'acknowledge')).out).toContain(sentence)
      }
      await using running = await TestGateway.open({ dataDir: back.folder, settled: false })
      expect((await hm(back.folder, 'status')).out).not.toContain(sentence)
      // New changes have numbers that the history does not know yet.
      await running.admin.call('POST', '/integrations', { name: 'After it' })
      await running.stop()
      await using again = await TestGateway.open({ dataDir: back.folder, settled: false })
      expect(again.gateway.stores.incidents.list()).toEqual([])
    }
  },
)

proves(
  'storage.put-back',
  'a manual copy of the file is recognized too; an unchanged home gets no report',
  async () => {
    using back = await putBackByHand(async (running) => {
      // As in a copy of the machine's disk.
      running.gateway.stores.core.db.pragma('wal_checkpoint(TRUNCATE)')
      const file = join(running.dataDir, 'backups', 'copied.db')
      cpSync(join(running.dataDir, 'core.db'), file)
      return file
    })
    {
      await using running = await TestGateway.open({ dataDir: back.folder, settled: false })
      expect(running.gateway.stores.incidents.list().map(({ what }) => what)).toEqual([
        expect.stringContaining('The configuration is an older one'),
      ])
    }
    await using fresh = await TestGateway.open({ settled: false })
    const home = await TestHome.at('http', fresh)
    const { link } = await home.integrate({})
    await fresh.admin.call('DELETE', `/keys/${link}`)
    await fresh.stop()
    await using again = await TestGateway.open({ dataDir: fresh.dataDir, settled: false })
    expect(again.gateway.stores.incidents.list()).toEqual([])
  },
)

test('the banner reports incidents of the configuration', () => {
  const facts = {
    homeName: 'Home',
    origins: ['https://localhost:1'],
    fingerprint: '',
    caFile: 'ca',
    dataDir: 'data',
    disk: 'ok' as const,
    socket: 'in the data folder',
  }
  const text = banner({
    ...facts,
    line: 'sim',
    incidents: ['It was restored.'],
    firstKey: null,
    consoleLink: null,
    needsLink: false,
    backupsFound: null,
  })
  expect(text).toContain('  Needs attention (bin/hm acknowledge ends this):\n  It was restored.\n')
  expect(text).not.toContain('command line')
})

test('a configuration damaged while the gateway runs replaces no copy', { tags: ['long'] }, async () => {
  const clock = new PassingClock()
  const log = recordingLog()
  await using running = await TestGateway.open({ clock, log })
  await copies(running.dataDir, 1)
  await running.admin.call('POST', '/integrations', { name: 'First' })
  const { db } = running.gateway.stores.core
  const knobs = db.prepare<[], string>('SELECT knobs FROM integrations').pluck().get()
  db.exec(`UPDATE integrations SET knobs = '{"mdns'`)
  const logged = log.logged('The configuration could not be copied.')
  await clock.pass(COPY_AFTER_MS)
  await logged
  expect(readdirSync(join(running.dataDir, 'backups'))).toHaveLength(1)
  // Meanwhile the integration counts as disabled.
  expect(running.gateway.stores.integrations.list().map(({ enabled }) => enabled)).toEqual([false])
  db.prepare('UPDATE integrations SET knobs = ?').run(knobs)
})
