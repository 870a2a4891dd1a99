import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'

/** Looks of the guard, and how long it lets a process stand that is to be left alone: longer than a busy machine does. */
const LOOK_EVERY_MS = 20
const PATIENT_MS = 2_000

/** Runs a script under the guard as a process of its own; resolves to how it ended. */
async function guarded(
  standsMs: number,
  rest: string,
): Promise<readonly [code: unknown, signal: unknown, stderr: string]> {
  const script = `
    import { guardLoop } from ${JSON.stringify(new URL('loop-guard.ts', import.meta.url).href)}
    import { systemClock } from ${JSON.stringify(new URL('../lib/clock.ts', import.meta.url).href)}
    import { silentLog } from ${JSON.stringify(new URL('../lib/log.ts', import.meta.url).href)}
    const end = guardLoop({ clock: systemClock, log: silentLog }, ${standsMs}, ${LOOK_EVERY_MS})
    ${rest}`
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const [stderr, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return [code, signal, stderr]
}

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

proves('administration.hang', 'one that turns, and one whose guard has ended, are left alone', async () => {
  const held = `end(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${PATIENT_MS + 200})`
  const ends = await Promise.all([
    guarded(PATIENT_MS, `setTimeout(() => end(), ${PATIENT_MS + 200})`),
    guarded(PATIENT_MS, held),
  ])
  expect(ends).toEqual(ends.map(() => [0, null, '']))
})
