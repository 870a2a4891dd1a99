import type Database from 'better-sqlite3'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CoreDb } from '../../../src/db/core/core-db.ts'
import { openCore, putRightBits } from '../../../src/db/core/core-files.ts'
import { NarrowedAccess } from '../../../src/db/core/narrowed-access.ts'
import { RevisionMark } from '../../../src/db/core/revision-mark.ts'
import { Revocations } from '../../../src/db/core/revocations.ts'
import { coreForms } from '../../../src/gateway/core-forms.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Files of the configuration that a stop or a kill leaves. */
export const CORE_FILES = ['core.db', 'core.db-wal', 'core.db-shm', 'core.db.seal', 'core.db.seal-open'] as const

/** A folder with the configuration of another one; its copies stay where they are. */
export function copyOfCore(from: string): string {
  const folder = tempFolder()
  for (const name of CORE_FILES) if (existsSync(join(from, name))) copyFileSync(join(from, name), join(folder, name))
  return folder
}

/** Opens a configuration as a start does; `from` has the copies and the serial. */
export function startedCore(
  folder: string,
  from: { backups: string; home: string },
): { core: CoreDb; log: RecordingLog } {
  const log = recordingLog()
  const file = join(folder, 'core.db')
  const wrong = putRightBits(file, log)
  const core = openCore({
    ...{ file, ...from, clock: systemClock, log, forms: coreForms, wrong },
    revocations: new Revocations(join(folder, 'revoked'), log),
    revisions: new RevisionMark(join(folder, 'revisions.json')),
    narrowed: new NarrowedAccess(join(folder, 'narrowed.json')),
  })
  return { core, log }
}

/** A restore ends runs and requests, says so, and raises revisions. */
const OTHER_AFTER_RESTORE = ['rule_runs', 'rule_holds', 'confirmations', 'agent_requests', 'incidents', 'doubts']
const RAISED = ['revision', 'edits']

/** Every row of every table; `restored` leaves out what a restored copy has otherwise than the copy. */
export function rowsOf(db: Database.Database, { restored = false } = {}): readonly string[] {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    .pluck()
    .all()
  return tables
    .filter((table) => !restored || !OTHER_AFTER_RESTORE.includes(table))
    .flatMap((table) =>
      db
        .prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`)
        .all()
        .map(
          (row) =>
            `${table} ${JSON.stringify(row, (name, value: unknown) => (restored && RAISED.includes(name) ? null : value))}`,
        ),
    )
    .toSorted()
}
