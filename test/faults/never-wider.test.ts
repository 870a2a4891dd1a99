// @module-tag repeated
import Database from 'better-sqlite3'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { CORE_ROWS } from '../../src/db/core/core-rows.ts'
import { damageText, type LivedHome, livedHome } from '#support/faults/lived-home.ts'
import { hm } from '#support/gateway/cli.ts'
import { failingReads } from '#support/gateway/every-read.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG } from '#support/long.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A home with one copy from before `then`, and a lost configuration. */
async function lostAfter(then: (running: TestGateway, who: TestIntegration, home: TestHome) => Promise<unknown>) {
  const running = await TestGateway.open({ settled: false })
  const home = await TestHome.at('http', running)
  const who = await home.integrate({ settings: { structural: 'on', automations: 'on' } })
  const { dataDir } = running
  const backups = join(dataDir, 'backups')
  while (readdirSync(backups).filter((name) => name.endsWith('.db')).length === 0) await wait(2)
  await running.admin.call('POST', '/backup', { file: join(backups, 'core-900000-2099-01-01T00-00-00.000Z.db') })
  await then(running, who, home)
  await running.stop()
  writeFileSync(join(dataDir, 'core.db'), 'no database')
  return { dataDir, who, main: home.main, before: running }
}

async function statusOf(running: TestGateway, who: TestIntegration): Promise<number> {
  const home = await TestHome.at('http', running, who)
  return (await home.call({ method: 'GET', path: '/v1/house' })).status
}

const change = (running: TestGateway, { id }: TestIntegration, body: object): Promise<unknown> =>
  running.admin.call('PATCH', `/integrations/${id}`, body)

describe('after a restored copy', () => {
  for (const [what, tags, then] of [
    ['a knob went off', [], (running, who) => change(running, who, { settings: { structural: 'off' } })],
    ['a pick was removed', ['long'], (running, who) => change(running, who, { expose: ['scene:dinner'] })],
    ['it was disabled', ['long'], (running, who) => change(running, who, { enabled: false })],
  ] as readonly [string, 'long'[], (running: TestGateway, who: TestIntegration) => Promise<unknown>][]) {
    proves('storage.never-wider', `an integration stays disabled until acknowledged: ${what}`, { tags }, async () => {
      const { dataDir, who, main, before } = await lostAfter(then)
      await using _ = before
      for (let start = 1; start <= 2; start++) {
        await using running = await TestGateway.open({ dataDir, settled: false })
        expect([start, await statusOf(running, who), await statusOf(running, main)]).toEqual([start, 403, 200])
        const { incidents, attention } = await running.admin.call<{
          incidents: { what: string }[]
          attention: { kind: string; what: string }[]
        }>('GET', '/status')
        const sentence = incidents[0]?.what ?? ''
        expect(sentence).toMatch(
          /^The configuration was not usable .+ restored the copy of 2099-01-01 00:00 UTC \(core-900000-.+\)\./,
        )
        expect(sentence).toMatch(
          /later changes? (?:is|are) lost\. These integrations stay disabled until you acknowledge this,/,
        )
        expect(attention.some(({ kind, what: line }) => kind === 'incident' && line === sentence)).toBe(true)
        const { entries } = await running.admin.call<{ entries: { what: string }[] }>('GET', '/activity?limit=50')
        expect(entries.filter((entry) => entry.what === sentence)).toHaveLength(1)
        await running.stop()
      }
      await using running = await TestGateway.open({ dataDir, settled: false })
      expect((await hm(dataDir, 'acknowledge')).out).toContain('stay disabled')
      expect([await statusOf(running, who), await statusOf(running, main)]).toEqual([200, 200])
    })
  }

  proves('storage.never-wider', 'all integrations stay disabled if a thing was moved', { tags: ['long'] }, async () => {
    const { dataDir, who, main, before } = await lostAfter((running) => {
      const { core, house } = running.gateway.stores
      const light = running.gateway.home.house.units.get('study-light')
      return Promise.resolve(core.change(() => light && house.saveUnits([{ ...light, room: 'hall' }])))
    })
    await using _ = before
    await using running = await TestGateway.open({ dataDir, settled: false })
    expect([await statusOf(running, who), await statusOf(running, main)]).toEqual([403, 403])
  })

  proves(
    'storage.never-wider',
    'all integrations stay disabled if the narrowed ones are unknown',
    { tags: ['long'] },
    async () => {
      const { dataDir, who, before } = await lostAfter(() => Promise.resolve())
      await using _ = before
      rmSync(join(dataDir, 'narrowed.json'))
      await using running = await TestGateway.open({ dataDir, settled: false })
      expect(await statusOf(running, who)).toBe(403)
      // An explicitly enabled integration has access at once.
      await change(running, who, { enabled: true })
      expect(await statusOf(running, who)).toBe(200)
    },
  )

  proves('storage.never-wider', 'a deleted integration stays deleted', async () => {
    const { dataDir, who, before } = await lostAfter(async (running, { id }) => {
      await running.admin.call('DELETE', `/integrations/${id}`)
    })
    await using _ = before
    await using running = await TestGateway.open({ dataDir, settled: false })
    const { integrations } = await running.admin.call<{ integrations: { id: string }[] }>('GET', '/integrations')
    expect(integrations.map(({ id }) => id)).not.toContain(who.id)
    expect(await statusOf(running, who)).toBe(401)
  })

  proves('storage.never-wider', 'a person who changed their password since has none', { tags: ['long'] }, async () => {
    let anna = ''
    const { dataDir, before } = await lostAfter(async (running) => {
      const { core, persons } = running.gateway.stores
      anna = (await running.admin.call<{ person: { id: string } }>('POST', '/persons', { name: 'Anna' })).person.id
      core.change(() => persons.setPassword(anna, '$argon2id$old'))
      const file = join(running.dataDir, 'backups/core-900001-2099-01-02T00-00-00.000Z.db')
      await running.admin.call('POST', '/backup', { file })
      core.change(() => persons.setPassword(anna, '$argon2id$new'))
    })
    await using _ = before
    await using running = await TestGateway.open({ dataDir, settled: false })
    expect(running.gateway.stores.persons.get(anna)?.password).toBe(null)
    expect(running.gateway.stores.incidents.list().at(-1)?.what).toContain('one-time link to set a new one: Anna.')
  })
})

