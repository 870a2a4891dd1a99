import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Credentials } from '../../src/auth/credentials/credentials.ts'
import { SteadyTime } from '../../src/auth/credentials/steady-time.ts'
import { CoreDb } from '../../src/db/core/core-db.ts'
import { SqliteCredentials } from '../../src/db/core/credential-store.ts'
import { SqliteIntegrations } from '../../src/db/core/integration-store.ts'
import { SqliteSteady } from '../../src/db/core/single-rows.ts'
import { DEFAULT_KNOBS } from '../../src/exposure/knobs.ts'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Emitter } from '../../src/lib/emitter.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const CHILD = new URL('./keyed-write-child.ts', import.meta.url).pathname

/** A folder with a key; returns the key's link. */
function furnish(folder: string): string {
  const core = new CoreDb(join(folder, 'core.db'))
  const integration = { id: 'one', name: 'One', enabled: true, exposure: { expose: 'All' } as const, createdAt: 0 }
  core.change(() => new SqliteIntegrations(core).insert({ ...integration, knobs: DEFAULT_KNOBS }))
  const { credential } = new Credentials({
    gateway: 'test',
    store: new SqliteCredentials(core),
    work: core,
    steady: new SteadyTime({ clock: systemClock, store: new SqliteSteady(core) }),
    clock: systemClock,
    random: systemRandom,
    changes: new Emitter(() => {}),
  }).create({ integration: 'one', kind: 'key', name: '', platform: '' }, GATEWAY_CAUSE)
  core.close()
  return credential.link
}

function begin(folder: string, link: string, key: string, how: 'hang' | 'answer'): ChildProcess {
  const flags = ['--disable-warning=ExperimentalWarning', CHILD, folder, link, key, how]
  return spawn(process.execPath, flags, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...COMPILED } })
}

/** Returns the first line of output, then kills the process. */
async function saidBeforeKill(child: ChildProcess): Promise<string> {
  const [output] = (await once(child.stdout!, 'data')) as [Buffer]
  child.kill('SIGKILL')
  await once(child, 'close')
  return output.toString('utf8').trim()
}

proves(
  'api.idempotency-restart',
  'a write whose process was killed before its answer was stored does not run again',
  { tags: ['long'] },
  async () => {
    const folder = tempFolder()
    const link = furnish(folder)
    expect(await saidBeforeKill(begin(folder, link, 'k', 'hang'))).toBe('made')
    expect(await saidBeforeKill(begin(folder, link, 'k', 'answer'))).toBe('outcome_unknown')
    const core = new CoreDb(join(folder, 'core.db'))
    expect(core.peek(100).filter(({ draft }) => draft.what === 'made under k')).toHaveLength(1)
    core.close()
  },
)
