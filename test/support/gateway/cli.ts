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
 * Runs a command of `bin/hm` against the gateway of a data folder, without a process of its own. What the gateway
 * answers it is held against the administrators' OpenAPI document.
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

/** The same with `--json`, parsed; throws where it fails. */
export async function hmJson<T>(dataDir: string, ...args: readonly string[]): Promise<T> {
  const { code, out, err } = await hm(dataDir, ...args, '--json')
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as T
}

/** What a command ended with that printed what it had to print. */
function exitCode(): number {
  const { exitCode: code } = process
  return typeof code === 'number' ? code : 0
}
