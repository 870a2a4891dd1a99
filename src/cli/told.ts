import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'

/** What the user or, as JSON, a program reads of a failure, and what the process ends with. */
export interface Told {
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
  const unknown = isOfStatus && !isOfGateway ? (await import('./commands/status.ts')).STATUS_UNKNOWN : null
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
