import { join } from 'node:path'
import { migrationsOf } from './database.ts'

/** How many migrations this program has for each database. */
export const NEWEST_SCHEMAS: { readonly core: number; readonly history: number } = {
  core: migrationsOf(join(import.meta.dirname, 'core', 'migrations')).length,
  history: migrationsOf(join(import.meta.dirname, 'history', 'migrations')).length,
}
