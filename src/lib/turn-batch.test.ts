import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TurnBatch } from './turn-batch.ts'

/** Takes so many requests; returns the live list of finished ones. */
function takeMany(turnBatch: TurnBatch, count: number, from = 0): number[] {
  const done: number[] = []
  for (let request = from; request < from + count; request += 1) turnBatch.schedule(() => void done.push(request))
  return done
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

it('handles few at once, and the rest of many at the end of the turn', async () => {
  const turnBatch = new TurnBatch()
  const done = takeMany(turnBatch, 10)
  expect(done).toEqual([0, 1])
  await turn()
  expect(done).toEqual(upTo(10))
  expect(takeMany(turnBatch, 2)).toEqual([0, 1])
})

it('keeps the order of arrival, and lets other work in between', async () => {
  const turnBatch = new TurnBatch()
  const done = takeMany(turnBatch, 40)
  await turn()
  expect(done).toEqual(upTo(18))
  // It was the first of its turn, but earlier requests wait.
  turnBatch.schedule(() => void done.push(40))
  expect(done).toEqual(upTo(18))
  await turn()
  expect(done).toEqual(upTo(34))
  await turn()
  expect(done).toEqual(upTo(41))
})

it('handles all pending requests when a peer half-closes', async () => {
  const turnBatch = new TurnBatch()
  const done = takeMany(turnBatch, 40)
  turnBatch.finish()
  expect(done).toEqual(upTo(40))
  await turn()
  expect(done).toEqual(upTo(40))
})

it('numbers turns, so that whatever comes after a request was handled has another number', async () => {
  const turnBatch = new TurnBatch()
  const turns: number[] = []
  for (let request = 0; request < 3; request += 1) turnBatch.schedule(() => void turns.push(turnBatch.turn))
  await turn()
  expect(turns).toEqual([0, 0, 0])
  expect(turnBatch.turn).toBe(1)
})

it('bounds the pending requests, of one turn and of many', async () => {
  const turnBatch = new TurnBatch()
  expect(takeMany(turnBatch, 1_000)).toEqual(upTo(1_000))
  const done: number[] = []
  for (let come = 0; come < 10_000;) {
    for (const end = come + 200; come < end; come += 1) {
      const request = come
      turnBatch.schedule(() => void done.push(request))
      expect(request - done.length).toBeLessThanOrEqual(256)
    }
    await turn()
  }
  turnBatch.finish()
  expect(done).toEqual(upTo(10_000))
})
