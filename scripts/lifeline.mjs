// Loaded before the program that scripts/run.mjs runs (`--import`): ends it when run.mjs is gone without having been
// able to pass a signal on, as after `kill -9`. The line is a pipe whose other end run.mjs has open as long as it lives.

import { Socket } from 'node:net'

/** What is under way has so long to end; then the process is cut off. */
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
