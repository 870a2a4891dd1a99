import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../../lib/log.ts'
import { GATEWAY_CAUSE } from '../../home/model/events.ts'
import { COPIES_APART_MS, COPIES_KEPT, COPY_AFTER_MS, copiesOf, keepCopies } from './core-copies.ts'
import { CoreDb } from './core-db.ts'

const MINUTE = 60_000

/**
 * A configuration with its copies; `made` resolves when there are so many, because copies are made in the background.
 */
function withCopies(days: readonly string[] = [], { at = '2027-05-03T12:00:00Z', folder = tempFolder() } = {}) {
  const [file, backups] = [join(folder, 'core.db'), join(folder, 'backups')]
  mkdirSync(backups, { recursive: true })
  for (const day of days) {
    writeFileSync(join(backups, `core-${day}.db`), '')
    utimesSync(join(backups, `core-${day}.db`), 0, 0)
  }
  const clock = new ManualClock(Date.parse(at))
  const core = new CoreDb(file)
  const stopped = new AsyncDisposableStack()
  stopped.defer(() => core.close())
  stopped.defer(keepCopies(core, { backups, clock, log: silentLog }))
  onTestFinished(() => stopped.disposeAsync())
  const copies = (): readonly string[] => readdirSync(backups).filter((name) => /^core-.*\.db$/.test(name))
  const made = async (fits: (names: readonly string[]) => boolean): Promise<void> => {
    while (!fits(copies())) await wait(1)
  }
  const change = (): void =>
    core.change((record) =>
      record({ at: 1, kind: 'edited', subject: { kind: 'home' }, what: 'changed', cause: GATEWAY_CAUSE }),
    )
  const newest = (): string => basename(copiesOf(backups)[0] ?? '')
  return { clock, copies, made, change, newest, folder, backups, stop: () => stopped.disposeAsync() }
}

proves('storage.copies', 'a change is copied two minutes later, and many changes together', async () => {
  const { clock, copies, made, change } = withCopies()
  await made((names) => names.length === 1)
  change()
  clock.advance(COPY_AFTER_MS - 1)
  expect(copies()).toHaveLength(1)
  clock.advance(1)
  await made((names) => names.length === 2)
  for (let minute = 1; minute < COPIES_APART_MS / MINUTE; minute++) {
    change()
    clock.advance(MINUTE)
  }
  expect(copies()).toHaveLength(2)
  clock.advance(MINUTE)
  await made((names) => names.length === 3)
  clock.advance(3 * COPIES_APART_MS)
  expect(copies()).toHaveLength(3)
})

proves('storage.copies', 'the next copy removes the leftover of a kill', async () => {
  const { backups, change, clock, made } = withCopies()
  await made((names) => names.length === 1)
  const begun = ['core-000009-2027-01-01T10.db.new', 'core-000009-2027-01-01T10.db.new.new']
  for (const name of [...begun, 'core.txt.new']) writeFileSync(join(backups, name), 'begun')
  change()
  clock.advance(COPY_AFTER_MS)
  await made((names) => names.length === 2)
  expect(readdirSync(backups).filter((name) => name.endsWith('.new'))).toEqual(['core.txt.new'])
})

proves('storage.copies', 'the newest copies stay, and one for each of the last days', async () => {
  const days = ['01', '02', '03', '04'].flatMap((day) => [`2001-01-${day}T10`, `2001-01-${day}T12`])
  const { clock, copies, made, change } = withCopies(days)
  const isNew = (name: string): boolean => /^core-\d{6}-2027/.test(name)
  await made((names) => names.some(isNew))
  for (const count of [2, 3]) {
    change()
    clock.advance(COPIES_APART_MS)
    await made((names) => names.filter(isNew).length === count)
  }
  const old = ['core-2001-01-03T12.db', 'core-2001-01-04T12.db']
  await made((names) => names.length === old.length + 3)
  expect(copies().filter((name) => !isNew(name))).toEqual(old)
})

const DAYS_2036 = ['2036-01-01T10', '2036-01-02T10', '2036-01-03T10', '2036-01-04T10']

for (const [clockSays, at] of [
  ['is right', '2027-05-03T12:00:00Z'],
  ['is at 2000', '2000-01-01T00:00:00Z'],
]) {
  proves(
    'storage.copies',
    `new copies stay after copies from a clock in 2036, with the clock now ${clockSays}`,
    async () => {
      const { clock, copies, made, change, newest } = withCopies(DAYS_2036, { at })
      await made((names) => names.some((name) => !name.startsWith('core-2036')))
      for (let count = 1; count <= COPIES_KEPT; count++) {
        expect(newest()).toMatch(new RegExp(`^core-00000${count}-${at?.slice(0, 10)}T`))
        change()
        clock.advance(COPIES_APART_MS)
        await made((names) => names.some((name) => name.startsWith(`core-00000${count + 1}-`)))
      }
      // Copies from 2036 expire like other copies.
      expect(copies().filter((name) => name.startsWith('core-2036'))).toEqual([
        'core-2036-01-03T10.db',
        'core-2036-01-04T10.db',
      ])
    },
  )
}

proves('storage.copies', 'the number in its name makes a copy newer, at any time in the name', async () => {
  const { made, newest } = withCopies(['999999-2001-01-01T10', '000009-2036-01-01T10', '2040-01-01T10'])
  expect(newest()).toBe('core-999999-2001-01-01T10.db')
  await made((names) => names.some((name) => name.startsWith('core-1000000-2027')))
  expect(newest()).toMatch(/^core-1000000-2027/)
})

/** A gateway that made a copy and stopped, optionally after a change; the copy's name then says `copiedAt`. */
async function stoppedAfterCopy({ changes, copiedAt }: { changes: boolean; copiedAt: string }): Promise<string> {
  const { change, made, newest, stop, folder, backups } = withCopies()
  await made((names) => names.length === 1)
  if (changes) change()
  await stop()
  const [at, copy] = [new Date(copiedAt), join(backups, newest())]
  utimesSync(copy, at, at)
  return folder
}

for (const [made, copiedAt] of [
  ['a minute ago', '2027-05-03T11:59:00Z'],
  ['by a clock ahead', '2036-01-01T10:00:00Z'],
  ['by a clock behind', '2027-05-02T12:00:01Z'],
] as const) {
  proves('storage.copies', `a change after a copy made ${made} is copied after the next start`, async () => {
    const again = withCopies([], { folder: await stoppedAfterCopy({ changes: true, copiedAt }) })
    again.clock.advance(COPIES_APART_MS)
    await again.made((names) => names.length === 2)
    expect(again.newest()).toMatch(/^core-000002-2027/)
  })

  proves('storage.copies', `a complete copy made ${made} is not repeated`, async () => {
    const again = withCopies([], { folder: await stoppedAfterCopy({ changes: false, copiedAt }) })
    // The pending timer is the daily copy.
    expect(again.clock.waiting).toBe(1)
  })
}
