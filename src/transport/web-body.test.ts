import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { writeBody } from './web-body.ts'

test('a reader who is slow for long leaves nothing behind for each piece that it was waited for', async () => {
  const PIECES = 30
  const got: string[] = []
  const listeners: number[] = []
  const reader = new Writable({
    highWaterMark: 1,
    write: (piece: Buffer, _encoding, done) => {
      got.push(piece.toString())
      listeners.push(reader.listenerCount('close'))
      setImmediate(done)
    },
  })
  const pieces = Array.from({ length: PIECES }, (_, n) => `piece ${n}`)
  await writeBody(ReadableStream.from(pieces.map((piece) => Buffer.from(piece))), reader)
  expect(got).toEqual(pieces)
  expect(new Set(listeners.slice(2)).size).toBe(1)
})
