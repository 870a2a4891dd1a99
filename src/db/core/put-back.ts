import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { copiesOf } from './core-copies.ts'
import type { CoreDb } from './core-db.ts'
import { SqliteIncidents } from './incident-store.ts'
import { type Counted, goOnFrom, lastOf } from './numbers.ts'
import { raiseRevisions } from './revision-mark.ts'
import { looked } from './sound-file.ts'

export interface KnownOf {
  /** The number of the newest change that the history has. */
  readonly recorded: number
  /** The folder of the configuration's copies. */
  readonly backups: string
  /** Whether a restore has told already that it is an older one. */
  readonly isTold: boolean
  readonly clock: Clock
  readonly log: Log
}

/**
 * Tells of a configuration that somebody put in the place of a newer one: each change of the configuration has a number
 * that only grows, and the history or a copy knows a higher one. Numbers then go on from there, so it is told once. Of
 * one that a copy took the place of by itself, or that was restored, is told already. Revisions are raised after each.
 */
export function tellPutBack(core: CoreDb, { recorded, backups, isTold, clock, log }: KnownOf): void {
  // Where the disk takes no writes, SQLite may not even read the copies; the next start that can write tells of it.
  if (core.takesNoChanges) return
  const wasRestored = core.isRestored || isTold
  const own = lastOf(core.db, 'activity_outbox')
  const copies = copiesOf(backups)
  const known = Math.max(recorded, ...copies.map((copy) => lastIn(copy, 'activity_outbox')))
  if (own >= known && !wasRestored) return
  const befell = Math.max(lastOf(core.db, 'incidents'), ...copies.map((copy) => lastIn(copy, 'incidents')))
  core.db
    .transaction(() => {
      raiseRevisions(core.db, core.revisions, clock.now())
      if (own >= known) return
      goOnFrom(core.db, 'activity_outbox', known)
      // The newest copy may have that number too, and is of what was there before.
      goOnFrom(core.db, 'incidents', befell + 1)
      if (wasRestored) return
      const told = wordsOf(known - own)
      new SqliteIncidents(core).add(clock.now(), told)
      log.error({ newest: own, known }, told)
    })
    .immediate()
}

function wordsOf(lost: number): string {
  const changes =
    lost === 1 ? 'The change that was made after it is' : `The ${lost} changes that were made after it are`
  return `The configuration is an older one that was put in the place of a newer one. ${changes} lost: check exposures and knobs. Keys that were revoked stay so.`
}

/** 0 where a copy cannot be read: it says nothing, and stops no start. */
function lastIn(copy: string, counted: Counted): number {
  try {
    return looked(copy, (db) => lastOf(db, counted)) ?? 0
  } catch {
    return 0
  }
}
