import { execFile, type SpawnOptions } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const OUTPUT_CHARACTERS_MAX = 4_000

/** A failed program with the end of its output. */
class ProgramFailed extends Error {}

/** Runs a program of this machine as root. Returns its standard output. @throws ProgramFailed */
export async function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  try {
    const { stdout } = await execute(program, [...args], { ...(options as object), maxBuffer: 64 * 1024 * 1024 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '', code } = error as { stdout?: string; stderr?: string; code?: number }
    const output = (stdout + stderr).slice(-OUTPUT_CHARACTERS_MAX)
    throw new ProgramFailed(`${program} … ${args.slice(-2).join(' ')} ended with ${String(code)}:\n${output}`)
  }
}

/** The programs that this machine does not have. */
export const missing = (programs: readonly string[]): readonly string[] => programs.filter((name) => !isThere(name))

function isThere(program: string): boolean {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return places.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Environment variables of this machine for the package registries: its proxies and registry. */
export function registryEnvironment(): Readonly<Record<string, string>> {
  const names = /^(?:https?_proxy|no_proxy|npm_config_registry)$/i
  const entries = Object.entries(process.env).filter(([name, value]) => names.test(name) && value !== undefined)
  return Object.fromEntries(entries) as Record<string, string>
}

/** File of an additional CA that this machine trusts, or null. */
export const ownCa: string | null = process.env['NODE_EXTRA_CA_CERTS'] ?? null
