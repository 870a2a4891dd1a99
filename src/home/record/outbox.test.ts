import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { GATEWAY_CAUSE } from '../model/cause.ts'
import type { OutboxRow, OutboxSource } from '../ports/history-store.ts'
import { drainOutbox } from './outbox.ts'

class Outbox implements OutboxSource {
  rows: OutboxRow[] = []
  crashBeforeRemoval = false

  peek(limit: number): readonly OutboxRow[] {
    return this.rows.slice(0, limit)
  }

  remove(ids: readonly number[]): void {
    if (this.crashBeforeRemoval) throw new Error('power cut')
    this.rows = this.rows.filter((row) => !ids.includes(row.id))
  }
}

test('crashes between the two databases neither lose nor repeat an entry', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ added: fc.integer({ min: 0, max: 450 }), crash: fc.boolean() }), { maxLength: 6 }),
      (rounds) => {
        const history = tempHistory({ file: ':memory:' })
        const outbox = new Outbox()
        let id = 0
        for (const { added, crash } of rounds) {
          for (let n = 0; n < added; n++) {
            outbox.rows.push({
              id: ++id,
              draft: {
                at: 1_000 + id,
                kind: 'edited',
                subject: { kind: 'home' },
                what: `change ${id}`,
                cause: GATEWAY_CAUSE,
              },
            })
          }
          outbox.crashBeforeRemoval = crash && outbox.rows.length > 0
          const drained = tried(() => drainOutbox(outbox, history.activity))
          expect(drained).toBe(!outbox.crashBeforeRemoval)
        }
        outbox.crashBeforeRemoval = false
        drainOutbox(outbox, history.activity)
        expect(outbox.rows).toEqual([])
        expect([...history.activity.each(0, 1e9)].map((entry) => entry.what)).toEqual(
          Array.from({ length: id }, (_, n) => `change ${n + 1}`),
        )
      },
    ),
    { numRuns: 20 },
  )
})

function tried(run: () => void): boolean {
  try {
    run()
    return true
  } catch {
    return false
  }
}
