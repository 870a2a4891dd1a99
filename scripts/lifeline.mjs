// Loaded before the program that scripts/run.mjs runs (`--import`). Ends the program when what started it dies without
// passing on a signal, for example after `kill -9`.

import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'

/** Time for pending work to end before the process is killed. */
const GRACE_MS = 40_000
/** Interval for checking that npm is alive. */
const LOOK_EACH_MS = 5_000

const fd = Number(process.env.HM_LIFELINE_FD)
delete process.env.HM_LIFELINE_FD
if (fd > 2) whenRunnerEnds(fd, end)
else if (process.env.npm_lifecycle_event !== undefined) whenNpmEnds(end)

function end() {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref()
  process.kill(process.pid, 'SIGTERM')
}

/** Calls back when run.mjs, which holds this pipe open, has ended. */
function whenRunnerEnds(fd, onEnd) {
  const line = new Socket({ fd, readable: true, writable: false })
  line.on('error', () => {})
  line.once('close', onEnd)
  line.resume()
  line.unref()
}

/** Calls back after npm, which started this process by a shell, was killed. Other parents may end, as with `nohup`. */
function whenNpmEnds(onEnd) {
  const started = ancestors()
  const looking = setInterval(() => {
    if (ancestors() === started) return
    clearInterval(looking)
    onEnd()
  }, LOOK_EACH_MS)
  looking.unref()
}

/** The ids of the parent and, if that is npm's shell, of its parent, if the system shows them. */
function ancestors() {
  const { ppid } = process
  try {
    // The name in `1234 (sh) S 1233 …` may contain blanks and brackets.
    const stat = readFileSync(`/proc/${ppid}/stat`, 'utf8')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /^(?:[bd]?a)?sh$/.test(name) ? `${ppid} ${parent}` : `${ppid}`
  } catch {
    return `${ppid}`
  }
}
