import { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'
import { Failure } from './client/failure.ts'
import { clientProgram } from './client/program.ts'

// Whoever reads only the first lines, as head does, has what they wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const client = clientProgram()
try {
  await (isOfClient(process.argv.slice(2)) ? client : (await import('./program.ts')).hmProgram()).parseAsync()
} catch (error) {
  process.exitCode = await told(error)
}
// A way to the home that has lost may still look up a name for seconds: nobody waits for it.
if (isOfClient(process.argv.slice(2))) process.stdout.write('', () => process.exit())

/** Whether a client's command was typed: then no other is loaded, which takes several times as long. */
function isOfClient(words: readonly string[]): boolean {
  const first = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '--profile')
  return client.commands.some((each) => each.name() === first)
}

/** Says what went wrong, and answers what the process ends with. */
async function told(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failed()
  if (error instanceof Failure && process.argv.includes('--json')) {
    const { code, message, appAction, retryAfter } = error
    console.error(JSON.stringify({ error: { code, message, appAction, retryAfter } }))
    return error.exitCode
  }
  const { SettingsError } = await import('../gateway/settings.ts')
  // A user's mistake needs a sentence, a defect needs its stack.
  console.error(error instanceof CliError || error instanceof SettingsError ? error.message : error)
  return error instanceof CliError ? error.exitCode : failed()
}

/** Monitoring systems take 1 and 2 of `hm status` for the gateway's trouble, which a word typed wrongly is not. */
async function failed(): Promise<number> {
  return process.argv.slice(2).includes('status') ? (await import('./commands/status.ts')).STATUS_UNKNOWN : 1
}
