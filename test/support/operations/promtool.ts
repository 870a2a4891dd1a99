import { spawnSync } from 'node:child_process'

/** From Debian's package `prometheus`, or HM_TEST_PROMTOOL. */
const PROGRAM = process.env['HM_TEST_PROMTOOL'] ?? 'promtool'

/** True if promtool is installed; otherwise its tests are skipped with a notice. */
export const PROMTOOL = spawnSync(PROGRAM, ['--version']).status === 0
if (!PROMTOOL) process.stdout.write("promtool: skipped, it is not installed (Debian's package prometheus).\n")

/** Complaints of promtool about a text or file; empty if all is well. */
export function promtool(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(PROGRAM, words, { input, encoding: 'utf8' })
  return status === 0 ? stderr : `${stdout}${stderr}ended with ${status}`
}
