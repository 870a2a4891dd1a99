import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { closeWithTimeout } from './closing.ts'

const SENTENCE = 'A part did not close in time and is skipped.'

proves('administration.stop', 'a part that hangs is named and skipped, and the others close', async () => {
  const clock = new ManualClock()
  const log = recordingLog()
  const closed: string[] = []
  const stack = new AsyncDisposableStack()
  const close = (part: string) => async (): Promise<unknown> => closed.push(part)
  closeWithTimeout(stack, 'last', close('last'), { clock, log })
  closeWithTimeout(stack, 'hanging', () => new Promise(() => {}), { clock, log })
  closeWithTimeout(stack, 'first', close('first'), { clock, log })
  const ended = stack.disposeAsync()
  await clock.advanceAsync(1_499)
  expect(closed).toEqual(['first'])
  await clock.advanceAsync(1)
  await ended
  expect(closed).toEqual(['first', 'last'])
  expect(log.lines).toEqual([{ level: 'warn', fields: { part: 'hanging' }, sentence: SENTENCE }])
  expect(clock.waiting).toBe(0)
})

proves('administration.stop', 'a late failure of a skipped part harms nothing', async () => {
  const clock = new ManualClock()
  const log = recordingLog()
  const { promise, reject } = Promise.withResolvers<void>()
  const stack = new AsyncDisposableStack()
  closeWithTimeout(stack, 'late', () => promise, { clock, log })
  const ended = stack.disposeAsync()
  await clock.advanceAsync(1_500)
  await ended
  reject(new Error('too late'))
  await clock.advanceAsync(1)
  expect(log.sentences('warn')).toEqual([SENTENCE])
})
