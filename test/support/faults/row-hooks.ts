import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../../src/db/database.ts'

/** Tables that change with the house, a rule, an integration or a credential. */
const TABLES = ['floors', 'rooms', 'units', 'gangs', 'scenes', 'rules', 'integrations', 'credentials']

/**
 * Calls `tick` after each row that this connection writes, until the returned function is called. A test can kill the
 * process between any two rows.
 */
export function onEachRow(db: Db, tick: () => void): () => void {
  db.function('tick', () => {
    tick()
    return null
  })
  const triggers = TABLES.flatMap((table) =>
    ['INSERT', 'UPDATE', 'DELETE'].map((what) => ({ name: `tick_${table}_${what}`, table, what })),
  )
  for (const { name, table, what } of triggers)
    db.exec(`CREATE TEMP TRIGGER ${name} AFTER ${what} ON main.${table} BEGIN SELECT tick(); END`)
  return () => {
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  }
}

/** Copies the configuration to `folder` as a kill would leave it now. Returns its path. */
export function copyLeftByKill(db: Db, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const left = join(folder, 'core.db')
  for (const part of ['', '-wal']) if (existsSync(`${db.name}${part}`)) copyFileSync(`${db.name}${part}`, left + part)
  return left
}
