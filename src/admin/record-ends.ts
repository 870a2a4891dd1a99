import type { AccessChange } from '../exposure/access-change.ts'
import type { ClosedRecord, RecordTimes } from '../exposure/record-times.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { UnitOfWork } from '../home/ports/activity-log.ts'
import type { Rules } from '../home/rules/rules.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { Log } from '../lib/log.ts'

/** Interval of looking at the hours and ends of all records. Requests and openings are checked by themselves. */
const LOOK_EVERY_MS = 30_000

interface RecordEndsParts {
  readonly integrations: Pick<IntegrationReader, 'list'>
  readonly times: Pick<RecordTimes, 'closedNow'>
  readonly openers: Pick<Rules['openers'], 'switchOffLapsed'>
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly log: Log
}

/**
 * Switches the opening rules of a record off once its time has ended, also while the gateway was off, and announces
 * each change between served and not served, until the returned function is called.
 */
export function watchRecordEnds(parts: RecordEndsParts): () => void {
  let known: ReadonlyMap<string, ClosedRecord['closed'] | 'served'> = new Map()
  return every(parts.clock, LOOK_EVERY_MS, () => {
    const { integrations, times, openers, changes, work, log } = parts
    const now = new Map(
      integrations.list().map((one) => [one.id, times.closedNow(one)?.closed ?? ('served' as const)] as const),
    )
    const ended = [...now].some(([id, state]) => state === 'ended' && known.get(id) !== 'ended')
    // A refusing disk is tried again at the next look.
    if (ended && !openers.switchOffLapsed(work, log)) return
    const changed = [...now].filter(([id, state]) => known.has(id) && known.get(id) !== state)
    known = now
    for (const [integration] of changed) changes.emit({ integration, deleted: false })
  })
}
