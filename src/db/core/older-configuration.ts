import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { endPendingWork } from './at-rest.ts'
import { copiesOf, lastNumberIn } from './core-copies.ts'
import type { CoreDb } from './core-db.ts'
import { SqliteIncidents } from './incident-store.ts'
import { HOUSE, PASSWORDS } from './narrowed-access.ts'
import { continueFrom, lastNumberOf } from './numbers.ts'
import { raiseRevisions } from './revision-mark.ts'

export interface AcceptOptions {
  /** Number of the newest change in the history. */
  readonly recorded: number
  /** Folder of the configuration's copies. */
  readonly backups: string
  /** True if an administrator restored a backup and knows the consequences. */
  readonly isReported: boolean
  readonly clock: Clock
  readonly log: Log
}

/** Number of names in a sentence; the rest is counted. */
const NAMES_MAX = 10

/**
 * Accepts a configuration that is older than the previous one: a copy replaced it, somebody put it there, a backup was
 * restored, or the end of its log is lost. Change numbers only grow, so the history or a copy may have a higher one.
 * Numbers continue from the highest, so this happens once. Revisions are raised. Integrations whose access may have
 * narrowed are disabled until an administrator acknowledges it, and replaced passwords end. Returns the sentence for
 * the activity, or null.
 */
export function acceptOlder(core: CoreDb, parts: AcceptOptions): string | null {
  const sentence = acceptIfOlder(core, parts)
  core.narrowed.known(core.db)
  return sentence
}

function acceptIfOlder(core: CoreDb, parts: AcceptOptions): string | null {
  const { recorded, backups, isReported: isTold, clock, log } = parts
  if (core.takesNoChanges && !core.isRestored) return null
  const own = lastNumberOf(core.db, 'activity_outbox')
  // On an unwritable disk SQLite may not even read the copies.
  const copies = core.takesNoChanges ? [] : copiesOf(backups)
  const known = Math.max(recorded, ...copies.map((copy) => lastNumberIn(copy, 'activity_outbox')))
  if (own >= known && !core.isRestored && !isTold) return null
  return core.db
    .transaction(() => {
      // A restored copy was already treated so.
      if (!core.isRestored) {
        raiseRevisions(core.db, core.revisions, clock.now())
        endPendingWork(core.db)
      }
      const sentence = isTold ? null : reportLoss(core, { lost: known - own, at: clock.now() })
      if (sentence !== null) log.error({ newest: own, known }, sentence)
      continueFrom(core.db, 'activity_outbox', Math.max(own, known, core.narrowed.last))
      // The newest copy may have the same number and an earlier state.
      const incidents = [lastNumberOf(core.db, 'incidents'), ...copies.map((copy) => lastNumberIn(copy, 'incidents'))]
      continueFrom(core.db, 'incidents', Math.max(...incidents) + 1)
      return sentence
    })
    .immediate()
}

/** Adds to the incident of the restored copy, or to a new one, which changes are lost and whose access is narrower. */
function reportLoss(core: CoreDb, { lost, at }: { readonly lost: number; readonly at: number }): string {
  const incidents = new SqliteIncidents(core)
  const own = lastNumberOf(core.db, 'activity_outbox')
  const doubted = namesOf(core, 'integrations', (ids) => core.narrowed.since(own, ids, HOUSE))
  const persons = namesOf(core, 'persons', (ids) => core.narrowed.since(own, ids, PASSWORDS))
  const restored = core.isRestored ? (incidents.list().at(-1) ?? null) : null
  const sentence = [
    restored?.what ?? 'The configuration is an older one: somebody replaced it, or the end of its log is lost.',
    ...(lost > 0 ? [wordsOf(lost)] : []),
    ...(restored === null ? ['Revoked keys stay revoked.'] : []),
    ...(doubted.length === 0
      ? []
      : [
          `These integrations stay disabled until you acknowledge this, because they may have lost access since: ${list(doubted)}. Check their exposure and settings first.`,
        ]),
    ...(persons.length === 0
      ? []
      : [`These persons changed their password since and need a one-time link to set a new one: ${list(persons)}.`]),
  ].join(' ')
  const incident = restored?.id ?? incidents.add(at, sentence)
  incidents.reword(incident, sentence)
  for (const { id } of doubted)
    core.db.prepare('INSERT OR REPLACE INTO doubts (integration, incident) VALUES (?, ?)').run(id, incident)
  for (const { id } of persons) core.db.prepare('UPDATE persons SET password = NULL WHERE id = ?').run(id)
  return sentence
}

interface Named {
  readonly id: string
  readonly name: string
}

function namesOf(
  core: CoreDb,
  table: 'integrations' | 'persons',
  chosen: (ids: readonly string[]) => readonly string[],
): readonly Named[] {
  const all = core.db.prepare<[], Named>(`SELECT id, name FROM ${table} ORDER BY name`).all()
  const ids = new Set(chosen(all.map(({ id }) => id)))
  return all.filter(({ id }) => ids.has(id))
}

function list(all: readonly Named[]): string {
  const names = all.slice(0, NAMES_MAX).map(({ name }) => name)
  return all.length > NAMES_MAX ? `${names.join(', ')} and ${all.length - NAMES_MAX} more` : names.join(', ')
}

function wordsOf(lost: number): string {
  return lost === 1 ? 'One later change is lost.' : `${lost} later changes are lost.`
}
