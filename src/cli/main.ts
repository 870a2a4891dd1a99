import { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'
import { STATUS_UNKNOWN } from './commands/status.ts'
import { hmProgram } from './program.ts'
import { SettingsError } from '../gateway/settings.ts'

/** Monitoring systems take 1 and 2 of `hm status` for the gateway's trouble, which a word typed wrongly is not. */
const failed = process.argv.slice(2).includes('status') ? STATUS_UNKNOWN : 1

try {
  await hmProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : failed
  else {
    // A user's mistake needs a sentence, a defect needs its stack.
    console.error(error instanceof CliError || error instanceof SettingsError ? error.message : error)
    process.exitCode = error instanceof CliError ? error.exitCode : failed
  }
}
