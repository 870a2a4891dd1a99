// @module-tag repeated
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draft, FOREVER, readAll, tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { times } from '#support/long.ts'
import { type ActivityDraft, type ActivityEntry, subjectKey, GATEWAY_CAUSE } from '../../home/model/events.ts'
import type { ActivityPage, OutboxRow, SubjectFilter } from '../../home/ports/history-store.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { openHistory } from './history-db.ts'

describe('activity', () => {
  test('an entry returns as recorded, with its whole cause chain', async () => {
    const { activity } = tempHistory()
    const entry: ActivityDraft = {
      at: 1_800_000_000_123,
      kind: 'state',
      subject: { kind: 'device', id: 'hall-module:1' },
      what: 'brightness set to 40 %',
      cause: {
        source: 'scene',
        name: 'Evening',
        ref: 'evening',
        by: {
          source: 'automation',
          name: 'Dusk',
          ref: 'dusk',
          by: { source: 'unit', name: 'motion', ref: 'hall-sensor' },
        },
      },
      data: { from: { on: false }, to: { on: true, bri: 40 } },
    }
    activity.record(entry)
    await activity.committed()
    const page = activity.page({ subjects: { all: true }, from: 0, to: FOREVER, limit: 50 })
    expect(page.nextTo).toBeNull()
    expect(page.entries).toEqual([{ id: expect.stringMatching(/^[A-Za-z0-9_-]{12}$/), ...entry }])
  })

  test('the rows of one event loop turn are one commit, and committed() waits for it', async () => {
    const turns: (() => void)[] = []
    const history = tempHistory({ defer: (run) => turns.push(run) })
    let committed = false
    for (let at = 1; at <= 3; at++) history.activity.record(draft(at))
    const waiting = (async () => {
      await history.activity.committed()
      committed = true
    })()
    await Promise.resolve()
    expect(turns).toHaveLength(1)
    expect(committed).toBe(false)
    expect(history.writer.counts.written).toBe(0)
    turns[0]?.()
    await waiting
    expect(readAll(history.activity, { all: true }, 5)).toHaveLength(3)
    expect(history.writer.counts).toEqual({ written: 3, shed: 0, failed: 0, leftOutLately: 0 })
    await history.activity.committed()
  })

  test('a storm fills the queue to its bound and the rest is counted, not stored', { tags: ['long'] }, async () => {
    const history = tempHistory()
    for (let n = 0; n < 12_345; n++) history.activity.record(draft(1_000 + n))
    expect(history.writer.counts.shed).toBe(2_345)
    await history.activity.committed()
    expect(history.writer.counts).toEqual({ written: 10_000, shed: 2_345, failed: 0, leftOutLately: 2_345 })
  })

  test('a full millisecond continues in the next one, in the same order', () => {
    const { activity } = tempHistory()
    for (let n = 0; n < 2_500; n++) activity.record(draft(5_000, `entry ${n}`))
    const entries = readAll(activity, { all: true }, 200)
    expect(entries.map((entry) => entry.what)).toEqual(Array.from({ length: 2_500 }, (_, n) => `entry ${2_499 - n}`))
    expect(new Set(entries.map((entry) => entry.at))).toEqual(new Set([5_000, 5_001, 5_002]))
  })

  test('export gives every entry once, oldest first', () => {
    const { activity } = tempHistory()
    for (let n = 0; n < 1_203; n++) activity.record(draft(n >> 1, String(n)))
    expect([...activity.iterate(0, FOREVER)].map((entry) => entry.what)).toEqual(
      Array.from({ length: 1_203 }, (_, n) => String(n)),
    )
    expect([...activity.iterate(100, 102)].map((entry) => entry.at)).toEqual([100, 100, 101, 101])
  })
})

describe('the outbox', () => {
  const rows: OutboxRow[] = [1, 2, 3].map((id) => ({ id, draft: draft(1_000 + id, `change ${id}`) }))

  test('a row from the outbox that returns after a crash is not stored again', () => {
    const file = join(tempFolder(), 'history.db')
    const open = () => openHistory({ file, clock: new ManualClock(), random: systemRandom, log: silentLog })
    const before = open()
    before.activity.takeOutbox(rows.slice(0, 2), 'now')
    before.close()
    const after = open()
    after.activity.takeOutbox(rows, 'now')
    after.activity.takeOutbox(rows.slice(1), 'now')
    expect(readAll(after.activity, { all: true }, 50).map((entry) => entry.what)).toEqual([
      'change 3',
      'change 2',
      'change 1',
    ])
    after.close()
  })

  test('reused ids with other rows, as after a restored backup, are stored', () => {
    const { activity } = tempHistory()
    activity.takeOutbox(rows, 'now')
    activity.takeOutbox([{ id: 2, draft: draft(9_000, 'after the backup') }], 'now')
    expect(readAll(activity, { all: true }, 50)).toHaveLength(4)
  })
})

/** Few devices and few milliseconds, so that many collide. */
const someDrafts = fc.array(
  fc
    .record({ at: fc.integer({ min: 0, max: 30 }), id: fc.integer({ min: 0, max: 70 }).map((n) => `unit-${n}`) })
    .map(({ at, id }) => draft(at, 'x', { kind: 'device', id })),
  { maxLength: 150 },
)

