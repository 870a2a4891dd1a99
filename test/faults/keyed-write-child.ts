import type { Answer } from '../../src/api/call.ts'
import { Idempotency } from '../../src/api/idempotency.ts'
import { leavesUndone, Refusal, refuse } from '../../src/api/errors.ts'
import { IdempotencyKeys } from '../../src/auth/credentials/idempotency-keys.ts'
import { SteadyTime } from '../../src/auth/credentials/steady-time.ts'
import { CoreDb } from '../../src/db/core/core-db.ts'
import { SqliteKeyedWrites } from '../../src/db/core/keyed-write-store.ts'
import { SqliteSteady } from '../../src/db/core/single-rows.ts'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'

/**
 * Makes one write with an idempotency key, in a process that the test kills, and prints its result. With `hang` the
 * write happens and its answer never comes, as with a silent unit.
 */
const [folder = '', link = '', key = '', how = ''] = process.argv.slice(2)
const core = new CoreDb(`${folder}/core.db`)
const steady = new SteadyTime({ clock: systemClock, store: new SqliteSteady(core) })
const keys = new IdempotencyKeys({ store: new SqliteKeyedWrites(core), work: core, steady })
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

/** The write itself is in core.db, as a change of the configuration is. */
function write(): Promise<Answer> {
  core.change((record) =>
    record({ at: 1, kind: 'edited', subject: { kind: 'home' }, what: `made under ${key}`, cause: GATEWAY_CAUSE }),
  )
  say('made')
  return how === 'hang' ? new Promise(() => {}) : Promise.resolve({ status: 200, headers: {}, body: 'done' })
}

async function perform(): Promise<string> {
  const ways = { refuse, failed: (error: unknown) => ({ answer: internal(error), undone: leavesUndone(error) }) }
  try {
    const { status, body } = await new Idempotency({ keys, storage: core, log: silentLog }).perform(
      { link, key, request: ['write'] },
      write,
      ways,
    )
    return `${status} ${String(body)}`
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}

const internal = (error: unknown): Answer => ({ status: 500, headers: {}, body: String(error) })
void perform().then(say)
// The hanging write does not keep the process alive; the pipe from the parent does, and ends it.
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
