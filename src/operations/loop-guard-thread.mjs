import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// Plain JavaScript, since taking types out needs more memory than this thread may have; the fields are those of
// LoopGuardSettings.
const { shared, lookEveryMs } = workerData
const [TURNS, LOOKS_MAX] = [0, 1]
const STDERR = 2

let seen = -1
let looks = 0

// Looks are counted, not time: while the whole process is held, by a person or a sleeping machine, neither thread runs.
setInterval(() => {
  // In this order, the reverse of how they are written: whoever reads a new bound also sees the turn that came with it.
  const looksMax = Atomics.load(shared, LOOKS_MAX)
  const now = Atomics.load(shared, TURNS)
  looks = now === seen ? looks + 1 : 0
  seen = now
  if (looks < looksMax) return
  const seconds = Math.round((looksMax * lookEveryMs) / 1_000)
  const msg = `The gateway has hung for ${seconds} s and is ended, so that it can be started anew; what was acknowledged is kept.`
  writeSync(STDERR, `${JSON.stringify({ level: 60, time: new Date().toISOString(), msg })}\n`)
  // Nothing milder ends a process whose main thread does not turn.
  process.kill(process.pid, 'SIGKILL')
}, lookEveryMs)