describe('paging', () => {
  test('returns exactly the visible entries, newest first, and never splits a millisecond', () => {
    fc.assert(
      fc.property(
        someDrafts,
        fc.uniqueArray(fc.integer({ min: 0, max: 70 })),
        fc.integer({ min: 1, max: 12 }),
        (drafts, picked, limit) => {
          const history = tempHistoryFor()
          for (const [n, one] of drafts.entries()) history.activity.record({ ...one, what: String(n) })
          const keys = new Set(picked.map((n) => subjectKey({ kind: 'device', id: `unit-${n}` })))
          const pages: ActivityPage[] = []
          const got = readAll(history.activity, { only: keys }, limit, (page) => pages.push(page))
          const want = drafts
            .map((one, n) => ({ ...one, what: String(n) }))
            .filter((one) => keys.has(subjectKey(one.subject)))
            .toSorted((a, b) => b.at - a.at || Number(b.what) - Number(a.what))
          expect(got.map((entry) => entry.what)).toEqual(want.map((entry) => entry.what))
          for (const [n, page] of pages.entries()) {
            const oldest = page.entries.at(-1)?.at
            expect(page.nextTo).toBe(n + 1 < pages.length ? oldest : null)
            expect(page.entries.length <= limit || new Set(page.entries.map((entry) => entry.at)).size === 1).toBe(true)
            expect(pages[n + 1]?.entries.some((entry) => entry.at === oldest) ?? false).toBe(false)
          }
          history.close()
        },
      ),
      { numRuns: times(20, 600) },
    )
  })

  test('a search returns all matches, newest first, with any page size of examined rows', () => {
    const { activity } = tempHistory()
    const causes = [GATEWAY_CAUSE, { source: 'person', name: 'Anna' } as const]
    const drafts = Array.from({ length: 3_000 }, (_, n) => ({
      ...draft(1_000 + Math.floor(n / 7), String(n), { kind: 'device', id: `lamp-${n % 5}` }),
      kind: n % 3 === 0 ? ('failed' as const) : ('state' as const),
      cause: causes[n % 2] ?? GATEWAY_CAUSE,
    }))
    for (const draft of drafts) activity.record(draft)
    for (const [kind, source, limit] of [
      ['failed', 'person', 7],
      [undefined, 'gateway', 200],
      ['state', 'voice', 5],
    ] as const) {
      const found: string[] = []
      const times: number[] = []
      for (let to: number | null = FOREVER; to !== null;) {
        const fits = ({ subject }: Pick<ActivityEntry, 'subject'>): boolean =>
          'id' in subject && subject.id !== 'lamp-1'
        const mentions = ['lamp-']
        const meant = { kind, source, mentions, fits }
        const page: ActivityPage = activity.search({ from: 0, to, limit, ...meant, rowsMax: 1_100 })
        found.push(...page.entries.map(({ what }) => what))
        times.push(...new Set(page.entries.map(({ at }) => at)))
        to = page.nextTo
      }
      const wanted = drafts.filter(
        ({ what, ...draft }) =>
          (kind ?? draft.kind) === draft.kind && draft.cause.source === source && Number(what) % 5 !== 1,
      )
      expect(found).toEqual(wanted.map(({ what }) => what).toReversed())
      expect(new Set(times).size).toBe(times.length)
    }
  })

  test('while writers write, every existing entry is returned once and in order', () => {
    fc.assert(
      fc.property(
        someDrafts,
        fc.array(someDrafts, { maxLength: 10 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (before, arriving, limit, everything) => {
          const history = tempHistoryFor()
          for (const [n, one] of before.entries()) history.activity.record({ ...one, what: `before ${n}` })
          const filter: SubjectFilter = everything
            ? { all: true }
            : { only: before.map((one) => subjectKey(one.subject)) }
          const queue = [...arriving]
          let now = 100
          const got = readAll(history.activity, filter, limit, () => {
            for (const one of queue.shift() ?? []) history.activity.record({ ...one, at: now++ })
          })
          expect(got.map((entry) => entry.what).toSorted()).toEqual(before.map((_, n) => `before ${n}`).toSorted())
          for (const [n, entry] of got.entries()) expect(entry.at).toBeLessThanOrEqual(got[n - 1]?.at ?? FOREVER)
          history.close()
        },
      ),
      { numRuns: times(20, 600) },
    )
  })

  test('hidden entries change neither a page nor nextTo', () => {
    fc.assert(
      fc.property(someDrafts, someDrafts, fc.integer({ min: 1, max: 9 }), (visible, hidden, limit) => {
        const pages = [[], hidden].map((extra) => {
          const history = tempHistoryFor()
          for (const one of visible) history.activity.record(one)
          for (const one of extra) history.activity.record({ ...one, subject: { kind: 'device', id: 'hidden' } })
          const all: unknown[] = []
          readAll(history.activity, { only: visible.map((one) => subjectKey(one.subject)) }, limit, (page) => {
            all.push({ nextTo: page.nextTo, entries: page.entries.map((entry) => [entry.at, entry.subject]) })
          })
          history.close()
          return all
        })
        expect(pages[1]).toEqual(pages[0])
      }),
      { numRuns: times(12, 300) },
    )
  })
})

/** In memory, because a property opens hundreds. */
function tempHistoryFor(): ReturnType<typeof openHistory> {
  return openHistory({ file: ':memory:', clock: new ManualClock(), random: systemRandom, log: silentLog })
}

test('all but some kinds of subjects', () => {
  const { activity } = tempHistory()
  activity.record(draft(1, 'a'))
  activity.record(draft(2, 'b', { kind: 'automation', id: 'dusk' }))
  activity.record(draft(3, 'c', { kind: 'home' }))
  expect(readAll(activity, { all: true, except: ['automation'] }, 50).map((entry) => entry.what)).toEqual(['c', 'a'])
})
