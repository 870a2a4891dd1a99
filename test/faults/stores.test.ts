// @module-tag repeated
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { casesOf, LONG } from '#support/long.ts'

/** A used home: its name, and a key. */
interface Home {
  readonly folder: string
  readonly serial: string
  readonly token: string
  readonly integration: string
}

let home: Home
let other: Home
const made: string[] = []

async function liveIn(name: string): Promise<Home> {
  const running = await TestGateway.open()
  const folder = join(running.dataDir, '../', `${running.dataDir.split('/').at(-1)}-kept`)
  await running.admin.call('PATCH', '/home', { name })
  const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Panel' })) as {
    integration: { id: string }
  }
  const { token } = (await running.admin.call('POST', '/keys', { integration: integration.id })) as { token: string }
  const backups = join(running.dataDir, 'backups')
  // The first start's copy is made meanwhile; this one is a day old.
  while (readdirSync(backups).filter((file) => file.endsWith('.db')).length === 0) await wait(5)
  await running.admin.call('POST', '/backup', { file: join(backups, 'core-900000-2099-01-01T00-00-00.000Z.db') })
  await running.stop()
  cpSync(running.dataDir, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  await running[Symbol.asyncDispose]()
  made.push(folder)
  return { folder, serial: running.gateway.serial, token, integration: integration.id }
}

beforeAll(async () => {
  home = await liveIn('Seeheim')
  other = await liveIn('Elsewhere')
})
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

/** Copies the home's folder and damages the copy. */
function damaged(damage: (folder: string) => void): string {
  const folder = join(tempFolder(), 'data')
  cpSync(home.folder, folder, { recursive: true })
  // Copied folders get the modes of new ones.
  chmodSync(join(folder, 'tls'), 0o700)
  damage(folder)
  return folder
}

async function open(dataDir: string): Promise<{ running: TestGateway; log: RecordingLog }> {
  const log = recordingLog()
  return { running: await TestGateway.open({ dataDir, settled: false, log }), log }
}

const withKey = (running: TestGateway, path: string): ReturnType<typeof rawRequest> =>
  rawRequest(
    { url: running.url, ca: readFileSync(running.gateway.caFile, 'utf8') },
    { path, headers: { authorization: `Bearer ${home.token}` } },
  )

/** Expects the same home: name, serial, units, and a working key. */
async function expectTheHome(running: TestGateway): Promise<void> {
  expect(running.gateway.serial).toBe(home.serial)
  const answer = await withKey(running, '/v1/house')
  expect(answer).toMatchObject({ status: 200, body: { house: 'Seeheim', gateway: home.serial } })
  expect((answer.body as { floors: unknown[] }).floors).toHaveLength(3)
  expect(running.gateway.home.house.units.size).toBe(34)
}

async function expectTheHomeAt(folder: string): Promise<void> {
  const { running } = await open(folder)
  await using _ = running
  await expectTheHome(running)
}

const coreOf = (folder: string): string => join(folder, 'core.db')

function overwrite(file: string, at: number, bytes: Buffer): void {
  const content = readFileSync(file)
  bytes.copy(content, at)
  writeFileSync(file, content)
}

function flip(file: string, at: number, mask: number): void {
  overwrite(file, at, Buffer.from([(readFileSync(file)[at] ?? 0) ^ mask]))
}

const DAMAGES: readonly (readonly [name: string, damage: (folder: string) => void])[] = [
  ['cut in half', (folder) => truncateSync(coreOf(folder), Math.floor(statSync(coreOf(folder)).size / 2))],
  ['cut within its first page', (folder) => truncateSync(coreOf(folder), 1_000)],
  ['of zeroes', (folder) => writeFileSync(coreOf(folder), Buffer.alloc(statSync(coreOf(folder)).size))],
  ['of 0 bytes', (folder) => writeFileSync(coreOf(folder), '')],
  ['missing', (folder) => rmSync(coreOf(folder))],
  [
    'no database at all',
    (folder) =>
      writeFileSync(coreOf(folder), 'hello, this is a text that somebody saved in the wrong place\n'.repeat(100)),
  ],
  ['with its magic changed', (folder) => flip(coreOf(folder), 3, 0x10)],
  ['with its page size changed', (folder) => flip(coreOf(folder), 16, 0x20)],
  ['with its schema page overwritten', (folder) => overwrite(coreOf(folder), 100, Buffer.alloc(2_000, 0xa5))],
  ['with a page in its middle zeroed', (folder) => overwrite(coreOf(folder), 4_096 * 3, Buffer.alloc(4_096 * 8))],
  ['another home’s', (folder) => copyFileSync(coreOf(other.folder), coreOf(folder))],
  ['a database of something else', (folder) => copyFileSync(join(home.folder, 'history.db'), coreOf(folder))],
]

