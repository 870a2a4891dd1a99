import type { ActivityStore, OutboxSource } from '../ports/history-store.ts'

const ROWS_AT_ONCE = 200

/**
 * Moves what core.db's outbox holds into the history. A row is removed there only after it is safe here, and is stored
 * here only once, so a crash at any point neither loses nor repeats an entry. Returns how many rows were moved; throws
 * when the history takes no writes: the rows then wait in the outbox for the next call.
 */
export function drainOutbox(source: OutboxSource, history: Pick<ActivityStore, 'takeOutbox'>): number {
  let moved = 0
  for (;;) {
    const rows = source.peek(ROWS_AT_ONCE)
    if (rows.length === 0) return moved
    history.takeOutbox(rows)
    source.remove(rows.map((row) => row.id))
    moved += rows.length
  }
}
