import type { Db } from '../database.ts'

/**
 * Counters that SQLite never resets, so that clocks need not decide which configuration is newer. `activity_outbox`
 * counts changes with an activity row, `incidents` changes of a start itself.
 */
export type Sequence = 'activity_outbox' | 'incidents'

/** Number of the last row; 0 before the first. */
export function lastNumberOf(db: Db, counted: Sequence): number {
  return db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(counted) ?? 0
}

/** Sets the counter; the next row gets the number after it. */
export function continueFrom(db: Db, counted: Sequence, number: number): void {
  const { changes } = db.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run(number, counted)
  if (changes === 0) db.prepare('INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)').run(number, counted)
}
