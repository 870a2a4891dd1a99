import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** A program that did not do what it was asked for, with what it said. */
export class ProgramFailed extends Error {}

/** The last that a program said is what matters of it. */
const SAID_CHARACTERS_MAX = 4_000

/** Runs a program in a folder; answers what it printed. @throws ProgramFailed */
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
    throw new ProgramFailed(`${program} ${args.join(' ')}\n${(stdout + stderr).slice(-SAID_CHARACTERS_MAX)}`)
  }
}

/** Whether the machine has a program. */
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
