import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openHistory } from '../../../src/db/history/history-db.ts'
import type { HistoryDb, HistoryOptions } from '../../../src/db/history/history-db.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A history.db in a folder of its own, closed when the test is over. */
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
