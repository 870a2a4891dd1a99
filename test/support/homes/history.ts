import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openHistory } from '../../../src/db/history/history-db.ts'
import type { HistoryDb, HistoryOptions } from '../../../src/db/history/history-db.ts'
import { type ActivityDraft, type ActivityEntry, type Subject, GATEWAY_CAUSE } from '../../../src/home/model/events.ts'
import type { ActivityPage, ActivityStore, SubjectFilter } from '../../../src/home/ports/history-store.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A history.db in a temporary folder, closed when the test ends. */
export function tempHistory(options: Partial<HistoryOptions> = {}): HistoryDb {
  const history = openHistory({
    file: join(tempFolder(), 'history.db'),
    clock: new ManualClock(),
    random: systemRandom,
    log: silentLog,
    ...options,
  })
  onTestFinished(() => history.close())
  return history
}

/** An epoch ms later than every entry. */
export const FOREVER = 2 ** 41

/** A change at a moment, by default of the hall light. */
export function draft(
  at: number,
  what = 'turned on',
  subject: Subject = { kind: 'device', id: 'hall-light' },
): ActivityDraft {
  return { at, kind: 'state', subject, what, cause: GATEWAY_CAUSE }
}

/** All entries of some subjects, newest first, read page by page. */
export function readAll(
  store: ActivityStore,
  subjects: SubjectFilter,
  limit: number,
  between: (page: ActivityPage) => void = () => {},
): ActivityEntry[] {
  const entries: ActivityEntry[] = []
  let to: number | null = FOREVER
  while (to !== null) {
    const page: ActivityPage = store.page({ subjects, from: 0, to, limit })
    entries.push(...page.entries)
    between(page)
    to = page.nextTo
  }
  return entries
}
