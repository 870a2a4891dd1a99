import { createInterface } from 'node:readline/promises'
import { CliError } from './cli-error.ts'

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
