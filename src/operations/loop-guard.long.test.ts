// @module-tag long
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { runGuarded } from '#support/guarded-process.ts'

/** How long the guard lets a process stand that is to be left alone: longer than a busy machine does. */
const PATIENT_MS = 2_000

proves('administration.hang', 'a running loop, and a process that a person stopped, are left alone', async () => {
  const pause = `kill -STOP $PPID; sleep ${PATIENT_MS / 1_000 + 0.5}; kill -CONT $PPID`
  const ends = await Promise.all([
    runGuarded(PATIENT_MS, `setTimeout(() => {}, ${PATIENT_MS + 200})`),
    runGuarded(PATIENT_MS, `spawn('sh', ['-c', '${pause}'])`),
  ])
  expect(ends).toEqual(ends.map(() => [0, null, '']))
})
