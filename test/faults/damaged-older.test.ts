// @module-tag repeated
import Database from 'better-sqlite3'
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { migrationsOf } from '../../src/db/database.ts'
import { startedCore } from '#support/faults/core-at-rest.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

const MIGRATIONS = join(import.meta.dirname, '../../src/db/core/migrations')
const SERIAL = 'HM000001'

/** A configuration as left by a program with this many migrations. */
function madeBy(file: string, version: number, room: string): void {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  for (const migration of migrationsOf(MIGRATIONS).slice(0, version)) db.exec(readFileSync(migration, 'utf8'))
  db.pragma(`user_version = ${version}`)
  db.prepare("INSERT INTO home (one, serial, name, time_zone, currency) VALUES (1, ?, 'Home', 'UTC', 'EUR')").run(
    SERIAL,
  )
  db.prepare("INSERT INTO rooms (id, name, position) VALUES ('hall', ?, 1)").run(room)
  db.close()
}

function older(version: number) {
  const folder = tempFolder()
  const backups = join(folder, 'backups')
  mkdirSync(backups)
  madeBy(join(folder, 'core.db'), version, 'Now')
  madeBy(join(backups, 'core-000001-2026-01-01T00-00-00.000Z.db'), version, 'Copied')
  const roomOf = (): unknown => {
    const { core } = startedCore(folder, { backups, home: SERIAL })
    const name = core.db.prepare('SELECT name FROM rooms').pluck().get()
    core.close()
    return name
  }
  return { folder, file: join(folder, 'core.db'), backups, roomOf }
}

for (const version of casesOf([1, 9, 17], 3)) {
  proves(
    'storage.whole-copy',
    `of version ${version} a sound file is migrated, and a damaged one is replaced by its copy`,
    () => {
      expect(older(version).roomOf()).toBe('Now')
      const cut = older(version)
      truncateSync(cut.file, Math.floor(statSync(cut.file).size / 2))
      expect(cut.roomOf()).toBe('Copied')
      const refused = older(version)
      const db = new Database(refused.file)
      db.exec("UPDATE home SET currency = 'none'")
      db.close()
      expect(refused.roomOf()).toBe('Copied')
      const wrongVersion = older(version)
      const other = new Database(wrongVersion.file)
      other.exec('DROP TABLE picks')
      other.close()
      expect(wrongVersion.roomOf()).toBe('Copied')
      rmSync(wrongVersion.backups, { recursive: true })
    },
  )
}
