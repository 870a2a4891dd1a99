import { vi } from 'vitest'
import { CliError } from '../../../src/cli/admin-client.ts'
import { hmProgram } from '../../../src/cli/program.ts'

export interface CliRun {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command of `bin/hm` against the gateway of a data folder, without a process of its own. */
export async function hm(dataDir: string, ...args: readonly string[]): Promise<CliRun> {
  const out: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0)
  try {
    await hmProgram()
      .exitOverride()
      .parseAsync(['--data-dir', dataDir, ...args], { from: 'user' })
    return { code: 0, out: out.join(''), err: '' }
  } catch (error) {
    if (error instanceof CliError) return { code: 1, out: out.join(''), err: error.message }
    throw error
  } finally {
    spy.mockRestore()
  }
}

/** The same with `--json`, parsed; throws where it fails. */
export async function hmJson<T>(dataDir: string, ...args: readonly string[]): Promise<T> {
  const { code, out, err } = await hm(dataDir, ...args, '--json')
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as T
}
