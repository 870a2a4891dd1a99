import { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'
import { hmProgram } from './program.ts'
import { SettingsError } from '../gateway/settings.ts'

try {
  await hmProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    // A user's mistake needs a sentence, a defect needs its stack.
    console.error(error instanceof CliError || error instanceof SettingsError ? error.message : error)
    process.exitCode = error instanceof CliError ? error.exitCode : 1
  }
}
