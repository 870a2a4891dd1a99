import type Database from 'better-sqlite3'
import { copyFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CoreDb } from '../../../src/db/core/core-db.ts'
import { NarrowedAccess } from '../../../src/db/core/narrowed-access.ts'
import { openCore } from '../../../src/db/core/open-core.ts'
import { acceptOlder } from '../../../src/db/core/older-configuration.ts'
import { RevisionMark } from '../../../src/db/core/revision-mark.ts'
import { Revocations } from '../../../src/db/core/revocations.ts'
import { stateAtStart } from '../../../src/db/core/seal.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Files of the configuration that remain after a stop or a kill. */
const CORE_FILES = ['core.db', 'core.db-wal', 'core.db-shm', 'core.db.seal', 'narrowed.json', 'revisions.json']
/** Time of the last write of a configuration, the same in every copy. */
const WRITTEN_AT = new Date('2026-01-01T00:00:00Z')

/** Sets the write time of a configuration and its seal to one that every file system stores exactly. */
export function setWriteTime(folder: string): void {
  const seal = join(folder, 'core.db.seal')
  writeFileSync(seal, readFileSync(seal, 'utf8').replace(/^\d+/, String(WRITTEN_AT.getTime())))
  utimesSync(join(folder, 'core.db'), WRITTEN_AT, WRITTEN_AT)
}

/** Copies the configuration of another folder, without its copies. */
export function copyOfCore(from: string): string {
  const folder = tempFolder()
  for (const name of [...CORE_FILES, 'revoked'])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(folder, name))
  utimesSync(join(folder, 'core.db'), WRITTEN_AT, WRITTEN_AT)
  return folder
}

/** Changes bytes as a faulty disk does, without a new write time. */
export function damageBytes(file: string, change: (content: Buffer) => void): void {
  const content = readFileSync(file)
  change(content)
  writeFileSync(file, content)
  utimesSync(file, WRITTEN_AT, WRITTEN_AT)
}

interface KeptElsewhere {
  readonly backups: string
  readonly home: string
  /** Number of the newest change in the history. */
  readonly recorded?: number
}

/** Opens a configuration as at a start. */
export function startedCore(
  folder: string,
  { recorded = 0, ...from }: KeptElsewhere,
): { core: CoreDb; log: RecordingLog } {
  const log = recordingLog()
  const file = join(folder, 'core.db')
  const core = openCore({
    ...{ file, ...from, clock: systemClock, log, atRest: stateAtStart(file) },
    revocations: new Revocations(join(folder, 'revoked'), log),
    revisions: new RevisionMark(join(folder, 'revisions.json')),
    narrowed: new NarrowedAccess(join(folder, 'narrowed.json')),
  })
  acceptOlder(core, { recorded, backups: from.backups, isReported: false, clock: systemClock, log })
  return { core, log }
}

/** A restore ends runs, requests, deliveries and passwords, reports that, and raises revisions. */
const OTHER_AFTER_RESTORE = [
  ...['rule_runs', 'rule_holds', 'confirmations', 'agent_requests', 'deliveries', 'incidents', 'doubts'],
]
const RAISED = ['revision', 'edits']

/** Every row of every table. `restored` leaves out the columns in which a restored copy differs from its original. */
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

const ACCESS = [
  'SELECT id, knobs, expose FROM integrations WHERE enabled = 1 AND id NOT IN (SELECT integration FROM doubts)',
  `SELECT integration, kind, id, gang FROM picks
    WHERE integration IN (SELECT id FROM integrations WHERE enabled = 1) AND integration NOT IN (SELECT integration FROM doubts)`,
  'SELECT link, integration, kind, hex(secret_sha256) FROM credentials WHERE revoked_at IS NULL',
  'SELECT id, password FROM persons WHERE password IS NOT NULL',
  'SELECT id, person, credential, hex(public_key) FROM passkeys',
  'SELECT id, scopes, hex(secret_sha256) FROM operators',
  'SELECT id, person, hex(cookie_sha256) FROM console_sessions',
  'SELECT id, link, code, state FROM confirmations',
  'SELECT request, user_code, state FROM agent_requests',
]

/** Every row that grants access or a permission. */
export const accessRows = (db: Database.Database): readonly string[] =>
  ACCESS.flatMap((sql) =>
    db
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row)),
  )
