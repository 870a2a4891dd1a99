import type { Command } from 'commander'
import { clientProgram } from './client/program.ts'
import { told } from './told.ts'

/** Runs one command line of `hm`, prints what is to be said, and answers what the process ends with. */
export async function runHm(words: readonly string[]): Promise<number> {
  const isJson = wantsJson(words)
  try {
    const client = clientProgram()
    const program = isOfClient(words, client) ? client : (await import('./program.ts')).hmProgram()
    if (isJson) withoutWords(program)
    await program.parseAsync(words, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { exitCode, text } = await told(error, { isJson, isOfStatus: words.includes('status') })
    if (text !== null) process.stderr.write(`${text}\n`)
    return exitCode
  }
}

/** Whether a client's command was typed: then no other is loaded, which takes several times as long. */
export function isOfClient(words: readonly string[], client: Command = clientProgram()): boolean {
  const first = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '--profile')
  return client.commands.some((each) => each.name() === first)
}

/** Known before anything is parsed: what cannot be parsed is told as it was asked for, too. Behind `--` are names. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end === -1 ? words.length : end).includes('--json')
}

/** Commander says itself what was typed wrongly; for programs it is said once, as JSON. */
function withoutWords(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  for (const each of command.commands) withoutWords(each)
}
