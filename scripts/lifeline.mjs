// Loaded before the program that scripts/run.mjs runs (`--import`). Ends the program when run.mjs dies without passing on
// a signal, for example after `kill -9`. The lifeline is a pipe that run.mjs holds open.

import { Socket } from 'node:net'

/** Time for pending work to end before the process is killed. */
const GRACE_MS = 40_000

const fd = Number(process.env.HM_LIFELINE_FD)
delete process.env.HM_LIFELINE_FD
if (fd > 2) {
  const line = new Socket({ fd, readable: true, writable: false })
  line.on('error', () => {})
  line.once('close', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref()
    process.kill(process.pid, 'SIGTERM')
  })
  line.resume()
  line.unref()
}
