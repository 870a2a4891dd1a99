import { ENDED_KEPT_MAX } from '../../src/auth/credential.ts'
import { KEYS_PER_CREDENTIAL_MAX } from '../../src/auth/idempotency-keys.ts'
import { COPIES_KEPT, COPY_DAYS_KEPT, copiesOf } from '../../src/db/core/core-copies.ts'
import { INCIDENTS_MAX } from '../../src/db/core/incident-store.ts'
import { CLAIMS_KEPT_OF_OWNER } from '../../src/home/ports/rule-store.ts'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { backupsIn } from '../safety-copies.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

/** Far more than a home of this size ever has under way. */
const TIMERS_MAX = 400
const WAITING_MAX = 200
/** At rest: the pulse, one for each rule and run that waits, and what was asked of agents and copies. */
const TIMERS_AT_REST_MAX = 100
/** Memory that a home has more than at its first rest, after collection: some caches fill only with time. */
const GROWN_MIB_MAX = 96
const MIB = 2 ** 20
/** Rows that the history did not take are tried again by then. */
const DISK_AGAIN_MS = 5 * 60_000

/** What there is, with how much of it there may be. */
type Counts = Readonly<Record<string, readonly [count: number, most: number]>>

/** Nothing piles up, and at rest nothing is left; what is kept stays within the bounds of docs/limits.md. */
export function bounded(world: World): Check {
  const grown = growth()
  return {
    afterAct: () =>
      hold({
        timers: [world.clock.waiting, TIMERS_MAX],
        'requests without an answer': [world.answering.waiting, WAITING_MAX],
      }),
    atRest: () => {
      if (!world.troubled('disk', DISK_AGAIN_MS)) hold({ ...left(world), ...kept(world) })
      hold({ 'MiB of memory more than at the first rest': [grown(), GROWN_MIB_MAX] })
    },
  }
}

/** Tells how many MiB more are used than when it was asked first. Collects only where it seems too much. */
function growth(): () => number {
  let begun: number | null = null
  return () => {
    begun ??= collected()
    const mib = (process.memoryUsage().heapUsed - begun) / MIB
    return Math.round(mib > GROWN_MIB_MAX ? (collected() - begun) / MIB : mib)
  }
}

function collected(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

function left(world: World): Counts {
  const { core, history } = world.life.files.stores
  return {
    timers: [world.clock.waiting, TIMERS_AT_REST_MAX],
    'requests without an answer': [world.answering.waiting, 0],
    'rows in the outbox': [core.peek(1).length, 0],
    'entries that the history had no room for': [history.writes.shed, 0],
  }
}

function kept({ life: { files, folder } }: World): Counts {
  const { db } = files.stores.core
  const most = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0
  const mostOfOne = (table: string, of: string, where = 'true'): number =>
    most(`SELECT max(n) FROM (SELECT count(*) AS n FROM ${table} WHERE ${where} GROUP BY ${of})`)
  const ended = 'revoked_at IS NOT NULL OR expired_at IS NOT NULL'
  return {
    'ended credentials of one integration': [mostOfOne('credentials', 'integration', ended), ENDED_KEPT_MAX],
    'times that came round of one rule': [mostOfOne('rule_claims', 'owner'), CLAIMS_KEPT_OF_OWNER],
    'keys of one credential': [mostOfOne('idempotency_keys', 'link'), KEYS_PER_CREDENTIAL_MAX],
    'things that befell the configuration': [most('SELECT count(*) FROM incidents'), INCIDENTS_MAX],
    'safety copies': [copiesOf(backupsIn(folder)).length, COPIES_KEPT + COPY_DAYS_KEPT],
  }
}

function hold(counts: Counts): void {
  for (const [what, [count, most]] of Object.entries(counts))
    if (count > most) throw new Violation('bounded', `There are ${count} ${what}; at most ${most} may be.`)
}
