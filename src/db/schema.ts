import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { migrationsOf } from './database.ts'

/** The SQL that makes at once what the migrations of a folder make one after the other: the text of its `schema.sql`. */
export function schemaOf(migrations: string): string {
  const db = new Database(':memory:')
  try {
    for (const file of migrationsOf(migrations)) db.exec(readFileSync(file, 'utf8'))
    const made = db
      .prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'`)
      .pluck()
      .all()
    return `-- Made of the migrations by npm run docs:generate.\n\n${made.map((sql) => `${sql};\n`).join('\n')}`
  } finally {
    db.close()
  }
}
