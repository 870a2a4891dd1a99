// Fetching what is not of this repository: what cannot be had here is told apart from what goes wrong.

import { spawnSync } from 'node:child_process'

/** Something that this machine does not have and cannot get: a program, or a place of packages that cannot be reached. */
export class NotHere extends Error {}

/** Longer than any fetch took; what hangs is as good as unreachable. */
const FETCH_MINUTES_MAX = 10
/** How pip, uv and apt say that nobody answered, or nobody who could, or who lets this machine in. */
const UNREACHABLE = new RegExp(
  [
    'dns error|failed to lookup|name resolution|temporary failure resolving|name or service not known|could not resolve',
    'error sending request|failed to establish a new connection|connect error|tcp connect|connection failed',
    'connection (?:refused|reset|timed out|aborted)|could not connect|unable to connect|remote end closed connection',
    'network is unreachable|no route to host|operation timed out|timed out',
    'cannot connect to proxy|tunnel connection failed|certificate verify failed|invalid peer certificate',
    // A mirror without what is asked for, or in the middle of being brought up to date.
    'does not have a release file|hash sum mismatch|file has unexpected size',
    '(?:403|407|429) +(?:client error|forbidden|proxy authentication required|too many requests)',
    'too many 5\\d\\d error responses',
    '5\\d\\d +(?:server error|internal server error|bad gateway|service unavailable|gateway time-?out)',
  ].join('|'),
  'i',
)
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
