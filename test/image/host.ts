import { execFile, type SpawnOptions } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const SAID_CHARACTERS_MAX = 4_000

/** A program that did not do what it was asked for, with the last that it said. */
class ProgramFailed extends Error {}

/** Runs a program of this machine as root; answers what it printed. @throws ProgramFailed */
export async function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  try {
    const { stdout } = await execute(program, [...args], { ...(options as object), maxBuffer: 64 * 1024 * 1024 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '', code } = error as { stdout?: string; stderr?: string; code?: number }
    const said = (stdout + stderr).slice(-SAID_CHARACTERS_MAX)
    throw new ProgramFailed(`${program} … ${args.slice(-2).join(' ')} ended with ${String(code)}:\n${said}`)
  }
}

/** Of these programs those that the machine does not have. */
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

/** What this machine needs to reach packages by: its proxies, and the CA of its own that it trusts. */
export function wayOut(): Readonly<Record<string, string>> {
  const names = /^(?:https?_proxy|no_proxy|npm_config_registry)$/i
  const entries = Object.entries(process.env).filter(([name, value]) => names.test(name) && value !== undefined)
  return Object.fromEntries(entries) as Record<string, string>
}

/** The file of the CA of its own that this machine trusts, where it has one. */
export const ownCa: string | null = process.env['NODE_EXTRA_CA_CERTS'] ?? null
