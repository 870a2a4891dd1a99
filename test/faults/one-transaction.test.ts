// @module-tag repeated
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CoreDb } from '../../src/db/core/core-db.ts'
import { SqliteHouse } from '../../src/db/core/house-store.ts'
import { SqliteRules } from '../../src/db/core/rule-store.ts'
import { copyLeftByKill, onEachRow } from '#support/faults/row-hooks.ts'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'
import { sharedGateway } from '#support/gateway/shared-gateway.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf, times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

const CHILD = new URL('./import-child.ts', import.meta.url).pathname

const open = async (): Promise<TestHome> => TestHome.at('http', await sharedGateway(() => TestGateway.open()))

/** Reads a configuration that a killed process left. */
function readLeft<T>(file: string, read: (core: CoreDb) => T): T {
  const core = new CoreDb(file)
  try {
    return read(core)
  } finally {
    core.close()
  }
}

/** The state after a kill at every `each`th row that `change` writes, read by `read`, and the final state. */
async function leftAtRows<T>(home: TestHome, change: () => Promise<unknown>, read: (core: CoreDb) => T, step = 1) {
  const { db } = home.running.gateway.stores.core
  const folder = tempFolder()
  const left: T[] = []
  let rows = 0
  const stop = onEachRow(db, () => {
    if (rows++ % step === 0) left.push(readLeft(copyLeftByKill(db, join(folder, String(rows))), read))
  })
  await change()
  stop()
  return { left, after: readLeft(copyLeftByKill(db, join(folder, 'after')), read) }
}

const homeIn = (core: CoreDb): string => {
  const rules = new SqliteRules(core)
  return JSON.stringify([new SqliteHouse(core).load(), rules.all('automation'), rules.all('schedule')])
}

/**
 * A home with a scene and a rule of each kind, and a house file that renames everything and reassigns the units'
 * addresses. Units with an unchanged address are updated, the others are deleted first.
 */
async function twoHomes(home: TestHome): Promise<string> {
  const light = { device: home.id('study-light'), op: 'set_power', args: { on: true } }
  await new RuleCalls(home, 'scene').create({ name: 'Thing', steps: [light] })
  const when = [{ device: home.id('study-light'), state: 'on', is: true }]
  await new RuleCalls(home, 'automation').create({ name: 'Thing', when, then: [light] })
  await new RuleCalls(home, 'schedule').create({ name: 'Thing', at: { time: '07:00' }, then: [light] })
  const { file } = await home.running.admin.call<{ file: string }>('GET', '/house/file')
  return file
    .replaceAll(/(name: )/g, '$1New ')
    .replaceAll(/(address: )(\d+)/g, (_, key, at) => `${key}${Number(at) ^ 1}`)
}

proves(
  'storage.one-transaction',
  'a kill inside the import of a house leaves the previous house',
  { tags: ['long'] },
  async () => {
    const home = await open()
    const file = await twoHomes(home)
    const before = homeIn(home.running.gateway.stores.core)
    const change = () => home.running.admin.call('PUT', '/house/file', { file })
    const { left, after } = await leftAtRows(home, change, homeIn, times(12, 1))
    expect(left.length).toBeGreaterThan(times(10, 100))
    expect(new Set(left)).toEqual(new Set([before]))
    expect(after).toContain('New Thing')
    expect(after).not.toContain('"Thing"')
  },
)

test('a process killed inside the import leaves the previous house too', { tags: ['long'] }, async () => {
  const home = await open()
  const file = join(tempFolder(), 'house.yaml')
  writeFileSync(file, await twoHomes(home))
  const { core } = home.running.gateway.stores
  const before = homeIn(core)
  const child = (database: string, rows: number) => {
    const args = ['--disable-warning=ExperimentalWarning', CHILD, database, file]
    const env = { ...process.env, ...COMPILED }
    return spawnSync(process.execPath, [...args, String(rows)], { encoding: 'utf8', env })
  }
  for (let turn = 0; turn < times(1, 20); turn++) {
    const database = copyLeftByKill(core.db, tempFolder())
    const { signal, stderr } = child(database, 90 - turn * 4)
    expect([signal, stderr]).toEqual(['SIGKILL', ''])
    expect(readLeft(database, homeIn)).toBe(before)
  }
})

const ENDS: readonly (readonly [string, (home: TestHome, who: TestIntegration) => Promise<unknown>])[] = [
  [
    'allow_unlock goes off',
    ({ running }, { id }) => running.admin.call('PATCH', `/integrations/${id}`, { settings: { allow_unlock: 'off' } }),
  ],
  [
    'an integration is disabled',
    ({ running }, { id }) => running.admin.call('PATCH', `/integrations/${id}`, { enabled: false }),
  ],
  ['an integration is deleted', ({ running }, { id }) => running.admin.call('DELETE', `/integrations/${id}`)],
  ['a key is revoked', ({ running }, { link }) => running.admin.call('DELETE', `/keys/${link}`)],
]

const accessIn = (who: TestIntegration) => (core: CoreDb) => ({
  access: core.db
    .prepare(
      `SELECT i.enabled, i.knobs, c.revoked_at IS NULL AS alive FROM integrations i JOIN credentials c ON c.integration = i.id
      WHERE c.link = ?`,
    )
    .get(who.link),
  rules: (['automation', 'schedule'] as const).flatMap((kind) =>
    new SqliteRules(core)
      .all(kind)
      .filter(({ author }) => author?.link === who.link)
      .map(({ enabled }) => enabled),
  ),
})

proves(
  'storage.one-transaction',
  'a kill during the removal of a permission to open leaves the permission, or nothing that opens',
  async () => {
    const home = await open()
    for (const [how, end] of casesOf(ENDS, 2)) {
      const who = await home.integrate({ settings: { allow_unlock: 'on', automations: 'on', schedules: 'on' } })
      const then = [{ device: home.id('driveway-gate', who), op: 'open' }]
      const when = [{ device: home.id('study-light', who), state: 'on', is: true }]
      await new RuleCalls(home, 'automation', who).create({ name: 'Opens', when, then })
      await new RuleCalls(home, 'schedule', who).create({ name: 'Opens', at: { time: '07:00' }, then })
      const read = accessIn(who)
      const before = read(home.running.gateway.stores.core)
      const { left, after } = await leftAtRows(home, () => end(home, who), read)
      expect(left.length, how).toBeGreaterThan(2)
      for (const state of left) expect(state, how).toEqual(before)
      expect(before.rules, how).toEqual([true, true])
      expect(after.rules, how).toEqual([false, false])
      expect(after.access, how).not.toEqual(before.access)
    }
  },
)
