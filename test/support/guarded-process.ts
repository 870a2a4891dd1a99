import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Interval of the guard's checks. */
const LOOK_EVERY_MS = 20

/** Runs a script under the guard as a process of its own; resolves when it ends. */
export async function runGuarded(
  standsMs: number,
  rest: string,
): Promise<readonly [code: unknown, signal: unknown, stderr: string]> {
  const script = `
    import { spawn } from 'node:child_process'
    import { guardLoop } from ${JSON.stringify(new URL('../../src/operations/loop-guard.ts', import.meta.url).href)}
    import { systemClock } from ${JSON.stringify(new URL('../../src/lib/clock.ts', import.meta.url).href)}
    import { silentLog } from ${JSON.stringify(new URL('../../src/lib/log.ts', import.meta.url).href)}
    const guard = guardLoop({ clock: systemClock, log: silentLog }, ${standsMs}, ${LOOK_EVERY_MS})
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
