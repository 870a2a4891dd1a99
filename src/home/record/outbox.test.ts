// @module-tag repeated
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempHistory } from '#support/homes/history.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { GATEWAY_CAUSE } from '../model/events.ts'
import type { OutboxRow, OutboxSource } from '../ports/history-store.ts'
import { drainOutbox, OutboxDrain, OUTBOX_ROWS_MAX, ROWS_WAITING_MAX } from './outbox.ts'

const CHANGES = 300

class Outbox implements OutboxSource {
  rows: OutboxRow[] = []
  crashBeforeRemoval = false

  read = 0

  peek(limit: number, after = 0): readonly OutboxRow[] {
    const rows = this.rows.filter(({ id }) => id > after).slice(0, limit)
    this.read += rows.length
    return rows
  }

  cut(rows: number): number {
    const before = this.rows.length
    this.rows = this.rows.slice(-rows)
    return before - this.rows.length
  }

  remove(ids: readonly number[]): void {
    if (this.crashBeforeRemoval) throw new Error('power cut')
    this.rows = this.rows.filter((row) => !ids.includes(row.id))
  }
}

test('crashes between the two databases neither lose nor repeat an entry', { tags: ['long'] }, () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ added: fc.integer({ min: 0, max: 450 }), crash: fc.boolean() }), { maxLength: 6 }),
      (rounds) => {
        const history = tempHistory({ file: ':memory:' })
        const outbox = new Outbox()
        let id = 0
        for (const { added, crash } of rounds) {
          for (let n = 0; n < added; n++) outbox.rows.push(row(++id))
          outbox.crashBeforeRemoval = crash && outbox.rows.length > 0
          const drained = tried(() => drainOutbox(outbox, history.activity))
          expect(drained).toBe(!outbox.crashBeforeRemoval)
        }
        outbox.crashBeforeRemoval = false
        drainOutbox(outbox, history.activity)
        expect(outbox.rows).toEqual([])
        expect([...history.activity.iterate(0, 1e9)].map((entry) => entry.what)).toEqual(
          Array.from({ length: id }, (_, n) => `change ${n + 1}`),
        )
      },
    ),
    { numRuns: times(8, 20) },
  )
})

describe('changes that are faster than the disk', () => {
  it('are in the history at once, wait for no disk, are read once each, and leave the outbox together', async () => {
    const history = tempHistory({ file: ':memory:' })
    const clock = new ManualClock()
    const outbox = new Outbox()
    const ways = new Set<string>()
    const drain = new OutboxDrain({
      source: outbox,
      history: {
        takeOutbox: (rows, onDisk) => {
          ways.add(onDisk)
          history.activity.takeOutbox(rows, onDisk)
        },
      },
      onDisk: () => Promise.resolve(),
      clock,
      failed: (error) => {
        throw error
      },
    })
    for (let id = 1; id <= CHANGES; id += 1) {
      outbox.rows.push(row(id))
      drain.drain()
    }
    expect([...history.activity.iterate(0, 1e9)]).toHaveLength(CHANGES)
    expect([outbox.rows.length, outbox.read, [...ways]]).toEqual([CHANGES, CHANGES, ['later']])
    await clock.advanceAsync(1_000)
    expect(outbox.rows).toEqual([])
  })

  it('are not read again with each change while the history accepts none, and reach it soon afterwards', async () => {
    const history = tempHistory({ file: ':memory:' })
    const clock = new ManualClock()
    const outbox = new Outbox()
    let takes = false
    const tries: number[] = []
    const drain = new OutboxDrain({
      source: outbox,
      history: {
        takeOutbox: (rows, onDisk) => {
          tries.push(clock.monotonic())
          if (!takes) throw new Error('database or disk is full')
          history.activity.takeOutbox(rows, onDisk)
        },
      },
      onDisk: () => Promise.resolve(),
      clock,
      failed: () => {},
    })
    const began = clock.monotonic()
    for (let id = 1; id <= CHANGES; id += 1) {
      outbox.rows.push(row(id))
      drain.drain()
    }
    expect(outbox.read).toBe(1)
    await clock.advanceAsync(200_000)
    expect(tries.map((at) => (at - began) / 1_000)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183])
    takes = true
    await clock.advanceAsync(60_000)
    expect([...history.activity.iterate(0, 1e9)]).toHaveLength(CHANGES)
    expect(outbox.rows).toEqual([])
    outbox.rows.push(row(CHANGES + 1))
    drain.drain()
    expect([...history.activity.iterate(0, 1e9)]).toHaveLength(CHANGES + 1)
    drain.stop()
  })

  it('stay bounded while none is read', () => {
    const outbox = new Outbox()
    const drain = new OutboxDrain({
      source: outbox,
      history: {
        takeOutbox: () => {
          throw new Error('database or disk is full')
        },
      },
      onDisk: () => Promise.resolve(),
      clock: new ManualClock(),
      failed: () => {},
    })
    for (let id = 1; id <= OUTBOX_ROWS_MAX + 1_000; id += 1) {
      outbox.rows.push(row(id))
      drain.drain()
    }
    expect(outbox.rows.length).toBeLessThanOrEqual(OUTBOX_ROWS_MAX + 500)
    drain.stop()
  })

  it('have room for seconds of client changes; a crash may leave more', () => {
    const history = tempHistory({ file: ':memory:' })
    const outbox = new Outbox()
    for (let id = 1; id <= ROWS_WAITING_MAX; id += 1) outbox.rows.push(row(id))
    const clock = new ManualClock()
    const parts = {
      source: outbox,
      history: history.activity,
      clock,
      onDisk: () => Promise.resolve(),
      failed: () => {},
    }
    new OutboxDrain(parts).drain()
    expect(outbox.rows).toEqual([])
    expect([...history.activity.iterate(0, 1e9)]).toHaveLength(ROWS_WAITING_MAX)
  })
})

test(
  'a history that never accepts writes drops the oldest changes, and no file grows',
  { tags: ['long'] },
  async () => {
    const core = new CoreDb(join(tempFolder(), 'core.db'))
    onTestFinished(() => core.close())
    const MORE = 30
    const dropCounts: number[] = []
    const clock = new ManualClock()
    const drain = new OutboxDrain({
      source: core,
      history: {
        takeOutbox: () => {
          throw new Error('database or disk is full')
        },
      },
      onDisk: () => Promise.resolve(),
      clock,
      failed: (_error, dropped) => void dropCounts.push(dropped),
    })
    core.change((record) => {
      for (let id = 1; id <= OUTBOX_ROWS_MAX + MORE; id += 1) record(row(id).draft)
    })
    drain.drain()
    core.change((record) => record(row(0).draft))
    drain.drain()
    await clock.advanceAsync(1_000)
    await clock.advanceAsync(2_000)
    expect(dropCounts).toEqual([MORE, 1, 0])
    const remaining = core.peek(2 * OUTBOX_ROWS_MAX)
    expect([remaining.length, remaining[0]?.draft.what, remaining.at(-1)?.draft.what]).toEqual([
      OUTBOX_ROWS_MAX,
      `change ${MORE + 2}`,
      'change 0',
    ])
    drain.stop()
  },
)

function row(id: number): OutboxRow {
  const draft = { kind: 'edited', subject: { kind: 'home' }, what: `change ${id}`, cause: GATEWAY_CAUSE } as const
  return { id, draft: { ...draft, at: 1_000 + id } }
}

function tried(run: () => void): boolean {
  try {
    run()
    return true
  } catch {
    return false
  }
}