/** Half of them in `npm test`, with a good copy or without. */
const some = (first: 0 | 2): typeof DAMAGES => casesOf(DAMAGES, 4, first)

test("leftover folders of a killed gateway are removed if they are the gateway's own, and prevent no start", async () => {
  const folderOf = (): string => mkdtempSync(join(tmpdir(), `hm-gateway-${home.serial}-`))
  const [left, theirs] = [folderOf(), folderOf()]
  writeFileSync(join(left, 'core.db'), 'left')
  onTestFinished(() => rmSync(theirs, { recursive: true, force: true }))
  // Only root may change the owner of a folder.
  const isRoot = process.geteuid?.() === 0
  if (isRoot) chownSync(theirs, 65_534, 65_534)
  await expectTheHomeAt(damaged(() => {}))
  expect([existsSync(left), existsSync(theirs)]).toEqual([false, isRoot])
})

describe('a configuration that is', () => {
  test.each(some(0))('%s is put aside, and the newest good copy replaces it', async (name, damage) => {
    const folder = damaged(damage)
    const before = existsSync(coreOf(folder)) ? readFileSync(coreOf(folder)) : null
    const { running, log } = await open(folder)
    await using _ = running
    await expectTheHome(running)
    expect(log.sentences('error')).toContain('The configuration was not usable: the newest good copy took its place.')
    const aside = readdirSync(folder).filter(
      (file) => file.startsWith('core.db.unusable-') && !/-(?:wal|shm)$/.test(file),
    )
    // The old file stays for examination.
    if (before === null) expect([name, aside]).toEqual([name, []])
    else expect(aside.map((file) => readFileSync(join(folder, file)).equals(before))).toEqual([true])
  })

  test.each(some(2))(
    '%s, without a good copy, is refused in one sentence and stays unchanged',
    async (_name, damage) => {
      const folder = damaged((it) => {
        damage(it)
        for (const file of readdirSync(join(it, 'backups'))) writeFileSync(join(it, 'backups', file), 'no copy')
      })
      const before = existsSync(coreOf(folder)) ? readFileSync(coreOf(folder)) : null
      await expect(open(folder)).rejects.toThrow(
        /^The configuration .+core\.db is not usable \(.+\) and there is no good copy in .+backups\. Restore a backup .+\.$/,
      )
      expect(existsSync(coreOf(folder)) ? readFileSync(coreOf(folder)) : null).toEqual(before)
    },
  )

  test('damaged together with its newest copy is replaced by an older one', async () => {
    const folder = damaged((it) => {
      writeFileSync(coreOf(it), '')
      writeFileSync(join(it, 'backups/core-900001-2100-01-01T00-00-00.000Z.db'), Buffer.alloc(20_000))
      copyFileSync(coreOf(other.folder), join(it, 'backups/core-900002-2101-01-01T00-00-00.000Z.db'))
    })
    await expectTheHomeAt(folder)
  })

  test('damaged in any one byte of its header is the same home or a restored one, never an empty one', async () => {
    for (const at of LONG ? [...Array(100).keys()] : [18, 63]) {
      const folder = damaged((it) => flip(coreOf(it), at, 0xff))
      // Only the version of the tables, in bytes 60 to 63, looks like a later version; its highest bit makes it
      // invalid.
      if (at > 60 && at <= 63) await expect(open(folder)).rejects.toThrow('use a newer hm-gateway')
      else await expectTheHomeAt(folder)
    }
  })

  test('sound, in a folder without home-id, is the same home', async () => {
    const folder = damaged((it) => rmSync(join(it, 'home-id')))
    const { running } = await open(folder)
    await using _ = running
    await expectTheHome(running)
    expect(readFileSync(join(folder, 'home-id'), 'utf8').trim()).toBe(home.serial)
  })

  const idDamages: readonly [string, (file: string) => void][] = [
    ['a flipped bit', (file) => flip(file, 4, 0x01)],
    ['a byte that no id contains', (file) => flip(file, 4, 0x80)],
    ['no content', (file) => writeFileSync(file, '')],
  ]
  test.each(casesOf(idDamages, 3))(
    'sound, beside a home-id with %s, is the same home, and the activity reports that',
    async (_name, damage) => {
      const folder = damaged((it) => damage(join(it, 'home-id')))
      const { running, log } = await open(folder)
      await using _ = running
      await expectTheHome(running)
      expect(readFileSync(join(folder, 'home-id'), 'utf8')).toBe(`${home.serial}\n`)
      const sentence = 'The file home-id was damaged and is repaired. Check the disk.'
      expect(log.sentences('error')).toEqual([sentence])
      running.gateway.stores.history.writer.flush()
      expect(
        [...running.gateway.stores.history.activity.iterate(0, Number.MAX_SAFE_INTEGER)].map(({ what }) => what),
      ).toContain(sentence)
    },
  )

  test('of a newer version of the program is refused, and stays unchanged', async () => {
    const folder = damaged((it) => overwrite(coreOf(it), 60, Buffer.from([0, 0, 0x27, 0x10])))
    const before = readFileSync(coreOf(folder))
    await expect(open(folder)).rejects.toThrow(
      /^The database .+core\.db is of version 10000, but this program knows only \d+: use a newer hm-gateway, or run `bin\/hm rollback`, .+\.$/,
    )
    expect(readFileSync(coreOf(folder))).toEqual(before)
  })
})

