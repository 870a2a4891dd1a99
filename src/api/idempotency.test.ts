import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { Credentials } from '../auth/credentials/credentials.ts'
import { IdempotencyKeys, KEY_KEPT_MS, KEYS_PER_CREDENTIAL_MAX } from '../auth/credentials/idempotency-keys.ts'
import { SteadyTime } from '../auth/credentials/steady-time.ts'
import { CoreDb } from '../db/core/core-db.ts'
import { SqliteCredentials } from '../db/core/credential-store.ts'
import { SqliteIntegrations } from '../db/core/integration-store.ts'
import { SqliteKeyedWrites } from '../db/core/keyed-write-store.ts'
import { SqliteSteady } from '../db/core/single-rows.ts'
import { DEFAULT_KNOBS } from '../exposure/knobs.ts'
import { GATEWAY_CAUSE } from '../home/model/events.ts'
import { Emitter } from '../lib/emitter.ts'
import { systemRandom } from '../lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { refusalAnswer } from './answers.ts'
import type { Answer } from './call.ts'
import { leavesUndone, refuse, Refusal } from './errors.ts'
import { Idempotency } from './idempotency.ts'

/** No power is cut here. */
const AT_ONCE = { syncFile: () => Promise.resolve() }

/** Keyed writes over a database file, with one credential; `restart` gives up everything in memory. */
class Desk {
  readonly clock = new ManualClock()
  readonly link: string
  made = 0
  readonly #file: string
  #core: CoreDb
  #idempotency: Idempotency

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'hm-idempotency-'))
    this.#file = join(folder, 'core.db')
    this.#core = new CoreDb(this.#file, AT_ONCE)
    onTestFinished(() => {
      this.#core.close()
      rmSync(folder, { recursive: true })
    })
    const integration = { id: 'one', name: 'One', enabled: true, exposure: { expose: 'All' } as const, createdAt: 0 }
    this.#core.change(() => new SqliteIntegrations(this.#core).insert({ ...integration, knobs: DEFAULT_KNOBS }))
    this.link = new Credentials({
      gateway: 'test',
      store: new SqliteCredentials(this.#core),
      work: this.#core,
      steady: this.#steady(),
      clock: this.clock,
      random: systemRandom,
      changes: new Emitter(() => {}),
    }).create({ integration: 'one', kind: 'key', name: '', platform: '' }, GATEWAY_CAUSE).credential.link
    this.#idempotency = this.#open()
  }

  restart(): void {
    this.#core.close()
    this.#core = new CoreDb(this.#file, AT_ONCE)
    this.#idempotency = this.#open()
  }

  /** Makes a write that answers how many were made, or refuses. */
  async write(key: string, act: () => Answer | Promise<Answer> = () => this.make()): Promise<Answer> {
    const refused = (error: unknown): Answer =>
      refusalAnswer(error instanceof Refusal ? error : new Refusal('internal'))
    try {
      return await this.#idempotency.perform({ link: this.link, key, request: ['write'] }, act, {
        refuse,
        failed: (error) => ({ answer: refused(error), undone: leavesUndone(error) }),
      })
    } catch (error) {
      return refused(error)
    }
  }

  /** So many writes that were answered now. */
  keep(count: number): void {
    const store = new SqliteKeyedWrites(this.#core)
    const steadyAt = this.#steady().now()
    const answer = { status: 201, headers: {}, body: '{}' }
    this.#core.change(() => {
      for (let index = 0; index < count; index += 1) {
        const key = `kept-${index}`
        store.insert({ link: this.link, key, requestSha256: Buffer.alloc(32), steadyAt, answer: null })
        store.answer(this.link, key, answer)
      }
    })
  }

  make(): Answer {
    this.made += 1
    return { status: 201, headers: { location: '/v1/x' }, body: `{"made":${this.made}}` }
  }

  #steady(): SteadyTime {
    return new SteadyTime({ clock: this.clock, store: new SqliteSteady(this.#core) })
  }

  #open(): Idempotency {
    const store = new SqliteKeyedWrites(this.#core)
    return new Idempotency({
      keys: new IdempotencyKeys({ store, work: this.#core, steady: this.#steady() }),
      storage: this.#core,
      log: recordingLog(),
    })
  }
}

proves('api.idempotency-restart', 'an answer is the same after a restart', async () => {
  const desk = new Desk()
  const first = await desk.write('a')
  desk.restart()
  expect(await desk.write('a')).toEqual(first)
  expect(desk.made).toBe(1)
})

proves(
  'api.idempotency-restart',
  'a write that a crash interrupted is not repeated, and its client gets a refusal',
  async () => {
    const desk = new Desk()
    await new Promise<void>((made) => {
      void desk.write('a', () => {
        desk.make()
        made()
        return new Promise(() => {})
      })
    })
    desk.restart()
    const answer = await desk.write('a')
    expect(answer.status).toBe(409)
    expect(answer.body).toContain('"code":"outcome_unknown"')
    expect(desk.made).toBe(1)
  },
)

proves('api.idempotency-restart', 'a write that failed by a defect is not repeated; a refused write is', async () => {
  const desk = new Desk()
  const failing = (error: Error) => (): Answer => {
    desk.make()
    throw error
  }
  expect((await desk.write('a', failing(new Error('A defect.')))).status).toBe(500)
  expect((await desk.write('a')).status).toBe(500)
  expect((await desk.write('b', failing(new Refusal('overloaded')))).status).toBe(503)
  expect((await desk.write('b')).status).toBe(201)
  expect(desk.made).toBe(3)
})

proves('api.idempotency-bound', 'a key is forgotten after 24 hours, also across a restart', async () => {
  const desk = new Desk()
  await desk.write('a')
  desk.clock.advance(KEY_KEPT_MS - 1)
  await desk.write('a')
  expect(desk.made).toBe(1)
  desk.restart()
  desk.clock.advance(1)
  await desk.write('a')
  expect(desk.made).toBe(2)
})

proves('api.idempotency-bound', 'of a credential’s keys the oldest are forgotten', async () => {
  const desk = new Desk()
  for (const key of ['key-0', 'key-1']) {
    await desk.write(key)
    desk.clock.advance(1)
  }
  // The limit is reached: the next one is one too many.
  desk.keep(KEYS_PER_CREDENTIAL_MAX - 2)
  desk.clock.advance(1)
  await desk.write('one-more')
  await desk.write('key-1')
  expect(desk.made).toBe(3)
  await desk.write('key-0')
  expect(desk.made).toBe(4)
})
