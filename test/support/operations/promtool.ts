import { spawnSync } from 'node:child_process'

/** Of Debian's package `prometheus`, or named. */
const PROGRAM = process.env['HM_TEST_PROMTOOL'] ?? 'promtool'

/** Whether the real one is here; where not, its tests say so. */
export const PROMTOOL = spawnSync(PROGRAM, ['--version']).status === 0
if (!PROMTOOL) process.stdout.write("promtool: skipped, it is not here (Debian's package prometheus).\n")

/** What it says of a text or file; empty where all is well. */
export function promtool(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(PROGRAM, words, { input, encoding: 'utf8' })
  return status === 0 ? stderr : `${stdout}${stderr}ended with ${status}`
}
