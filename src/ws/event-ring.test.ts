import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventRing } from './event-ring.ts'
import type { StreamEvent } from './stream-event.ts'

const eventOf = (seq: number): StreamEvent => ({
  seq,
  event: 'state',
  subject: { kind: 'exposure' },
  frame: Buffer.alloc(0),
  collapse: 'x',
  intents: [],
  naming: null,
})

test('a ring returns exactly the events after a number, or null if some are missing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e12 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 70 }),
      fc.integer({ min: -5, max: 80 }),
      (base, size, count, offset) => {
        const ring = new EventRing(base, size)
        const all = Array.from({ length: count }, (_, index) => eventOf(base + index + 1))
        for (const event of all) ring.push(event)
        const since = base + offset
        const held = offset >= 0 && offset <= count && count - offset <= size
        expect(ring.last).toBe(base + count)
        expect(ring.since(since)).toEqual(held ? all.filter((event) => event.seq > since) : null)
      },
    ),
  )
})
