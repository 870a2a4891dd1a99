// Fetching what is not of this repository: what cannot be had here is told apart from what goes wrong.

import { spawnSync } from 'node:child_process'

/** Something that this machine does not have and cannot get: a program, or a place of packages that cannot be reached. */
export class NotHere extends Error {}

/** Longer than any fetch took; what hangs is as good as unreachable. */
const FETCH_MINUTES_MAX = 10
/** How pip, uv and apt say that nobody answered, or nobody who could. */
const UNREACHABLE =
  /dns error|error sending request|failed to lookup|name resolution|name or service not known|could not resolve|failed to establish a new connection|connection (?:refused|reset|timed out|failed)|connect error|tcp connect|could not connect|unable to connect|network is unreachable|no route to host|operation timed out|read timed out|timed out|5\d\d (?:server error|internal server error|bad gateway|service unavailable|gateway time-?out)/i
const SAID_LINES = 6

/**
 * Runs a program that fetches, to its end.
 *
 * @throws NotHere where the program is missing, or what it asks cannot be reached. An Error with what it said where it
 *   failed for anything else.
 */
export function fetched(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const ran = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    timeout: FETCH_MINUTES_MAX * 60_000,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (ran.status === 0) return ran.stdout
  const { code } = (ran.error ?? {}) as { readonly code?: string }
  if (code === 'ENOENT') throw new NotHere(`${program} is not installed`)
  if (code === 'ETIMEDOUT') throw new NotHere(`${program} ${args[0]} had no end after ${FETCH_MINUTES_MAX} minutes`)
  const said = `${ran.stdout}\n${ran.stderr}`.trim()
  const line = said.split('\n').find((each) => UNREACHABLE.test(each))
  if (line !== undefined) throw new NotHere(`${program} ${args[0]} reached nobody: ${line.trim()}`)
  throw new Error(
    `${program} ${args[0]} failed: ${said.split('\n').slice(-SAID_LINES).join('\n') || code || ran.signal}`,
  )
}
