import Database from 'better-sqlite3'
import { chownSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUpBeforeUpdate } from '../../src/backup/keeping/before-update.ts'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { schemaVersionOf } from '../../src/db/core/at-rest.ts'
import { NEWEST_SCHEMAS } from '../../src/db/database.ts'
import { listBackups } from '#support/faults/backups.ts'
import { hm } from '#support/gateway/cli.ts'
import { recordingLog } from '#support/recording-log.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway, type TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Changes the version number of a database, and its tables by `change`. */
function ofVersion(file: string, version: number, change: (db: Database.Database) => void = () => {}): void {
  const db = new Database(file)
  change(db)
  db.pragma(`user_version = ${version}`)
  db.close()
}

const TRIGGERS_SINCE_17 = [
  ...['presence_of_person', 'scene_ended', 'group_ended', 'rule_ended', 'asked_by_credential', 'asked_by_member'],
]
const SINCE_17 = [
  'ended_revisions',
  ...['ended_agent_sessions', 'agent_session_key', 'doubts', 'operators', 'device_groups'],
  ...[
    'messages',
    'deliveries',
    'webhooks',
    'push_subscriptions',
    'push_key',
    'tablet_pins',
    'modes',
    'held_mode',
    'presence',
    'rule_switch_ends',
  ],
  ...['calendars', 'calendar_readings'],
]

/** Removes the tables and columns that came after version 17 of the configuration. */
function backTo17(db: Database.Database): void {
  for (const trigger of TRIGGERS_SINCE_17) db.exec(`DROP TRIGGER IF EXISTS ${trigger}`)
  for (const table of SINCE_17) db.exec(`DROP TABLE IF EXISTS ${table}`)
  dropColumns(db, 'home', (name) => name.startsWith('quiet_'))
  dropColumns(db, 'rule_runs', (name) => name === 'place' || name === 'trigger')
  dropColumns(db, 'rule_holds', (name) => name === 'cause')
  dropColumns(db, 'integrations', (name) => ['people', 'reports', 'until', 'hours', 'kind', 'opening'].includes(name))
  dropColumns(db, 'console_sessions', (name) => name === 'integration')
  dropColumns(db, 'persons', (name) => ['integration', 'two_factors'].includes(name))
}

function dropColumns(db: Database.Database, table: string, isNew: (name: string) => boolean): void {
  const columns = db.pragma(`table_info(${table})`) as readonly { readonly name: string }[]
  for (const { name } of columns) if (isNew(name)) db.exec(`ALTER TABLE ${table} DROP COLUMN ${name}`)
}

const beforeUpdate = (dataDir: string): string[] =>
  readdirSync(join(dataDir, 'backups')).filter((name) => name.includes('-before-update'))

const start = (dataDir: string, parts: TestGatewayOptions = {}): Promise<TestGateway> =>
  TestGateway.open({ dataDir, settled: false, ...parts })

proves(
  'backup.before-update',
  'an update makes a backup first, to which the earlier program can go back',
  { tags: ['long'] },
  async () => {
    const dataDir = tempFolder()
    const core = join(dataDir, 'core.db')
    let key = ''
    {
      await using running = await start(dataDir)
      key = (await TestHome.at('http', running)).main.token
    }
    expect(beforeUpdate(dataDir)).toEqual([])
    // The version before operator tokens had these tables.
    ofVersion(core, 17, backTo17)
    {
      const [log, updates] = [recordingLog(), [] as string[]]
      await using running = await start(dataDir, { log, updating: () => updates.push('waits') })
      expect(updates).toEqual(['waits'])
      expect(
        log.sentences('warn').filter((sentence) => sentence.startsWith('This version changes the databases')),
      ).toEqual([
        'This version changes the databases, after a backup. With a large history that takes minutes.',
        expect.stringContaining('A backup was made first') as string,
      ])
      expect(beforeUpdate(dataDir)).toHaveLength(1)
      const { version } = await running.admin.call<{ version: string }>('GET', '/about')
      const backup = (await listBackups(running)).backups.find(({ why }) => why === 'before-update')
      expect(backup).toMatchObject({ contents: { program: version } })
      await running.admin.call('POST', '/integrations', { name: 'Since the update' })
    }
    const [name = ''] = beforeUpdate(dataDir)
    expect((await hm(dataDir, 'backup', 'check', join(dataDir, 'backups', name))).out).toContain(
      'is complete: Sonnenwinkel',
    )
    expect(await rolledBack(dataDir)).toContain(
      'The databases have the form of this version, so there is nothing to roll back.',
    )

    // A newer version changed both databases.
    ofVersion(core, NEWEST_SCHEMAS.core + 1)
    ofVersion(join(dataDir, 'history.db'), NEWEST_SCHEMAS.history + 1)
    await expect(start(dataDir)).rejects.toThrow('or run `bin/hm rollback`')
    expect((await hm(dataDir, 'rollback', '--check')).out).toContain('It holds: Sonnenwinkel')
    await expect(start(dataDir)).rejects.toThrow('or run `bin/hm rollback`')
    expect((await hm(dataDir, 'rollback')).out).toContain('moved to before-restore-')
    await using running = await start(dataDir)
    const home = await TestHome.at('http', running)
    expect((await home.call({ method: 'GET', path: '/v1/house', token: key })).status).toBe(200)
    const { integrations } = await running.admin.call<{ integrations: { name: string }[] }>('GET', '/integrations')
    expect(integrations.map(({ name: integration }) => integration)).not.toContain('Since the update')
  },
)

