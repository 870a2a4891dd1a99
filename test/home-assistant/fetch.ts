// Fetching what is not of this repository: what cannot be had here is told apart from what goes wrong.

import { spawnSync } from 'node:child_process'
import { MissingPrerequisite, unreachableLine } from '#support/project/missing-prerequisite.ts'

/** Longer than any fetch took; what hangs is as good as unreachable. */
const FETCH_MINUTES_MAX = 10
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
  if (code === 'ENOENT') throw new MissingPrerequisite(`${program} is not installed`)
  if (code === 'ETIMEDOUT')
    throw new MissingPrerequisite(`${program} ${args[0]} had no end after ${FETCH_MINUTES_MAX} minutes`)
  const said = `${ran.stdout}\n${ran.stderr}`.trim()
  const line = unreachableLine(said)
  if (line !== null) throw new MissingPrerequisite(`${program} ${args[0]} reached nobody: ${line}`)
  throw new Error(
    `${program} ${args[0]} failed: ${said.split('\n').slice(-SAID_LINES).join('\n') || code || ran.signal}`,
  )
}
