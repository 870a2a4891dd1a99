import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** A failed program with its output. */
export class ProgramFailed extends Error {}

/** Last characters of the output of a failed program. */
const OUTPUT_CHARACTERS_MAX = 4_000

/** Runs a program in a folder and returns its standard output. @throws ProgramFailed */
export async function run(
  folder: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    const { stdout } = await execute(program, [...args], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new ProgramFailed(`${program} ${args.join(' ')}\n${(stdout + stderr).slice(-OUTPUT_CHARACTERS_MAX)}`)
  }
}

/** True if PATH has the program. */
export function isThere(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
