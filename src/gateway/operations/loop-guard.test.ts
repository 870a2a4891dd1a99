import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { guarded } from '#support/guarded-process.ts'

proves('administration.hang', 'a process whose event loop stands is ended, and the log says why', async () => {
  // As in a gateway that hangs, the guard runs already when the loop stands.
  const [code, signal, stderr] = await guarded(
    200,
    "setInterval(() => {}, 1000); process.once('worker', (guard) => guard.once('online', () => { for (;;); }))",
  )
  expect([code, signal]).toEqual([null, 'SIGKILL'])
  expect(JSON.parse(stderr)).toEqual({
    level: 60,
    time: expect.stringMatching(/^\d{4}-/),
    msg: expect.stringMatching(/^The gateway has hung for \d+ s and is ended, so that it can be started anew/),
  })
})
