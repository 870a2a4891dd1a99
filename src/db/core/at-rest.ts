import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'
import { readDatabase } from '../sound-file.ts'
import { CoreDb } from './core-db.ts'
import { SqliteIncidents } from './incident-store.ts'
import { Revocations } from './revocations.ts'

/** A credential in an inactive configuration file. */
export interface CredentialAtRest {
  readonly link: string
  readonly name: string
  /** Name of its integration. */
  readonly integration: string
  readonly live: boolean
}

/** All credentials of an inactive configuration or a copy. */
export function credentialsAtRest(file: string): readonly CredentialAtRest[] {
  const sql = `SELECT c.link, c.name, i.name AS integration, c.revoked_at IS NULL AS live
    FROM credentials c JOIN integrations i ON i.id = c.integration ORDER BY c.created_at`
  const rows = readDatabase(file, (db) =>
    db.prepare<[], { link: string; name: string; integration: string; live: number }>(sql).all(),
  )
  return (rows ?? []).map((row) => ({ ...row, live: row.live === 1 }))
}

/** An administrator in an inactive configuration file. */
export interface PersonAtRest {
  readonly id: string
  readonly name: string
  /** Password hash, or null. */
  readonly password: string | null
}

/** All administrators of an inactive configuration or a copy; empty for versions without administrators. */
export function personsAtRest(file: string): readonly PersonAtRest[] {
  const sql = 'SELECT id, name, password FROM persons ORDER BY created_at, id'
  return readDatabase(file, (db) => db.prepare<[], PersonAtRest>(sql).all()) ?? []
}

export interface PrepareOptions {
  /** The file with the revocations. */
  readonly revokedFile: string
  /** Links and ids to add to that file. */
  readonly alsoEnded: readonly string[]
  /** Epoch ms. */
  readonly at: number
  /** Sentence that administrators see until they acknowledge it. */
  readonly incident: string
  readonly log: Log
}

/** Pending work of the copy's time: days later it must not continue, and nobody would confirm it. */
const UNDER_WAY = ['rule_runs', 'rule_holds', 'confirmations', 'agent_requests', 'deliveries'] as const

export function endPendingWork(db: Db): void {
  for (const table of UNDER_WAY) db.exec(`DELETE FROM ${table}`)
}

/** Turns a copy of the configuration into the active one and migrates it. */
export function prepareCore(file: string, { revokedFile, alsoEnded, at, incident, log }: PrepareOptions): void {
  const core = new CoreDb(file)
  try {
    const revocations = new Revocations(revokedFile, log)
    revocations.add(alsoEnded)
    core.db
      .transaction(() => {
        revocations.apply(core.db, at)
        endPendingWork(core.db)
        new SqliteIncidents(core).add(at, incident)
      })
      .immediate()
    // The file alone must hold the configuration, without a log.
    core.db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    core.close()
  }
}

/** Summary of a configuration copy: its home, and counts. */
export interface CoreFacts {
  readonly serial: string
  readonly home: string
  readonly persons: number
  readonly integrations: number
  /** Keys, agents and sessions that are not revoked. */
  readonly keys: number
}

/** Number of migrations behind the tables of a file; null if it is not a database. */
export function schemaVersionOf(file: string): number | null {
  return readDatabase(file, (db) => Number(db.pragma('user_version', { simple: true })))
}

/** Null if the file contains no home. */
export function coreFacts(file: string): CoreFacts | null {
  return readDatabase(file, (db) => {
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

/** 0 if this version of the file has no such table. */
function countOf(db: Db, table: string, where = 'true'): number {
  const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table)
  if (isThere === undefined) return 0
  return db.prepare<[], number>(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() ?? 0
}