describe('a row that its schema refuses', () => {
  const usedFolder = mkdtempSync(join(tmpdir(), 'hm-lived-'))
  let lived: LivedHome
  beforeAll(async () => {
    lived = await livedHome(usedFolder)
    return () => rmSync(usedFolder, { recursive: true, force: true })
  })

  function damaged(table: string, column: string, damage: (text: string) => string): string {
    const dataDir = join(tempFolder(), 'data')
    cpSync(usedFolder, dataDir, { recursive: true })
    chmodSync(join(dataDir, 'tls'), 0o700)
    damageText(join(dataDir, 'core.db'), table, column, damage)
    return dataDir
  }

  for (const [table, column, damage, tags] of [
    ['scenes', 'steps', (text) => text.slice(0, -3), ['long']],
    ['rules', 'definition', () => '{}', ['long']],
    ['integrations', 'knobs', () => '{"allow_unlock":"yes"}', []],
    ['rooms', 'name', () => '\u0001', ['long']],
    ['rooms', 'floor', () => 'none-such', ['long']],
  ] as readonly [string, string, (text: string) => string, 'long'[]][]) {
    proves(
      'storage.whole-copy',
      `${table}.${column}: the copy replaces the whole file, or nothing starts`,
      { tags },
      async () => {
        const dataDir = damaged(table, column, damage)
        const log = recordingLog()
        await using running = await TestGateway.open({ dataDir, settled: false, log })
        expect(await statusOf(running, lived.main)).toBe(200)
        expect(await failingReads(await TestHome.at('http', running, lived.main))).toEqual([])
        expect(log.sentences('error')[0]).toBe('The configuration was not usable: the newest good copy took its place.')
        expect((await hm(dataDir, 'status')).out).toContain('restored the copy')
        // Without a copy test/faults/stores.test.ts refuses a file with any damage.
        if (!LONG) return
        const without = damaged(table, column, damage)
        rmSync(join(without, 'backups'), { recursive: true })
        await expect(TestGateway.open({ dataDir: without, settled: false })).rejects.toThrow('there is no good copy in')
      },
    )
  }

  test('a schema checks every column of every table', () => {
    const db = new Database(join(usedFolder, 'core.db'), { readonly: true })
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
      .pluck()
      .all()
    const schemas = CORE_ROWS as Record<
      string,
      { readonly shape?: object; readonly options?: readonly { readonly shape: object }[] }
    >
    const unread = tables.flatMap((table) => {
      const shape = schemas[table]?.shape ?? schemas[table]?.options?.[0]?.shape ?? {}
      const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)
      return columns.filter((column) => !(column in shape)).map((column) => `${table}.${column}`)
    })
    db.close()
    expect(unread).toEqual([])
  })
})
