import { vi } from 'vitest'
import { AdminSocket } from '../../../src/cli/commands/context.ts'
import { CliError } from '../../../src/cli/shell/terminal.ts'
import { hmProgram } from '../../../src/cli/program.ts'
import { checkAdminAnswer } from './conformance.ts'

export interface CliRun {
  readonly code: number
  readonly out: string
  readonly err: string
}

/**
 * Runs a `bin/hm` command against the gateway of a data folder, in this process. Checks the gateway's responses against
 * the administrators' OpenAPI document.
 */
export async function hm(dataDir: string, ...args: readonly string[]): Promise<CliRun> {
  const out: string[] = []
  process.exitCode = undefined
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0)
  const exchanged = vi.spyOn(AdminSocket.prototype, 'exchange')
  try {
    await hmProgram()
      .exitOverride()
      .parseAsync(['--data-dir', dataDir, ...args], { from: 'user' })
    return { code: exitCode(), out: out.join(''), err: '' }
  } catch (error) {
    if (error instanceof CliError) return { code: error.exitCode, out: out.join(''), err: error.message }
    throw error
  } finally {
    process.exitCode = undefined
    spy.mockRestore()
    const { calls, settledResults } = exchanged.mock
    exchanged.mockRestore()
    for (const [index, result] of settledResults.entries()) {
      const [method = '', path = ''] = calls[index] ?? []
      if (result.type === 'fulfilled') checkAdminAnswer(method, path, result.value.status, result.value.body)
    }
  }
}

/** Runs a command with `--json` and parses its output. @throws if it fails */
export async function hmJson<T>(dataDir: string, ...args: readonly string[]): Promise<T> {
  const { code, out, err } = await hm(dataDir, ...args, '--json')
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as T
}

/** Exit code of a command that has printed its output. */
function exitCode(): number {
  const { exitCode: code } = process
  return typeof code === 'number' ? code : 0
}