const historyOf = (folder: string): string => join(folder, 'history.db')

describe('a history that is', () => {
  const damages: readonly [string, (folder: string) => void][] = [
    ['of zeroes', (folder) => writeFileSync(historyOf(folder), Buffer.alloc(statSync(historyOf(folder)).size))],
    [
      'no database at all',
      (folder) =>
        writeFileSync(historyOf(folder), 'hello, this is a text that somebody saved in the wrong place\n'.repeat(100)),
    ],
    [
      'cut in half',
      (folder) => truncateSync(historyOf(folder), Math.floor(statSync(historyOf(folder)).size / 8_192) * 4_096),
    ],
    ['cut to its first page', (folder) => truncateSync(historyOf(folder), 4_096)],
    ['with its schema page overwritten', (folder) => overwrite(historyOf(folder), 100, Buffer.alloc(2_000, 0xa5))],
    ['with its magic changed', (folder) => flip(historyOf(folder), 3, 0x10)],
  ]
  test.each(casesOf(damages, 3))(
    '%s is put aside, a new one begins, and the home keeps running',
    async (_name, damage) => {
      const folder = damaged(damage)
      const { running, log } = await open(folder)
      await using _ = running
      await expectTheHome(running)
      expect(log.sentences('error')).toEqual(['The history is damaged: it was put aside and a new one begins.'])
      expect(
        readdirSync(folder).filter((file) => file.startsWith('history.db.corrupt-') && !/-(?:wal|shm)$/.test(file)),
      ).toHaveLength(1)
      await running.admin.call('PATCH', '/home', { currency: 'CHF' })
      running.gateway.stores.history.writer.flush()
      expect(
        [...running.gateway.stores.history.activity.iterate(0, Number.MAX_SAFE_INTEGER)].map(({ subject }) => subject),
      ).toContainEqual({ kind: 'home' })
    },
  )

  test('missing is created again', async () => {
    const { running } = await open(damaged((folder) => rmSync(historyOf(folder))))
    await using _ = running
    await expectTheHome(running)
  })

  test('damaged outside the part that a start reads does not prevent anything', { tags: ['long'] }, async () => {
    const folder = damaged((it) => {
      const pages = statSync(historyOf(it)).size / 4_096
      overwrite(historyOf(it), 4_096 * 4, Buffer.alloc(4_096 * (pages - 4), 0x5a))
    })
    const { running, log } = await open(folder)
    await using _ = running
    await expectTheHome(running)
    await running.settled()
    await running.admin.call('PATCH', '/home', { currency: 'CHF' })
    expect((await running.admin.call('GET', '/home'))['home']).toMatchObject({ currency: 'CHF' })
    expect(await withKey(running, '/v1/activity')).toMatchObject({
      status: 200,
      body: { entries: expect.arrayContaining([]) as object[] },
    })
    expect(log.sentences('error')).toEqual(['The history is damaged: it was put aside and a new one begins.'])
    const aside = readdirSync(folder).find((file) => /^history\.db\.corrupt-.*Z$/.test(file)) ?? ''
    expect(await running.admin.call('GET', '/status')).toMatchObject({ history: { damaged: join(folder, aside) } })
    expect((await hm(folder, 'status')).out).toContain(
      `  The history was damaged and starts again; the old file is ${join(folder, aside)}. Check the disk.\n`,
    )
  })
})

test('a folder with only a home-id is not a new home', async () => {
  const folder = join(tempFolder(), 'data')
  mkdirSync(folder)
  writeFileSync(join(folder, 'home-id'), `${home.serial}\n`)
  await expect(open(folder)).rejects.toThrow('it is missing or empty, though this data folder belongs to a home')
  // Any start creates the ballast, at its own pace.
  expect(readdirSync(folder).filter((name) => name !== 'ballast')).toEqual(['home-id'])
})

test('a backup that replaces the configuration is the home that was backed up', async () => {
  const folder = damaged((it) => {
    rmSync(join(it, 'backups'), { recursive: true })
    copyFileSync(join(home.folder, 'backups/core-900000-2099-01-01T00-00-00.000Z.db'), coreOf(it))
  })
  const { running, log } = await open(folder)
  await using _ = running
  await expectTheHome(running)
  expect(log.sentences('error')).toEqual([])
})