async function rolledBack(dataDir: string, ...words: readonly string[]): Promise<string> {
  try {
    return (await hm(dataDir, 'rollback', ...words)).out
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

proves(
  'backup.before-update',
  'repeated failing starts keep the way back, even within one second',
  { tags: ['long'] },
  async () => {
    const dataDir = tempFolder()
    await (await start(dataDir)).stop()
    const core = join(dataDir, 'core.db')
    const folder = prepareDataFolder(dataDir)
    const failing = {
      folder,
      clock: { ...systemClock, now: () => 1_790_000_000_000 },
      random: systemRandom,
      log: silentLog,
      program: '1.1.0',
    }
    ofVersion(core, 16, backTo17)
    await backUpBeforeUpdate(failing)
    const [oldest] = beforeUpdate(dataDir)
    ofVersion(core, 17)
    for (let starts = 0; starts < 5; starts += 1) await backUpBeforeUpdate(failing)
    // Backups of one second are numbered: the last one has the highest number.
    expect(beforeUpdate(dataDir)).toHaveLength(2)
    expect(beforeUpdate(dataDir)).toContain(oldest)
  },
)

proves('backup.before-update', 'without a backup from before the update, a rollback names other ways', async () => {
  const dataDir = tempFolder()
  await (await start(dataDir)).stop()
  for (const name of readdirSync(join(dataDir, 'backups'))) rmSync(join(dataDir, 'backups', name))
  ofVersion(join(dataDir, 'core.db'), NEWEST_SCHEMAS.core + 1)
  expect(await rolledBack(dataDir)).toContain('Start the newer hm-gateway, or restore another backup by')
})

/** Cuts a file, or flips a bit in its middle. */
function spoil(file: string, how: 'cut' | 'damaged'): void {
  const bytes = readFileSync(file)
  const middle = Math.floor(bytes.length / 2)
  if (how === 'damaged') bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(file, how === 'cut' ? bytes.subarray(0, middle) : bytes)
}

proves(
  'backup.before-update',
  'a rollback skips damaged backups, names them, and takes the next sound one',
  { tags: ['long'] },
  async () => {
    const dataDir = tempFolder()
    const core = join(dataDir, 'core.db')
    await (await start(dataDir)).stop()
    const nights = await requestedBackup(dataDir)
    const before = { folder: prepareDataFolder(dataDir), random: systemRandom, log: silentLog, program: '1.1.0' }
    const made: string[] = []
    for (const [version, now] of [
      [17, 1_790_000_000_000],
      [16, 1_790_000_060_000],
      [15, 1_790_000_120_000],
    ] as const) {
      ofVersion(core, version, backTo17)
      await backUpBeforeUpdate({ ...before, clock: { ...systemClock, now: () => now } })
      made.unshift(...beforeUpdate(dataDir).filter((name) => !made.includes(name)))
    }
    const [newest = '', middle = '', oldest = ''] = made.map((name) => join(dataDir, 'backups', name))
    ofVersion(core, NEWEST_SCHEMAS.core + 1)
    spoil(newest, 'damaged')
    spoil(middle, 'cut')
    const passed = [
      `Skipped: ${newest}. This backup is damaged: its content has changed. Copy it again, or take another one.`,
      expect.stringContaining(`Skipped: ${middle}. This backup ends too early: `) as string,
      expect.stringMatching(/^It holds: Sonnenwinkel, 2026-09-21 /) as string,
    ]
    expect((await rolledBack(dataDir, '--check')).split('\n').slice(0, 3)).toEqual(passed)

    // Without a sound one, every damaged backup is named, and another backup that fits.
    const whole = readFileSync(oldest)
    spoil(oldest, 'cut')
    const none = await rolledBack(dataDir)
    for (const file of [newest, middle, oldest]) expect(none).toContain(`${file} cannot be used: This backup `)
    expect(none).toContain(`or restore another backup: \`bin/hm restore ${nights}\`.`)
    expect(schemaVersionOf(core)).toBe(NEWEST_SCHEMAS.core + 1)
    writeFileSync(oldest, whole)
    expect((await rolledBack(dataDir)).split('\n')[2]).toMatch(/^Restored: Sonnenwinkel, 2026-09-21 /)
    expect(schemaVersionOf(core)).toBeLessThanOrEqual(NEWEST_SCHEMAS.core)
  },
)

/** Makes a backup on request. */
async function requestedBackup(dataDir: string): Promise<string> {
  await using _running = await start(dataDir)
  const { out } = await hm(dataDir, 'backup')
  return /^Wrote (\S+\.hmb)/.exec(out)?.[1] ?? ''
}

test.runIf(process.getuid?.() === 0)(
  'only the owner of the data folder may write into it (needs root)',
  { tags: ['long'] },
  async () => {
    const dataDir = tempFolder()
    chownSync(dataDir, 65_534, 65_534)
    expect(await rolledBack(dataDir)).toMatch(/belongs to the user 65534, whose gateway could not open/)
    const file = join(tempFolder(), 'home.hmb')
    const running = await start(tempFolder())
    expect((await hm(running.dataDir, 'backup', '--to', file, '--plain')).err).toBe('')
    await running.stop()
    await expect(hm(dataDir, 'restore', file)).rejects.toThrow('belongs to the user 65534')
    expect(readdirSync(dataDir)).toEqual([])
  },
)
