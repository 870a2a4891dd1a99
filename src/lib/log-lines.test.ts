import { expect, test } from 'vitest'
import { LINE_CHARACTERS_MAX, LOG_CHARACTERS_MAX, LOG_LINES_MAX, LogLines } from './log-lines.ts'

const line = (at: number, level = 30, more: object = {}): string =>
  JSON.stringify({ level, time: new Date(at).toISOString(), ...more, msg: `Line ${at}.` })

test('lines have their sentence and fields, filtered by level, time and place', () => {
  const lines = new LogLines('run')
  for (const [at, level] of [20, 30, 40, 50].entries()) lines.take(line(at + 1, level, { unit: 'a' }))
  expect(lines.list({ limit: 10 })[0]).toEqual({
    seq: 1,
    at: 1,
    level: 'debug',
    what: 'Line 1.',
    fields: { unit: 'a' },
  })
  const whats = (query: object): readonly string[] => lines.list({ limit: 10, ...query }).map(({ what }) => what)
  expect(whats({ level: 'warn' })).toEqual(['Line 3.', 'Line 4.'])
  expect(whats({ since: 4 })).toEqual(['Line 4.'])
  expect(whats({ after: 2 })).toEqual(['Line 3.', 'Line 4.'])
  expect(whats({ after: 99 })).toHaveLength(4)
  expect(whats({ limit: 1 })).toEqual(['Line 4.'])
})

test('the oldest lines are dropped, by number and by length', () => {
  const lines = new LogLines('run')
  for (let at = 1; at <= LOG_LINES_MAX + 5; at += 1) lines.take(line(at))
  const stored = lines.list({ limit: 10_000 })
  expect([stored.length, stored[0]?.seq]).toEqual([LOG_LINES_MAX, 6])
  const long = { text: 'x'.repeat(LINE_CHARACTERS_MAX / 2) }
  for (let at = 1; at <= LOG_LINES_MAX; at += 1) lines.take(line(at, 30, long))
  expect(JSON.stringify(lines.list({ limit: 10_000 })).length).toBeLessThan(LOG_CHARACTERS_MAX * 1.1)
})

test('a line that is too long keeps its sentence, its reference and the beginning of the error', () => {
  const lines = new LogLines('run')
  lines.take(line(1, 50, { text: 'x'.repeat(LINE_CHARACTERS_MAX) }))
  expect(lines.list({ limit: 1 })).toEqual([{ seq: 1, at: 1, level: 'error', what: 'Line 1.', fields: { cut: true } }])
  const long = 'x'.repeat(LINE_CHARACTERS_MAX)
  lines.take(line(2, 50, { reference: 'r3f', err: { type: 'Error', message: long, stack: `Error: ${long}` } }))
  const [stored] = lines.list({ limit: 1 })
  expect(stored?.fields).toMatchObject({
    reference: 'r3f',
    err: {
      type: 'Error',
      message: expect.stringMatching(/^x{100,}$/) as string,
      stack: expect.stringMatching(/^Error: x/) as string,
    },
  })
  expect(JSON.stringify(stored).length).toBeLessThan(LINE_CHARACTERS_MAX)
})
