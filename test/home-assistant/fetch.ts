// Fetches packages from outside. Missing prerequisites are distinguished from failures.

import { spawnSync } from 'node:child_process'
import { MissingPrerequisite, unreachableLine } from '#support/project/missing-prerequisite.ts'

/** Timeout, longer than any fetch took. */
const FETCH_MINUTES_MAX = 10
const SAID_LINES = 6

/**
 * Runs a fetching program to its end.
 * @throws MissingPrerequisite if the program or its registry is missing; an Error with the output for any other failure
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
  const output = `${ran.stdout}\n${ran.stderr}`.trim()
  const line = unreachableLine(output)
  if (line !== null) throw new MissingPrerequisite(`${program} ${args[0]} reached nobody: ${line}`)
  throw new Error(
    `${program} ${args[0]} failed: ${output.split('\n').slice(-SAID_LINES).join('\n') || code || ran.signal}`,
  )
}
