import type { Db } from '../database.ts'

/**
 * What SQLite counts on for ever, so that no clock need tell which configuration is newer: `activity_outbox` changes
 * that have an activity row, `incidents` what a start itself changed.
 */
export type Counted = 'activity_outbox' | 'incidents'

/** The number of the last; 0 before the first. */
export function lastOf(db: Db, counted: Counted): number {
  return db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(counted) ?? 0
}

/** The next has the number after this one. */
export function goOnFrom(db: Db, counted: Counted, number: number): void {
  const { changes } = db.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run(number, counted)
  if (changes === 0) db.prepare('INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)').run(number, counted)
}
