import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../../src/db/database.ts'

/** The tables whose rows a change of the house, of a rule, an integration or a credential writes. */
const TABLES = ['floors', 'rooms', 'units', 'gangs', 'scenes', 'rules', 'integrations', 'credentials']

/**
 * Calls `tick` after each row that this connection writes, until the returned function is called: between any two of
 * them a process can be killed.
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

/** What a process that is killed now leaves of its configuration, as a file of its own in `folder`. */
export function copyLeftByKill(db: Db, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const left = join(folder, 'core.db')
  for (const part of ['', '-wal']) if (existsSync(`${db.name}${part}`)) copyFileSync(`${db.name}${part}`, left + part)
  return left
}
