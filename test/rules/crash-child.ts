import { appendFileSync } from 'node:fs'
import { CoreDb } from '../../src/db/core/core-db.ts'
import { SqliteRules } from '../../src/db/core/rule-store.ts'
import type { HomeEvent } from '../../src/home/model/events.ts'
import { Rules } from '../../src/home/rules/rules.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Emitter } from '../../src/lib/emitter.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { ok } from '../../src/lib/result.ts'
import { homeInfo, sceneOf } from '#support/homes/house-content.ts'

/**
 * A gateway's rules in a process for the kill test. It runs the scene `parade` once on request, writes every sent step
 * and every log line to the journal, and continues at its start after the killed process.
 */
const [folder = '', begin = ''] = process.argv.slice(2)
const journal = (line: string): void => {
  appendFileSync(`${folder}/journal`, `${line}\n`)
  process.stdout.write(`${line}\n`)
}
const core = new CoreDb(`${folder}/core.db`)
const events = new Emitter<HomeEvent>((error) => {
  throw error
})
/** The last delay outlasts the test: a late kill still comes in the middle of the run. */
const steps = [
  ...Array.from({ length: 60 }, (_, index) => ({
    device: `unit-${index}`,
    op: 'set_power' as const,
    args: { on: true },
  })).flatMap((step) => [step, { delay: 0.1 }]),
  { delay: 3_600 },
]

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
  states: { state: () => null, readings: () => null, reachable: () => true },
  events,
  scenes: (id) => sceneOf(id, { steps }),
  classOf: () => 'light_switch',
  since: () => 0,
  opening: { refusalOf: () => null },
  home: () => homeInfo({ timeZone: 'UTC' }),
  seed: 'home',
  // Twice as fast as the clock on the wall: more steps before the crash.
  clock: { ...systemClock, after: (ms, run) => systemClock.after(ms / 2, run) },
  steady: () => systemClock.now(),
  random: systemRandom,
  log: silentLog,
})
rules.start()
if (begin === 'begin') rules.scenes.run('parade', { source: 'person', name: 'Anna' }, 'person')
journal('up')
// The gateway's timers keep no process alive; the pipe to the parent does, and ends this process with it.
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
