import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import { RateLimitedLog } from './rate-limited-log.ts'

test('an endlessly repeated line is written at once, and then once a minute with its count and last fields', () => {
  const clock = new ManualClock()
  const written = recordingLog()
  using sparing = new RateLimitedLog(written, clock)
  const log = sparing.log.child({ part: 'line' })
  for (let second = 0; second < 150; second++) {
    log.warn({ second }, 'It babbles.')
    if (second === 70) log.error({}, 'It is lost.')
    clock.advance(1_000)
  }
  clock.advance(600_000)
  log.warn({ second: 750 }, 'It babbles.')
  expect(written.lines).toEqual([
    { level: 'warn', fields: { part: 'line', second: 0 }, sentence: 'It babbles.' },
    { level: 'warn', fields: { part: 'line', second: 59, again: 59 }, sentence: 'It babbles.' },
    { level: 'error', fields: { part: 'line' }, sentence: 'It is lost.' },
    { level: 'warn', fields: { part: 'line', second: 119, again: 60 }, sentence: 'It babbles.' },
    { level: 'warn', fields: { part: 'line', second: 149, again: 30 }, sentence: 'It babbles.' },
    { level: 'warn', fields: { part: 'line', second: 750 }, sentence: 'It babbles.' },
  ])
})
