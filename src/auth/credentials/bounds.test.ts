import { expect, onTestFinished, test } from 'vitest'
import { SqliteAgentRequests } from '../../db/core/agent-request-store.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqliteKeyedWrites } from '../../db/core/keyed-write-store.ts'
import { IdempotencyKeys, KEPT_BYTES_PER_CREDENTIAL_MAX } from './idempotency-keys.ts'
import { BLOCK_MS, BLOCKS_MAX, RequestSenders } from '../agents/request-senders.ts'

function configuration(): CoreDb {
  const core = new CoreDb(':memory:')
  onTestFinished(() => core.close())
  core.db.pragma('foreign_keys = OFF')
  return core
}

test('beyond the limit of blocked senders, the block that ends first is removed', () => {
  let now = 0
  const sources = new RequestSenders({ requests: new SqliteAgentRequests(configuration()), steady: { now: () => now } })
  for (let sender = 0; sender < BLOCKS_MAX + 2; sender++) {
    now += 1
    sources.block(`home ${sender}`)
  }
  const blocked = sources.blocked()
  expect(blocked).toHaveLength(BLOCKS_MAX)
  expect(blocked[0]).toEqual({ source: 'home 2', until: 3 + BLOCK_MS })
  // Blocking a blocked sender again does not remove another block.
  sources.block('home 2')
  expect(sources.blocked()).toHaveLength(BLOCKS_MAX)
})

test('stored answers of idempotency keys have a limit in bytes for each credential', () => {
  const core = configuration()
  const store = new SqliteKeyedWrites(core)
  const keys = new IdempotencyKeys({ store, work: core, steady: { now: () => 1, save: () => {} } })
  const body = 'x'.repeat(100 * 1024)
  const write = (link: string, key: string): void => {
    expect(keys.take(link, key, Buffer.from(key)).kind).toBe('new')
    keys.answered(link, key, { status: 200, headers: {}, body })
  }
  write('other', 'first')
  for (let turn = 0; turn < 20; turn++) write('one', `key ${turn}`)
  expect(keys.take('one', 'the last', Buffer.from('x')).kind).toBe('new')
  const bytes = core.db
    .prepare<[string], number>('SELECT sum(length(body)) FROM idempotency_keys WHERE link = ?')
    .pluck()
  const most = Number(bytes.get('one'))
  expect(most).toBeLessThanOrEqual(KEPT_BYTES_PER_CREDENTIAL_MAX)
  expect(most).toBeGreaterThan(KEPT_BYTES_PER_CREDENTIAL_MAX - 2 * body.length)
  expect(keys.take('one', 'key 19', Buffer.from('key 19')).kind).toBe('answered')
  expect(keys.take('other', 'first', Buffer.from('first')).kind).toBe('answered')
})
