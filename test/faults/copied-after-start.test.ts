import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { COPIES_APART_MS, copiesOf, keepCopies } from '../../src/db/core/core-copies.ts'
import type { CoreDb } from '../../src/db/core/core-db.ts'
import { openCore } from '../../src/db/core/open-core.ts'
import { SqliteOperators } from '../../src/db/core/administrator-stores.ts'
import { acceptOlder } from '../../src/db/core/older-configuration.ts'
import { NarrowedAccess } from '../../src/db/core/narrowed-access.ts'
import { RevisionMark } from '../../src/db/core/revision-mark.ts'
import { Revocations } from '../../src/db/core/revocations.ts'
import { readDatabase } from '../../src/db/sound-file.ts'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { silentLog } from '../../src/lib/log.ts'

const OPERATOR = 'nightly000'

/** A data folder; `newest` describes its newest copy. */
function dataFolder() {
  const folder = tempFolder()
  const backups = join(folder, 'backups')
  const newest = (): string => copiesOf(backups)[0] ?? ''
  const copied = (sql: string): unknown => readDatabase(newest(), (db) => db.prepare(sql).pluck().all())
  return { file: join(folder, 'core.db'), revoked: join(folder, 'revoked'), backups, newest, copied }
}

type DataFolder = ReturnType<typeof dataFolder>

/** A start, in the order of src/gateway/stores.ts. */
function started({ file, revoked, backups, newest }: DataFolder) {
  // A clock behind the files' times makes them look new, so none is copied for its age.
  const clock = new ManualClock(0)
  const parts = { backups, clock, log: silentLog }
  const revocations = new Revocations(revoked, silentLog)
  const core = openCore({
    ...parts,
    file,
    home: null,
    revocations,
    revisions: new RevisionMark(null),
    narrowed: new NarrowedAccess(null),
  })
  acceptOlder(core, { ...parts, recorded: 0, isReported: false })
  const running = new AsyncDisposableStack()
  running.defer(() => core.close())
  running.defer(keepCopies(core, parts))
  onTestFinished(() => running.disposeAsync())
  /** Copies are made in the background. */
  const copiedSince = async (before: string): Promise<void> => {
    while (newest() === before) await wait(1)
  }
  /** Resolves once a pending change is copied. */
  const copiedAgain = async (): Promise<void> => {
    const before = newest()
    // Beside the daily copy.
    expect(clock.waiting).toBe(2)
    clock.advance(COPIES_APART_MS)
    await copiedSince(before)
  }
  return { core, clock, copiedSince, copiedAgain, stop: () => running.disposeAsync() }
}

function addRoom(core: CoreDb, id: string): void {
  core.change((record) => {
    core.db.prepare('INSERT INTO rooms (id, name, position) VALUES (?, ?, 1)').run(id, id)
    record({ at: 1, kind: 'edited', subject: { kind: 'home' }, what: id, cause: GATEWAY_CAUSE })
  })
}

/** A stopped home with an operator and a room, both in its newest copy. */
async function copiedHome(): Promise<DataFolder> {
  const its = dataFolder()
  const { core, copiedSince, copiedAgain, stop } = started(its)
  await copiedSince('')
  new SqliteOperators(core).insert({
    id: OPERATOR,
    name: 'Nightly',
    scopes: [],
    secretSha256: Buffer.alloc(32),
    createdAt: 0,
    usedAt: null,
  })
  addRoom(core, 'hall')
  await copiedAgain()
  await stop()
  return its
}

/** Two starts; the first stops before a copy could be made. */
async function copiedAfterStarts(its: DataFolder): Promise<void> {
  await started(its).stop()
  const { copiedAgain, stop } = started(its)
  await copiedAgain()
  await stop()
}

proves('storage.copies', 'revocations of a start are copied minutes later, even after an early stop', async () => {
  const its = await copiedHome()
  expect(its.copied('SELECT id FROM operators')).toEqual([OPERATOR])
  writeFileSync(its.revoked, `${OPERATOR}\n`)
  await copiedAfterStarts(its)
  expect(its.copied('SELECT id FROM operators')).toEqual([])
})

proves('storage.copies', 'repairs of a start are copied minutes later, even after an early stop', async () => {
  const its = await copiedHome()
  const { core, stop } = started(its)
  core.db.exec("UPDATE rooms SET name = ''")
  await stop()
  await copiedAfterStarts(its)
  expect(its.copied('SELECT name FROM rooms')).toEqual(['hall'])
  expect(its.copied('SELECT what FROM incidents')).toHaveLength(1)
})

proves(
  'storage.copies',
  'a restored configuration is copied minutes later, each time',
  { tags: ['long'] },
  async () => {
    const its = await copiedHome()
    const older = `${its.file}.older`
    copyFileSync(its.file, older)
    for (const later of ['attic', 'cellar']) {
      const { core, copiedAgain, stop } = started(its)
      addRoom(core, later)
      await copiedAgain()
      await stop()
      expect(its.copied('SELECT id FROM rooms ORDER BY id')).toEqual([later, 'hall'])
      copyFileSync(older, its.file)
      await copiedAfterStarts(its)
      expect(its.copied('SELECT id FROM rooms')).toEqual(['hall'])
    }
  },
)

proves('storage.copies', 'a start that changes nothing copies nothing', async () => {
  const { clock } = started(await copiedHome())
  // The pending timer is the daily copy.
  expect(clock.waiting).toBe(1)
})
