import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { listBackups, openedGateway, setRecoveryPhrase } from '#support/faults/backups.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestOperator } from '#support/operations/test-operator.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

const hmbIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.hmb'))

proves(
  'backup.whole',
  'a backup is listed with its contents, is private, and leaves no other files',
  { tags: ['long'] },
  async () => {
    const running = await openedGateway()
    await running.admin.call('POST', '/integrations', { name: 'Dashboard' })
    const { out } = await hm(running.dataDir, 'backup')
    const [, name = ''] = /^Wrote .*\/(home-\S+-asked\.hmb) \(\d+ KiB\), opened and checked\.\n$/.exec(out) ?? []
    const file = join(running.dataDir, 'backups', name)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { state, backups } = await listBackups(running)
    expect(state).toMatchObject({ last: { name }, error: null })
    expect(backups).toMatchObject([
      {
        name,
        why: 'asked',
        encrypted: false,
        contents: { home: 'Sonnenwinkel', history: false, counts: { integrations: 1 } },
      },
    ])
    expect(await running.admin.call('POST', `/backups/${name}/check`)).toMatchObject({
      contents: { home: 'Sonnenwinkel' },
    })
    expect((await hm(running.dataDir, 'backup', 'list')).out).toContain(`${name}  `)
    expect((await hm(running.dataDir, 'backup', 'check', file)).out).toContain('is complete: Sonnenwinkel, ')
    expect(readdirSync(running.dataDir).filter((file) => /work|check/.test(file))).toEqual([])
    expect(hmbIn(join(running.dataDir, 'backups'))).toEqual([name])
  },
)

proves(
  'backup.faults',
  'an invalid or unreadable file is listed with the reason, and does not hide the others',
  { tags: ['long'] },
  async () => {
    const running = await openedGateway()
    const { serial } = running.gateway.stores
    const backups = join(running.dataDir, 'backups')
    const name = (day: number): string => `home-2026-01-0${day}T00-00-00Z-${serial}.hmb`
    await hm(running.dataDir, 'backup')
    writeFileSync(join(backups, name(1)), 'holiday pictures')
    // Even root cannot read this file.
    symlinkSync('/proc/self/mem', join(backups, name(2)))
    const { backups: all } = await listBackups(running)
    expect(all.map(({ unreadable }) => unreadable)).toEqual([
      null,
      'It cannot be read: the disk fails.',
      expect.stringContaining('This is not a backup of a home'),
    ])
    expect((await hm(running.dataDir, 'backup', 'list')).out).toContain('This is not a backup of a home')
  },
)

proves(
  'backup.retention',
  'simultaneous requests make separate backups; too many are refused; a wrong clock hides none',
  { tags: ['long'] },
  async () => {
    const running = await openedGateway()
    using operator = await TestOperator.of(running, 'backup')
    const backups = join(running.dataDir, 'backups')
    const { serial } = running.gateway.stores
    // A clock that ran ahead dated this backup.
    const ahead = `home-2099-01-01T00-00-00Z-${serial}-asked.hmb`
    await hm(running.dataDir, 'backup', '--to', join(backups, ahead))
    // Every request has its own connection.
    const requests = Array.from({ length: 6 }, (_, index) =>
      operator.ask('/admin/v1/backups', { method: 'POST', body: {}, from: `127.0.0.${index + 2}` }),
    )
    const answers = await Promise.all(requests)
    const busy = answers.filter(({ status }) => status !== 200)
    expect(busy.length).toBeGreaterThan(0)
    for (const { status, body } of busy)
      expect({ status, body }).toMatchObject({ status: 503, body: { error: { code: 'overloaded' } } })
    const names = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => (body as { backup: { name: string } }).backup.name)
    expect(new Set(names).size).toBe(names.length)
    expect(hmbIn(backups)).toEqual(expect.arrayContaining([...names, ahead]))
    for (const name of names) expect(name).toContain('-operator')
    expect((await listBackups(running)).state.last?.name).toBe(names.at(-1))
  },
)

/** From now on, the disk flips one bit of an unfinished backup when it is synced. */
async function flipping(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  const disk = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const { sync } = disk
  const spy = vi.spyOn(disk, 'sync').mockImplementation(async function (this: FileHandle) {
    await sync.call(this)
    for (const name of readdirSync(folder).filter((file) => file.startsWith('.hm-backup-'))) {
      const bytes = readFileSync(join(folder, name))
      const middle = Math.floor(bytes.length / 2)
      bytes[middle] = (bytes[middle] ?? 0) ^ 1
      writeFileSync(join(folder, name), bytes)
      spy.mockRestore()
    }
  })
  onTestFinished(() => spy.mockRestore())
}

