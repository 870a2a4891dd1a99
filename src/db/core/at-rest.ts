import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'
import { CoreDb } from './core-db.ts'
import { SqliteIncidents } from './incident-store.ts'
import { Revocations } from './revocations.ts'
import { looked } from './sound-file.ts'

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
