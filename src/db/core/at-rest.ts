import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'
import { looked } from '../sound-file.ts'
import { CoreDb } from './core-db.ts'
import { SqliteIncidents } from './incident-store.ts'
import { Revocations } from './revocations.ts'

/** A credential in a file that nobody serves. */
export interface CredentialAtRest {
  readonly link: string
  readonly name: string
  /** The name of its integration. */
  readonly integration: string
  readonly live: boolean
}

/** All credentials of a configuration that is at rest, or of a copy. */
export function credentialsAtRest(file: string): readonly CredentialAtRest[] {
  const sql = `SELECT c.link, c.name, i.name AS integration, c.revoked_at IS NULL AS live
    FROM credentials c JOIN integrations i ON i.id = c.integration ORDER BY c.created_at`
  const rows = looked(file, (db) =>
    db.prepare<[], { link: string; name: string; integration: string; live: number }>(sql).all(),
  )
  return (rows ?? []).map((row) => ({ ...row, live: row.live === 1 }))
}

/** A person in a file that nobody serves. */
export interface PersonAtRest {
  readonly id: string
  readonly name: string
  /** Its hash; null where there is none. */
  readonly password: string | null
}

/** All persons of a configuration that is at rest, or of a copy; none of a version that knew none. */
export function personsAtRest(file: string): readonly PersonAtRest[] {
  const sql = 'SELECT id, name, password FROM persons ORDER BY created_at, id'
  return looked(file, (db) => db.prepare<[], PersonAtRest>(sql).all()) ?? []
}

export interface Preparing {
  /** The file beside it that remembers what has ended. */
  readonly revokedFile: string
  /** Links and ids that are to be remembered there too. */
  readonly alsoEnded: readonly string[]
  /** Epoch ms. */
  readonly at: number
  /** What administrators are told until they acknowledge it. */
  readonly told: string
  readonly log: Log
}

/** What was under way when the copy was made: days later nobody expects it to go on, or would confirm it. */
const UNDER_WAY = ['rule_runs', 'rule_holds', 'confirmations', 'agent_requests'] as const

export function endUnderWay(db: Db): void {
  for (const table of UNDER_WAY) db.exec(`DELETE FROM ${table}`)
}

/** Makes a copy of the configuration the one that is served next: its tables are brought up to date. */
export function prepareCore(file: string, { revokedFile, alsoEnded, at, told, log }: Preparing): void {
  const core = new CoreDb(file)
  try {
    const revocations = new Revocations(revokedFile, log)
    revocations.add(alsoEnded)
    core.db
      .transaction(() => {
        revocations.apply(core.db, at)
        endUnderWay(core.db)
        new SqliteIncidents(core).add(at, told)
      })
      .immediate()
    // Without a log beside it the file alone is the configuration.
    core.db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    core.close()
  }
}

/** What a copy of the configuration holds, in numbers, and whose it is. */
export interface CoreFacts {
  readonly serial: string
  readonly home: string
  readonly persons: number
  readonly integrations: number
  /** Keys, agents and sessions that are not revoked. */
  readonly keys: number
}

/** How many migrations made the tables of a file; null where it is no database. */
export function schemaVersionOf(file: string): number | null {
  return looked(file, (db) => Number(db.pragma('user_version', { simple: true })))
}

/** Null where the file holds no home. */
export function coreFacts(file: string): CoreFacts | null {
  return looked(file, (db) => {
    const home = db.prepare<[], { serial: string; name: string }>('SELECT serial, name FROM home').get()
    if (home === undefined) return null
    return {
      serial: home.serial,
      home: home.name,
      persons: countOf(db, 'persons'),
      integrations: countOf(db, 'integrations'),
      keys: countOf(db, 'credentials', 'revoked_at IS NULL'),
    }
  })
}

/** 0 where the file is of a version that has no such table. */
function countOf(db: Db, table: string, where = 'true'): number {
  const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table)
  if (isThere === undefined) return 0
  return db.prepare<[], number>(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() ?? 0
}