proves(
  'backup.whole',
  'a backup that differs from the written bytes never gets its name, and the failure is reported',
  { tags: ['long'] },
  async () => {
    const running = await openedGateway(ONE_UNIT)
    const folder = tempFolder()
    const failure = /^The backup .+\.hmb could not be written: This backup is damaged: its content has changed\./
    await flipping(folder)
    const file = join(folder, 'home.hmb')
    expect(await hm(running.dataDir, 'backup', '--to', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(failure) as string,
    })
    expect(readdirSync(folder)).toEqual([])
    expect((await hm(running.dataDir, 'backup')).code).toBe(0)
    const backups = join(running.dataDir, 'backups')
    const before = hmbIn(backups)
    await flipping(backups)
    expect((await hm(running.dataDir, 'backup')).err).toMatch(failure)
    expect(hmbIn(backups)).toEqual(before)
    expect(readdirSync(backups).filter((name) => name.startsWith('.'))).toEqual([])
    expect(await hm(running.dataDir, 'backup', '--to', file)).toMatchObject({ code: 0 })
  },
)

proves(
  'backup.whole',
  'the history is included on request, and an existing file stays unchanged',
  { tags: ['long'] },
  async () => {
    const running = await openedGateway()
    const file = join(tempFolder(), 'mine.hmb')
    expect((await hm(running.dataDir, 'backup', '--to', file, '--history')).out).toContain(
      'has the private key of the CA',
    )
    const checked = await hm(running.dataDir, 'backup', 'check', file)
    expect(checked.out).toContain('with history')
    const before = readFileSync(file)
    expect((await hm(running.dataDir, 'backup', '--to', file)).err).toContain('it exists already')
    expect(readFileSync(file).equals(before)).toBe(true)
    expect((await hm(running.dataDir, 'backup', '--to', join(file, 'x'))).err).toContain('could not be written')
    // A pipe is refused at once.
    const pipe = join(tempFolder(), 'pipe.hmb')
    spawnSync('mkfifo', [pipe])
    expect((await hm(running.dataDir, 'backup', 'check', pipe)).code).toBe(3)
    expect((await hm(running.dataDir, 'backup', '--to', pipe)).err).toContain('it exists already')
  },
)

proves(
  'backup.encrypted',
  'backups stay in the data folder until there is a phrase, and then go to the other folder encrypted',
  { tags: ['long'] },
  async () => {
    const backupDir = tempFolder()
    const running = await openedGateway({ backupDir })
    const first = await hm(running.dataDir, 'backup')
    expect(first.out).toContain('create a recovery phrase with `bin/hm backup phrase`')
    expect(hmbIn(backupDir)).toEqual([])
    expect((await listBackups(running)).state.error?.what).toContain('Backups stay in')
    const phrase = await setRecoveryPhrase(running)
    expect((await hm(running.dataDir, 'backup')).out).toContain(`Wrote ${backupDir}/home-`)
    const [name = ''] = hmbIn(backupDir)
    const { state, backups } = await listBackups(running)
    expect(state.error).toBeNull()
    expect(backups.map(({ encrypted }) => encrypted)).toEqual([true, false])
    expect(backups[0]?.contents).toMatchObject({ home: 'Sonnenwinkel' })
    expect(readFileSync(join(backupDir, name)).includes('Sonnenwinkel')).toBe(false)
    // Another machine needs the phrase.
    const elsewhere = tempFolder()
    const phraseFile = join(tempFolder(), 'phrase')
    writeFileSync(phraseFile, `${phrase}\n`)
    const check = ['backup', 'check', join(backupDir, name)]
    expect(await hm(elsewhere, ...check)).toMatchObject({
      code: 7,
      err: expect.stringContaining('is encrypted') as string,
    })
    expect((await hm(elsewhere, ...check, '--phrase-file', phraseFile)).out).toContain('is complete: Sonnenwinkel')
    // A wrong phrase is refused although this home has the right key.
    const wrong = join(tempFolder(), 'phrase')
    writeFileSync(wrong, `${'abandon '.repeat(11)}about\n`)
    expect(await hm(running.dataDir, ...check, '--phrase-file', wrong)).toMatchObject({ code: 8 })
    expect((await hm(running.dataDir, ...check, '--phrase-file', phraseFile)).code).toBe(0)
    expect((await hm(running.dataDir, ...check)).code).toBe(0)
    expect(readFileSync(join(running.dataDir, 'backup.json'), 'utf8')).not.toContain(phrase.split(' ')[0])
  },
)

proves('backup.encrypted', 'a phrase is valid once two of its words were typed again', { tags: ['long'] }, async () => {
  const running = await openedGateway()
  const { words, asked } = await running.admin.call<{ words: string[]; asked: number[] }>('POST', '/backups/phrase')
  expect(words).toHaveLength(12)
  const right = asked.map((place) => words[place - 1]!)
  const confirm = (typed: readonly string[]): Promise<object> =>
    running.admin.call('POST', '/backups/phrase/confirm', { words: typed })
  await expect(confirm([right[1]!, 'zebra'])).rejects.toThrow(`not words ${asked.join(' and ')} of the phrase`)
  expect((await listBackups(running)).state).toMatchObject({ phraseSince: null })
  await confirm(right.map((word) => ` ${word.toUpperCase()}`))
  expect((await listBackups(running)).state).toMatchObject({ phraseSince: expect.any(Number) as number })
  await expect(confirm(right)).rejects.toThrow('No recovery phrase waits')
})
