import { appendFileSync } from 'node:fs'
import type { CoreDb } from '../../src/db/core/core-db.ts'
import { SqliteRules } from '../../src/db/core/rule-store.ts'
import { GATEWAY_CAUSE, type HomeEvent } from '../../src/home/model/events.ts'
import type { SceneStep } from '../../src/home/model/steps.ts'
import { Rules } from '../../src/home/rules/rules.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Emitter } from '../../src/lib/emitter.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { ok } from '../../src/lib/result.ts'
import { homeInfo, sceneOf } from '#support/homes/house-content.ts'

interface CrashRules {
  readonly rules: Rules
  readonly events: Emitter<HomeEvent>
}

/** A gateway's rules for the kill tests. They write each sent step and each log line to the journal. */
export function crashRules(
  core: CoreDb,
  journal: (line: string) => void,
  { scene = [], speed }: { readonly scene?: readonly SceneStep[]; readonly speed: number },
): CrashRules {
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const rules = new Rules({
    store: new SqliteRules(core),
    work: core,
    activity: { record: (draft) => journal(`${draft.kind} ${draft.what}`), committed: () => Promise.resolve() },
    control: {
      obstacle: () => null,
      perform: () => {
        throw new Error('Rules send groups.')
      },
      performMany: (items) => {
        for (const { device } of items) journal(`sent ${device}`)
        return Promise.resolve(items.map(() => ok({ on: true, mode: 'manual' as const })))
      },
    },
    past: { valuesOf: () => [] },
    states: {
      state: () => null,
      readings: () => null,
      reachable: () => true,
      presence: () => ({ is: 'unknown', causes: [] }),
      mode: () => ({ mode: 'home', since: 0, until: null, previous: null, cause: GATEWAY_CAUSE }),
    },
    hasMode: () => false,
    modeName: () => null,
    setMode: () => {},
    events,
    scenes: (id) => sceneOf(id, { steps: scene }),
    classOf: () => 'light_switch',
    groups: {
      members: () => [],
      includes: () => false,
      exists: () => false,
      author: () => null,
      devicesOf: () => [],
      operations: () => [],
    },
    since: () => 0,
    opening: { refusalOf: () => null },
    teller: { tell: () => null, obstacle: () => null },
    home: () => homeInfo({ timeZone: 'UTC' }),
    seed: 'home',
    // Faster than the clock on the wall: more steps before the crash.
    clock: { ...systemClock, after: (ms, run) => systemClock.after(ms / speed, run) },
    steady: () => systemClock.now(),
    isClockDoubted: () => false,
    random: systemRandom,
    log: silentLog,
  })
  return { rules, events }
}

/** Appends lines to a file; a killed process loses none. */
export function journalAt(file: string): (line: string) => void {
  return (line) => appendFileSync(file, `${line}\n`)
}

/** Timers of a gateway keep no process alive; the pipe to the parent does, and ends this process with it. */
export function liveWithParent(): void {
  process.stdin.resume()
  process.stdin.on('end', () => process.exit(0))
}
