// @module-tag repeated
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { SendQueue } from './send-queue.ts'
import { type EventDraft, type StreamEvent, writeEvent } from './stream-event.ts'

const DEVICES = 4
const INTENTS = ['a', 'b', 'c', 'd']

/** Steps of a queue: an event is added, or the reader has room for some bytes. */
type Step =
  | { readonly device: number; readonly event: 'state' | 'sensor'; readonly settings: readonly string[] }
  | { readonly take: number }

const steps = fc.array(
  fc.oneof(
    fc.record({
      device: fc.integer({ min: 0, max: DEVICES - 1 }),
      event: fc.constantFrom('state' as const, 'sensor' as const),
      settings: fc.constant([]),
    }),
    fc.record({
      device: fc.integer({ min: 0, max: DEVICES - 1 }),
      event: fc.constant('state' as const),
      settings: fc.subarray(INTENTS, { minLength: 1 }),
    }),
    fc.record({ take: fc.integer({ min: 1, max: 600 }) }),
  ),
  { maxLength: 80 },
)

function eventOf(step: Exclude<Step, { take: number }>, seq: number): StreamEvent {
  const settings = step.settings.length > 0 ? {} : null
  const draft: EventDraft = {
    event: step.event,
    at: 0,
    subject: { kind: 'device', key: `unit-${step.device}`, settings },
    state: String(seq),
  }
  return writeEvent(draft, { id: `unit-${step.device}`, class: 'x', intents: step.settings, topics: [] }, 'House', seq)
}

interface Message {
  device: string
  event: string
  state: number
  seq: number
  intents?: string[]
}

/** The messages in a piece of bytes: frames of less than 64 KiB. */
function messagesIn(bytes: Buffer): Message[] {
  const messages: Message[] = []
  for (let at = 0; at < bytes.length;) {
    const short = bytes[at + 1]! < 126
    const length = short ? bytes[at + 1]! : bytes.readUInt16BE(at + 2)
    const start = at + (short ? 2 : 4)
    messages.push(JSON.parse(bytes.toString('utf8', start, start + length)) as Message)
    at = start + length
  }
  return messages
}

test('every reader gets the last event of every device, in order, from a bounded queue', () => {
  fc.assert(
    fc.property(steps, (run) => {
      const queue = new SendQueue()
      const messages: Message[] = []
      const last = new Map<string, number>()
      const named = new Map<string, Set<string>>()
      let collapsed = 0
      let put = 0
      const take = (bytes: number): void => {
        const before = queue.size
        const piece = queue.take(bytes)
        expect(piece === null).toBe(before === 0)
        if (piece) messages.push(...messagesIn(piece))
      }
      for (const step of run) {
        if ('take' in step) {
          take(step.take)
          continue
        }
        put += 1
        const event = eventOf(step, put)
        if (queue.put(event)) collapsed += 1
        last.set(event.collapse, put)
        for (const intent of step.settings)
          named.set(event.collapse, (named.get(event.collapse) ?? new Set()).add(intent))
        expect(queue.size).toBeLessThanOrEqual(DEVICES * 3)
      }
      while (queue.size > 0) take(1)
      expect(messages.length + collapsed).toBe(put)
      const numbers = messages.map((event) => event.seq)
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      for (const [key, seq] of last) {
        const delivered = messages.filter(
          (event) => `${event.intents ? 'settings' : event.event}:${event.device}` === key,
        )
        expect(delivered.at(-1)).toMatchObject({ seq, state: seq })
        expect(new Set(delivered.flatMap((event) => event.intents ?? []))).toEqual(named.get(key) ?? new Set())
      }
    }),
    { numRuns: times(150, 5_000) },
  )
})

test('events that are no longer visible leave the queue', () => {
  const queue = new SendQueue()
  for (const device of [0, 1, 2]) queue.put(eventOf({ device, event: 'state', settings: [] }, device + 1))
  queue.keep((event) => event.seq !== 2)
  expect(messagesIn(queue.take(10_000)!).map((event) => event.device)).toEqual(['unit-0', 'unit-2'])
  expect(queue.take(1)).toBeNull()
})
