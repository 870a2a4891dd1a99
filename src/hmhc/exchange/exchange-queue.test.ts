// @module-tag repeated
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Requester, Priority } from '../../home/ports/unit-bus.ts'
import { times } from '#support/long.ts'
import { ExchangeQueue, type Queued, WAITING_OF_ONE_MAX } from './exchange-queue.ts'

interface Entry extends Queued {
  readonly at: number
  readonly asker: Requester
}

let made = 0
const change = (asker: Requester, units: readonly number[], ordered = true): Entry => ({
  at: made++,
  asker,
  units,
  ordered,
  key: null,
})
const always = (): boolean => true

function fillQueue(entries: readonly Entry[], priority: Priority = 'person'): ExchangeQueue<Entry> {
  const queue = new ExchangeQueue<Entry>()
  for (const entry of entries) expect(queue.add(entry, priority, entry.asker)).toBe('added')
  return queue
}

function drainQueue(queue: ExchangeQueue<Entry>): Entry[] {
  const taken: Entry[] = []
  for (let next = queue.take(always); next !== null; next = queue.take(always)) taken.push(next)
  return taken
}

const textOf = (entries: readonly Entry[]): string =>
  entries.map(({ asker, units }) => `${asker}${units.join()}`).join(' ')

describe('askers of frames', () => {
  it('take turns within a priority, each in the order of its requests', () => {
    const entries = [change('a', [1]), change('a', [2]), change('a', [3]), change('b', [4]), change('b', [5])]
    expect(textOf(drainQueue(fillQueue(entries)))).toBe('a1 b4 a2 b5 a3')
  })

  it('come first if served longest ago, so that one with many requests never blocks two with few', () => {
    const queue = fillQueue(Array.from({ length: 4 }, (_, unit) => change('much', [unit])))
    const taken: Entry[] = []
    for (const asker of ['x', 'y', 'x', 'y', 'x', 'y']) {
      const little = change(asker, [100 + taken.length])
      queue.add(little, 'person', asker)
      taken.push(queue.take(always)!)
    }
    expect(taken.filter(({ asker }) => asker === 'much')).toHaveLength(2)
  })

  it('do not wait longer than others for a unit with an earlier change by another asker: that change goes in their turn', () => {
    const entries = [change('a', [1]), change('a', [2]), change('a', [3]), change('a', [4, 5]), change('b', [5])]
    expect(textOf(drainQueue(fillQueue(entries)))).toBe('a1 a4,5 a2 b5 a3')
  })

  it(`have at most ${WAITING_OF_ONE_MAX} waiting, except the home itself`, () => {
    const queue = fillQueue(Array.from({ length: WAITING_OF_ONE_MAX }, (_, unit) => change('a', [unit])))
    expect(queue.add(change('a', [99]), 'person', 'a')).toBe('too_many')
    expect(queue.add(change('b', [99]), 'person', 'b')).toBe('added')
    for (let unit = 0; unit <= WAITING_OF_ONE_MAX; unit++)
      expect(queue.add(change(null, [unit], false), 'background', null)).toBe('added')
    queue.take(always)
    queue.take(always)
    expect(queue.add(change('a', [99]), 'person', 'a')).toBe('added')
  })
})

describe('whatever waits', () => {
  const asker = fc.constantFrom('a', 'b', 'c', null)
  const priority = fc.constantFrom<Priority>('person', 'automation', 'background')
  const units = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 })
  const step = fc.oneof(
    fc.record({ asker, priority, units, ordered: fc.boolean() }),
    fc.record({ busy: fc.uniqueArray(fc.nat(5), { maxLength: 3 }) }),
  )

  it('is taken once, and never before an older change of one of its units', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new ExchangeQueue<Entry>()
        const waiting = new Set<Entry>()
        const take = (busy: readonly number[]): boolean => {
          const taken = queue.take((entry) => !entry.units.some((unit) => busy.includes(unit)))
          if (taken === null) return false
          expect(waiting.delete(taken)).toBe(true)
          const older = [...waiting].filter((other) => other.ordered && other.at < taken.at)
          if (taken.ordered)
            expect(older.filter((other) => other.units.some((u) => taken.units.includes(u)))).toEqual([])
          return true
        }
        for (const step of steps) {
          if ('busy' in step) take(step.busy)
          else {
            const entry = change(step.asker, step.units, step.ordered)
            if (queue.add(entry, step.priority, step.asker) === 'added') waiting.add(entry)
          }
        }
        while (take([])) continue
        expect([waiting.size, queue.size]).toEqual([0, 0])
      }),
      { numRuns: times(200, 20_000) },
    )
  })

  it('waits for at most one frame of each other asker if it has its unit alone', () => {
    const others = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 })
    fc.assert(
      fc.property(others, others, (before, after) => {
        const queue = fillQueue(before.map((who, at) => change(who, [at])))
        for (const _ of after.slice(0, 5)) queue.take(always)
        const mine = change('mine', [1_000])
        queue.add(mine, 'person', 'mine')
        for (const [at, who] of after.entries()) queue.add(change(who, [500 + at]), 'person', who)
        const ahead: Requester[] = []
        for (let next = queue.take(always); next !== mine; next = queue.take(always)) ahead.push(next!.asker)
        expect(new Set(ahead).size).toBe(ahead.length)
      }),
      { numRuns: times(100, 10_000) },
    )
  })
})
