// @module-tag repeated
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { BackupSettings } from '../../src/backup/keeping/backup-settings.ts'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { decideRestore } from '../../src/backup/restoring/restore.ts'
import { finishSwap, presentPaths } from '../../src/backup/restoring/restore-swap.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openedGateway } from '#support/faults/backups.ts'
import { configurationRows } from '#support/faults/lived-home.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** `npm test` interrupts a restore before every second rename, the long run before each. */
const EVERY_RENAME = times(2, 1)

interface BackedUpHome {
  readonly dataDir: string
  readonly file: string
  readonly surviving: TestIntegration
  readonly revoked: TestIntegration
  readonly later: TestIntegration
  readonly ca: string
}

/** Makes a home and a backup of it, revokes one key, makes another one, and stops the gateway. */
async function backedUpHome(): Promise<BackedUpHome> {
  const folder = mkdtempSync(join(tmpdir(), 'hm-lived-'))
  await using running = await TestGateway.open()
  const home = await TestHome.at('http', running)
  const revoked = await home.integrate({})
  const [anna, ben] = [await personOf(running, 'Anna'), await personOf(running, 'Ben')]
  const { core, persons } = running.gateway.stores
  core.change(() => persons.setPassword(anna, 'of then'))
  const file = join(folder, 'home.hmb')
  await running.admin.call('POST', '/backups/write', { file })
  await running.admin.call('DELETE', `/keys/${revoked.link}`)
  await running.admin.call('DELETE', `/persons/${ben}`)
  await personOf(running, 'Cleo')
  core.change(() => persons.setPassword(anna, 'of now'))
  const later = await home.integrate({})
  await running.stop()
  const dataDir = join(folder, 'data')
  cpSync(running.dataDir, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return { dataDir, file, surviving: home.main, revoked, later, ca: readFileSync(join(dataDir, 'tls/ca.pem'), 'utf8') }
}

function phraseOf(settings: string, since: number): Promise<void> {
  const key = { salt: Buffer.alloc(16, 1), log2: 15, secret: Buffer.alloc(64, 2) }
  return new BackupSettings(settings, silentLog).setKey(key, since)
}

async function personOf(running: TestGateway, name: string): Promise<string> {
  return (await running.admin.call<{ person: { id: string } }>('POST', '/persons', { name })).person.id
}

async function statusOf(dataDir: string, who: readonly TestIntegration[]): Promise<readonly number[]> {
  await using running = await TestGateway.open({ dataDir, settled: false })
  const home = await TestHome.at('http', running, who[0])
  const statuses: number[] = []
  for (const { token } of who) statuses.push((await home.call({ method: 'GET', path: '/v1/house', token })).status)
  return statuses
}

describe('a restored home', async () => {
  const original = await backedUpHome()
  const { file, surviving, revoked, later } = original
  afterAll(() => rmSync(dirname(file), { recursive: true }))

  /** A fresh copy of the data folder. */
  function again(): string {
    const dataDir = tempFolder()
    cpSync(original.dataDir, dataDir, { recursive: true })
    return dataDir
  }

  proves(
    'backup.restore',
    'is described before the restore: its contents, and the keys that end or could be revived',
    { tags: ['long'] },
    async () => {
      const dataDir = again()
      const before = readFileSync(join(dataDir, 'core.db'))
      const { out } = await hm(dataDir, 'restore', file, '--check')
      expect(out).toMatch(
        /^It holds: Sonnenwinkel, \d{4}-\d\d-\d\d \d\d:\d\d UTC, 2 persons, 2 integrations, 2 keys and agents, without history\.$/m,
      )
      expect(out).toMatch(/^Revoked after the backup, and would stay revoked: \S+ \(.+\)\.$/m)
      expect(out).toMatch(/^Newer than the backup, and would stop working: \S+ \(.+\)\.$/m)
      // Ben was removed after the backup and stays removed.
      expect(out).toMatch(/^People with an account: Anna\.$/m)
      expect(out).toMatch(/^With the password of the backup, not a later one: Anna\.$/m)
      expect(out).toMatch(/^Added after the backup, and missing afterwards: Cleo\.$/m)
      expect(out).toMatch(/^There is no recovery phrase afterwards: /m)
      expect(out).toMatch(/would move to before-restore-\S+ in the data folder\.$/m)
      expect(readFileSync(join(dataDir, 'core.db')).equals(before)).toBe(true)
      expect(readdirSync(dataDir).filter((name) => /restor|work|check/.test(name))).toEqual([])
    },
  )

  proves(
    'backup.restore',
    'is as it was at the backup, revives no key, and keeps the former files aside',
    { tags: ['long'] },
    async () => {
      const dataDir = again()
      const { out } = await hm(dataDir, 'restore', file)
      expect(out).toContain('Start the gateway: clients still trust it.')
      expect(await statusOf(dataDir, [surviving, revoked, later])).toEqual([200, 401, 401])
      const aside = readdirSync(dataDir).find((name) => name.startsWith('before-restore-')) ?? ''
      expect(configurationRows(join(dataDir, aside, 'core.db'))).toEqual(
        configurationRows(join(original.dataDir, 'core.db')),
      )
      expect(readFileSync(join(dataDir, 'tls/ca.pem'), 'utf8')).toBe(original.ca)
      await using running = await openedGateway({ dataDir })
      expect((await hm(dataDir, 'status')).out).toMatch(
        /The home was restored from the backup of .* UTC\. Later changes are lost/,
      )
      expect(running.gateway.stores.history.activity.newestOfOutbox()).toBeGreaterThan(0)
      // One incident is enough, although the history knows later changes.
      expect(running.gateway.stores.incidents.list()).toMatchObject([
        { what: expect.stringContaining('restored from the backup of') as string },
      ])
      expect(existsSync(join(dataDir, 'just-restored'))).toBe(false)
    },
  )

  proves('backup.restore', 'revives ended keys on request', { tags: ['long'] }, async () => {
    const dataDir = again()
    expect((await hm(dataDir, 'restore', file, '--revive')).out).toContain('Revoked after the backup, and work again:')
    expect(await statusOf(dataDir, [surviving, revoked, later])).toEqual([200, 200, 401])
  })

  proves('backup.pinned', 'is the same on an empty machine, with the same CA', async () => {
    const dataDir = join(tempFolder(), 'new')
    const { out } = await hm(dataDir, 'restore', file)
    expect(out).toContain('keys that were revoked later are unknown')
    expect(await statusOf(dataDir, [surviving, later])).toEqual([200, 401])
    expect(readFileSync(join(dataDir, 'tls/ca.pem'), 'utf8')).toBe(original.ca)
  })

  proves('backup.restore', 'is the old one or the new one after a kill at any rename', { tags: ['long'] }, async () => {
    const after: string[] = []
    for (let renames = 0; renames < 40; renames += EVERY_RENAME) {
      const dataDir = again()
      const folder = prepareDataFolder(dataDir)
      await decideRestore({ folder, file, phrase: null, revive: false, now: 1_800_000_000_000 }, () => {})
      let renamesLeft = renames
      const killed = (from: string, to: string): void => {
        if (renamesLeft === 0) throw new Error('killed')
        renamesLeft -= 1
        renameSync(from, to)
      }
      const done = await finishSwap(folder, killed).catch(() => false)
      if (!done) await finishSwap(folder)
      expect(existsSync(join(dataDir, 'restoring.json'))).toBe(false)
      expect(existsSync(join(dataDir, 'restored'))).toBe(false)
      after.push(
        JSON.stringify([...configurationRows(join(dataDir, 'core.db'))]) + readdirSync(dataDir).toSorted().join(),
      )
      expect(existsSync(join(dataDir, 'before-restore-2027-01-15T08-00-00', 'core.db'))).toBe(true)
      if (done) break
    }
    expect(after.length).toBeGreaterThan(5)
    expect(new Set(after).size).toBe(1)
    // An undecided restore leaves only files that the next start removes.
    const dataDir = again()
    const folder = prepareDataFolder(dataDir)
    cpSync(join(dataDir, 'tls'), folder.restored, { recursive: true })
    await finishSwap(folder)
    expect(configurationRows(join(dataDir, 'core.db'))).toEqual(configurationRows(join(original.dataDir, 'core.db')))
    expect(existsSync(folder.restored)).toBe(false)
  })

  proves('backup.restore', 'stays unchanged if restored files are missing, and the reason is reported', async () => {
    const dataDir = again()
    const folder = prepareDataFolder(dataDir)
    await decideRestore({ folder, file, phrase: null, revive: false, now: 1_800_000_000_000 }, () => {})
    const from = readdirSync(dataDir).find((name) => name.startsWith('restored-')) ?? ''
    rmSync(join(dataDir, from), { recursive: true })
    await expect(finishSwap(folder)).rejects.toThrow('A restore was begun and cannot be finished: ')
    expect(configurationRows(join(dataDir, 'core.db'))).toEqual(configurationRows(join(original.dataDir, 'core.db')))
    writeFileSync(folder.restoring, '{}')
    await expect(finishSwap(folder)).rejects.toThrow('its note')
  })

  proves('backup.restore', 'also keeps copies aside that were made after the decision', async () => {
    const dataDir = again()
    const folder = prepareDataFolder(dataDir)
    await decideRestore({ folder, file, phrase: null, revive: false, now: 1_800_000_000_000 }, () => {})
    const copy = 'core-000999-2027-01-15T08-00-01Z.db'
    cpSync(join(dataDir, 'core.db'), join(dataDir, 'backups', copy))
    await finishSwap(folder)
    expect(existsSync(join(dataDir, 'backups', copy))).toBe(false)
    expect(existsSync(join(dataDir, 'before-restore-2027-01-15T08-00-00', 'backups', copy))).toBe(true)
  })

  proves(
    'backup.restore',
    'leaves other files in place, and separates two restores of one second',
    { tags: ['long'] },
    async () => {
      const dataDir = again()
      const otherFile = join(dataDir, 'backups', 'core-before holidays.db')
      writeFileSync(otherFile, 'mine')
      const folder = prepareDataFolder(dataDir)
      for (let turn = 0; turn < 2; turn += 1) {
        await decideRestore({ folder, file, phrase: null, revive: false, now: 1_800_000_000_000 }, () => {})
        expect(await finishSwap(folder)).toBe(true)
      }
      expect(readFileSync(otherFile, 'utf8')).toBe('mine')
      expect(readdirSync(dataDir).filter((name) => name.startsWith('before-restore-'))).toEqual([
        'before-restore-2027-01-15T08-00-00',
        'before-restore-2027-01-15T08-00-00-2',
      ])
    },
  )

  proves(
    'backup.encrypted',
    'keeps its present recovery phrase, or else has the phrase of the backup, and says which',
    { tags: ['long'] },
    async () => {
      const dataDir = again()
      const settings = prepareDataFolder(dataDir).backupSettings
      await phraseOf(settings, 1_700_000_000_000)
      expect((await hm(dataDir, 'restore', file)).out).toContain(
        'The present recovery phrase, made on 2023-11-14, stays.',
      )
      expect(new BackupSettings(settings, silentLog).phraseSince).toBe(1_700_000_000_000)
      const later = join(tempFolder(), 'later.hmb')
      {
        await using _running = await openedGateway({ dataDir })
        await hm(dataDir, 'backup', '--to', later, '--plain')
      }
      await phraseOf(settings, 1_800_000_000_000)
      expect((await hm(dataDir, 'restore', later, '--check')).out).toContain(
        'The present recovery phrase, made on 2027-01-15, stays.',
      )
      const empty = join(tempFolder(), 'new')
      expect((await hm(empty, 'restore', later)).out).toContain(
        'The recovery phrase of the backup, made on 2023-11-14, applies again:',
      )
      expect(new BackupSettings(prepareDataFolder(empty).backupSettings, silentLog).phraseSince).toBe(1_700_000_000_000)
    },
  )

  proves('backup.faults', 'stays unchanged if the backup is unusable', async () => {
    const dataDir = again()
    const bytes = readFileSync(file)
    const brought = join(tempFolder(), 'brought.hmb')
    const tries = [
      [bytes.subarray(0, bytes.length / 2), 5, 'ends too early'],
      [Buffer.concat([bytes.subarray(0, 5_000), Buffer.alloc(1, 7), bytes.subarray(5_001)]), 6, 'damaged'],
      [Buffer.from('something else'), 3, 'is not a backup'],
    ] as const
    for (const [content, code, sentence] of tries) {
      writeFileSync(brought, content)
      const run = await hm(dataDir, 'restore', brought)
      expect(run).toMatchObject({ code, out: '', err: expect.stringContaining(sentence) as string })
    }
    expect((await hm(dataDir, 'restore', join(dataDir, 'none.hmb'))).err).toContain('there is no such file')
    expect(configurationRows(join(dataDir, 'core.db'))).toEqual(configurationRows(join(original.dataDir, 'core.db')))
    expect(readdirSync(dataDir).filter((name) => /restor|work|check/.test(name))).toEqual([])
  })
})

proves('backup.restore', 'a running gateway restores a backup by a restart', { tags: ['long'] }, async () => {
  const restarted = Promise.withResolvers<void>()
  await using running = await TestGateway.open({ restart: () => restarted.resolve() })
  const home = await TestHome.at('http', running)
  const backup = await hm(running.dataDir, 'backup')
  const name = /(home-\S+\.hmb)/.exec(backup.out)?.[1] ?? ''
  const later = await home.integrate({})
  const restored = running.admin.call('POST', `/backups/${name}/restore`, {})
  expect(await restored).toMatchObject({ restarts: true, lost: [{ link: later.link }] })
  // Until the restart, no other restore is decided and the decided one stays.
  const cut = join(tempFolder(), 'cut.hmb')
  writeFileSync(cut, readFileSync(join(running.dataDir, 'backups', name)).subarray(0, 5_000))
  await expect(running.admin.call('POST', '/restore', { file: cut })).rejects.toThrow('Another restore has begun')
  // Credentials that end before the restart stay ended.
  await running.admin.call('DELETE', `/keys/${home.main.link}`)
  await running.hasten(restarted.promise)
  await running.stop()
  expect(await finishSwap(prepareDataFolder(running.dataDir))).toBe(true)
  expect(await statusOf(running.dataDir, [home.main, later])).toEqual([401, 401])
})

proves(
  'backup.restore',
  'only the first start names a folder with backups that could be restored',
  { tags: ['long'] },
  async () => {
    const backupDir = tempFolder()
    writeFileSync(join(backupDir, 'home-2026-11-23T03-10-07Z-abcdefghijkm.hmb'), '')
    await using running = await TestGateway.open({ backupDir, settled: false })
    expect(running.gateway.backupsFound).toBe(backupDir)
    await running.stop()
    await using again = await TestGateway.open({ backupDir, dataDir: running.dataDir, settled: false })
    expect(again.gateway.backupsFound).toBeNull()
  },
)

test('a restored history takes over no entries that a killed gateway left beside the former one', () => {
  const folder = prepareDataFolder(tempFolder())
  for (const part of ['', '-rows']) writeFileSync(folder.historyDb + part, '')
  const of = (history: boolean): string[] => presentPaths(folder, { history, relay: false, settings: false })
  expect(of(true)).toEqual(['history.db', 'history.db-rows'])
  expect(of(false)).toEqual([])
})
