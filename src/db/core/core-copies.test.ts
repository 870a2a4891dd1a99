import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../../lib/log.ts'
import { GATEWAY_CAUSE } from '../../home/model/cause.ts'
import { COPIES_APART_MS, COPY_AFTER_MS, keepCopies } from './core-copies.ts'
import { CoreDb } from './core-db.ts'

const MINUTE = 60_000

/** A configuration with its copies; `made` resolves once there are so many, since they are made beside everything. */
function kept(days: readonly string[] = []) {
  const folder = tempFolder()
  const [file, backups] = [join(folder, 'core.db'), join(folder, 'backups')]
  mkdirSync(backups)
  for (const day of days) writeFileSync(join(backups, `core-${day}.db`), '')
  const clock = new ManualClock(Date.parse('2027-05-03T12:00:00Z'))
  const core = new CoreDb(file)
  const stop = keepCopies(core, { file, backups, clock, log: silentLog })
  onTestFinished(() => {
    stop()
    core.close()
  })
  const copies = (): readonly string[] => readdirSync(backups).filter((name) => /^core-.*\.db$/.test(name))
  const made = async (fits: (names: readonly string[]) => boolean): Promise<void> => {
    while (!fits(copies())) await wait(1)
  }
  const change = (): void =>
    core.change((record) =>
      record({ at: 1, kind: 'edited', subject: { kind: 'home' }, what: 'changed', cause: GATEWAY_CAUSE }),
    )
  return { clock, copies, made, change }
}

proves('storage.copies', 'a change is in a copy two minutes later, and many changes in one', async () => {
  const { clock, copies, made, change } = kept()
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

proves('storage.copies', 'the newest are kept, and one of each of the last days', async () => {
  const days = ['01', '02', '03', '04'].flatMap((day) => [`2001-01-${day}T10`, `2001-01-${day}T12`])
  const { clock, copies, made, change } = kept(days)
  const isNew = (name: string): boolean => name.startsWith('core-2027')
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
