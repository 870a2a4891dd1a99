import { inspect } from 'node:util'
import { CommanderError, type Command } from 'commander'
import { CliError } from './shell/terminal.ts'
import { clientProgram } from './client/program.ts'

/** Output and exit code of a failure. */
interface FailureReport {
  readonly exitCode: number
  /** Null if everything was printed already. */
  readonly text: string | null
}

interface ReportOptions {
  readonly isJson: boolean
  /**
   * True for `hm status`: monitoring systems read its codes 1 and 2 as states of the gateway, so a usage error needs
   * another code.
   */
  readonly isOfStatus: boolean
}

/** Exit code of a usage error. */
const TYPED = 1
/** Exit code of a defect of `hm`, as in sysexits(3). */
const DEFECT = 70
const HELP = 'commander.help'

/** Describes a failure as a sentence, or in the Error shape of the service (docs/hm.md#for-programs). */
export async function reportOf(error: unknown, { isJson, isOfStatus }: ReportOptions): Promise<FailureReport> {
  if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: 0, text: null }
  const failure = await failureIn(error)
  const { message, code, exitCode, appAction, retryAfter } = failure
  const isOfGateway = error instanceof CliError
  const unknown = isOfStatus && !isOfGateway ? (await import('./commands/gateway.ts')).STATUS_UNKNOWN : null
  const shape = { error: { code, message, appAction, retryAfter } }
  const text = isJson ? JSON.stringify(shape) : error instanceof CommanderError ? null : message
  return { exitCode: unknown ?? exitCode, text }
}

/** A usage error gets a sentence, a defect its stack. */
async function failureIn(error: unknown): Promise<CliError> {
  if (error instanceof CliError) return error
  if (error instanceof CommanderError) return typed(sentenceOf(error), 'usage')
  const { SettingsError } = await import('../settings/settings.ts')
  if (error instanceof SettingsError) return typed(error.message, 'settings')
  return new CliError(`This is a defect of hm: ${inspect(error)}`, DEFECT, { code: 'defect' })
}

const typed = (message: string, code: string): CliError => new CliError(message, TYPED, { code })

/** `error: unknown option '--x'` in one line. For a missing command, commander's message is only the help. */
function sentenceOf({ code, message }: CommanderError): string {
  if (code === HELP) return 'Name a command: --help lists them.'
  const text = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.)?]$/.test(text) ? '' : '.'}`
}

/** Runs a command line of `hm`, prints its output, and returns the exit code. */
export async function runHm(words: readonly string[]): Promise<number> {
  const isJson = wantsJson(words)
  try {
    const client = clientProgram()
    const program = isOfClient(words, client) ? client : (await import('./program.ts')).hmProgram()
    if (isJson) silence(program)
    await program.parseAsync(words, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { exitCode, text } = await reportOf(error, { isJson, isOfStatus: words.includes('status') })
    if (text !== null) process.stderr.write(`${text}\n`)
    return exitCode
  }
}

/** True for a client command; then other modules are not loaded, which would take several times as long. */
export function isOfClient(words: readonly string[], client: Command = clientProgram()): boolean {
  const first = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '--profile')
  return client.commands.some((command) => command.name() === first)
}

/**
 * True if the output is JSON. It is decided before parsing, so that parse errors use it too. Words after `--` are
 * names.
 */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end === -1 ? words.length : end).includes('--json')
}

/** Silences commander's own messages; programs get them once, as JSON. */
function silence(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  for (const subcommand of command.commands) silence(subcommand)
}
