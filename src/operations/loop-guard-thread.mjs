import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// Plain JavaScript, because stripping types needs more memory than this thread has. The fields are LoopGuardSettings.
const { shared, lookEveryMs } = workerData
const [TURNS, LOOKS_MAX] = [0, 1]
const STDERR = 2

let lastTurn = -1
let looks = 0

// Counts looks instead of time, because neither thread runs while the whole process is paused, by a person or a
// sleeping machine.
setInterval(() => {
  // Reads in the reverse order of the writes, so that a new bound is always read with its turn.
  const looksMax = Atomics.load(shared, LOOKS_MAX)
  const now = Atomics.load(shared, TURNS)
  looks = now === lastTurn ? looks + 1 : 0
  lastTurn = now
  if (looks < looksMax) return
  const seconds = Math.round((looksMax * lookEveryMs) / 1_000)
  const msg = `The gateway has hung for ${seconds} s and is ended for a restart. Acknowledged changes are stored.`
  writeSync(STDERR, `${JSON.stringify({ level: 60, time: new Date().toISOString(), msg })}\n`)
  // A milder signal does not end a process with a stalled main thread.
  process.kill(process.pid, 'SIGKILL')
}, lookEveryMs)
