import { inspect } from 'node:util'
import { CommanderError, type Command } from 'commander'
import { CliError } from './shell/terminal.ts'
import { clientProgram } from './client/program.ts'

/** What the user or, as JSON, a program reads of a failure, and what the process ends with. */
interface Told {
  readonly exitCode: number
  /** Null where all is said already. */
  readonly text: string | null
}

interface Asked {
  readonly isJson: boolean
  /** Monitoring systems take 1 and 2 of `hm status` for the gateway's trouble, which a word typed wrongly is not. */
  readonly isOfStatus: boolean
}

/** What was typed means nothing to `hm`. */
const TYPED = 1
/** A defect of `hm` itself, as in sysexits(3). */
const DEFECT = 70
const HELP = 'commander.help'

/** A failure as a sentence, or in the Error shape of the service (docs/hm.md#for-programs). */
export async function told(error: unknown, { isJson, isOfStatus }: Asked): Promise<Told> {
  if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: 0, text: null }
  const failure = await failureIn(error)
  const { message, code, exitCode, appAction, retryAfter } = failure
  const isOfGateway = error instanceof CliError
  const unknown = isOfStatus && !isOfGateway ? (await import('./commands/gateway.ts')).STATUS_UNKNOWN : null
  const shape = { error: { code, message, appAction, retryAfter } }
  const text = isJson ? JSON.stringify(shape) : error instanceof CommanderError ? null : message
  return { exitCode: unknown ?? exitCode, text }
}

/** A mistake needs a sentence, a defect its stack. */
async function failureIn(error: unknown): Promise<CliError> {
  if (error instanceof CliError) return error
  if (error instanceof CommanderError) return typed(sentenceOf(error), 'usage')
  const { SettingsError } = await import('../settings/settings.ts')
  if (error instanceof SettingsError) return typed(error.message, 'settings')
  return new CliError(`This is a defect of hm: ${inspect(error)}`, DEFECT, { code: 'defect' })
}

const typed = (message: string, code: string): CliError => new CliError(message, TYPED, { code })

/** `error: unknown option '--x'` in one line; that only a command's name was typed, commander says by its help alone. */
function sentenceOf({ code, message }: CommanderError): string {
  if (code === HELP) return 'Say which command: --help says what there is.'
  const text = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.)?]$/.test(text) ? '' : '.'}`
}

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
  return client.commands.some((command) => command.name() === first)
}

/** Known before anything is parsed: what cannot be parsed is told as it was asked for, too. Behind `--` are names. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end === -1 ? words.length : end).includes('--json')
}

/** Commander says itself what was typed wrongly; for programs it is said once, as JSON. */
function withoutWords(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  for (const subcommand of command.commands) withoutWords(subcommand)
}
