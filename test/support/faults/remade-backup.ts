import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpackFile, writeBackup } from '../../../src/backup/format/backup-file.ts'
import type { Manifest } from '../../../src/backup/format/manifest.ts'
import { keyFinder } from '../../../src/backup/format/phrase.ts'
import { NEWEST_SCHEMAS } from '../../../src/db/database.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Remaking {
  /** Recovery phrase of an encrypted backup. */
  readonly phrase?: string
  /** Changes the manifest. */
  readonly manifest?: (manifest: Manifest) => Manifest
  /** Changes a database of the backup; the manifest gets its new checksum. */
  readonly database?: readonly ['core.db' | 'history.db', (db: Database.Database) => void]
}

/** Rewrites a backup as another program would, unencrypted. Returns the new path. */
export async function remadeBackup(file: string, { phrase, manifest, database }: Remaking): Promise<string> {
  const parts = tempFolder()
  const unpacked = await unpackFile(file, keyFinder(null, phrase ?? null), parts)
  const changed = database === undefined ? unpacked : withDatabase(unpacked, parts, database)
  const made = join(tempFolder(), 'remade.hmb')
  const backup = { manifest: manifest?.(changed) ?? changed, parts, key: null }
  await writeBackup(made, `${made}.new`, backup, () => Promise.resolve())
  return made
}

function withDatabase(manifest: Manifest, parts: string, [name, change]: NonNullable<Remaking['database']>): Manifest {
  const db = new Database(join(parts, name))
  db.pragma('journal_mode = DELETE')
  change(db)
  db.close()
  const bytes = readFileSync(join(parts, name))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {
    ...manifest,
    parts: manifest.parts.map((part) => (part.name === name ? { ...part, bytes: bytes.length, sha256 } : part)),
  }
}

/** Ways to make a backup look newer: a later schema in the manifest, or in a database. */
export const NEWER = {
  'schemas.core': { manifest: saying({ core: NEWEST_SCHEMAS.core + 1 }) },
  'schemas.history': { manifest: saying({ history: NEWEST_SCHEMAS.history + 1 }) },
  'core.db': { database: ['core.db', later] },
  'history.db': { database: ['history.db', later] },
} as const satisfies Record<string, Remaking>

function saying(schemas: Partial<Manifest['schemas']>): (manifest: Manifest) => Manifest {
  return (manifest) => ({ ...manifest, schemas: { ...manifest.schemas, ...schemas } })
}

function later(db: Database.Database): void {
  db.pragma(`user_version = ${Number(db.pragma('user_version', { simple: true })) + 1}`)
}
