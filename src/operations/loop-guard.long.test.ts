// @module-tag long
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { runGuarded } from '#support/guarded-process.ts'

/** How long the guard lets a process stand that is to be left alone: longer than a busy machine does. */
const PATIENT_MS = 2_000

proves('administration.hang', 'a running loop, and a loop with an ended guard, are left alone', async () => {
  const held = `guard.end(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${PATIENT_MS + 200})`
  const ends = await Promise.all([
    runGuarded(PATIENT_MS, `setTimeout(() => guard.end(), ${PATIENT_MS + 200})`),
    runGuarded(PATIENT_MS, held),
  ])
  expect(ends).toEqual(ends.map(() => [0, null, '']))
})
