import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { Ending } from './ending.ts'

/** A process whose log is read or not, with the ways in which it ended. */
function process_({ isRead }: { readonly isRead: boolean }) {
  const [clock, log, ended] = [new ManualClock(), recordingLog(), [] as (number | 'killed')[]]
  const ending = new Ending({
    clock,
    log,
    flushLog: (done) => {
      if (isRead) done()
    },
    exit: (code) => ended.push(code),
    kill: () => ended.push('killed'),
  })
  return { clock, log, ended, ending }
}

const hangs = { stop: () => new Promise<void>(() => {}) }
const stops = { stop: () => Promise.resolve() }

proves('relay.stop', 'it exits with 0 as soon as all parts are closed', async () => {
  const { clock, ended, ending } = process_({ isRead: true })
  ending.stop(stops)
  await clock.advanceAsync(0)
  expect(ended).toEqual([0])
})

proves('relay.stop', 'a part that hangs does not delay the exit beyond the limit, and is logged', async () => {
  const { clock, log, ended, ending } = process_({ isRead: true })
  ending.stop(hangs)
  await clock.advanceAsync(35_999)
  expect(ended).toEqual([])
  await clock.advanceAsync(1)
  expect(ended).toEqual([1])
  expect(log.sentences('error')).toEqual(['The relay did not stop in time. The process ends now.'])
})

proves('relay.stop', 'a log that is not read delays the exit by a second at most', async () => {
  const { clock, ended, ending } = process_({ isRead: false })
  ending.stop(stops)
  await clock.advanceAsync(999)
  expect(ended).toEqual([])
  await clock.advanceAsync(1)
  expect(ended).toEqual(['killed'])
})

proves('relay.stop', 'a second signal ends it immediately, and a failed stop is logged', async () => {
  const twice = process_({ isRead: true })
  twice.ending.stop(hangs)
  twice.ending.stop(hangs)
  expect(twice.ended).toEqual([1])
  const fails = process_({ isRead: true })
  fails.ending.stop({ stop: () => Promise.reject(new Error('a part failed')) })
  await fails.clock.advanceAsync(0)
  expect(fails.ended).toEqual([1])
  expect(fails.log.sentences('error')).toEqual(['The relay did not stop cleanly.'])
})
