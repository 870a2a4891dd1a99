import { createInterface } from 'node:readline/promises'
import { CliError } from './cli-error.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { reasonOf } from '../../lib/file-reasons.ts'
import { fileText } from '../../lib/file-text.ts'

/** What somebody types at the terminal, or what is piped in; throws a CliError where there is nobody. */
export async function asked(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: process.stdin.isTTY })
  const gone = Promise.withResolvers<never>()
  terminal.once('close', () => gone.reject(new CliError('Nobody answered.', 1, { code: 'no_answer' })))
  try {
    return await Promise.race([terminal.question(question), gone.promise])
  } finally {
    terminal.removeAllListeners('close').close()
  }
}

/** The text of a file that the user named. Throws a CliError if it cannot be read or is not UTF-8. */
export function readText(file: string): string {
  const text = fileText(bytesOf(file))
  if (text.ok) return text.value
  throw new CliError(`${file} is not UTF-8: it seems to be ${text.error}. Save it as UTF-8 and try again.`, 1, {
    code: 'file',
  })
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}.`, 1, { code: 'file' })
  }
}

/** Writes a file that must not be there yet; throws a CliError where that cannot be. */
export function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${reasonOf(error)}.`, 1, { code: 'file' })
  }
}
