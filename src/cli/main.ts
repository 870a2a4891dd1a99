import { Command, CommanderError } from 'commander'
import { CliContext } from './context.ts'
import { CliError } from './admin-client.ts'
import { gatewayCommands } from './commands/gateway.ts'
import { homeCommands, houseCommands } from './commands/house.ts'
import { integrationCommands } from './commands/integration.ts'
import { keyCommands } from './commands/key.ts'
import { historyCommands, tariffCommands } from './commands/record.ts'
import { simCommand } from './commands/sim.ts'

const program = new Command('hm')
  .description("The gateway's command line, for its administrators. It talks to the running gateway.")
  .option('--json', 'print the answer as JSON', false)
  .option('--data-dir <dir>', "the gateway's data folder", process.env['HM_DATA_DIR'] || './data')
  .showHelpAfterError()

const context = (): CliContext => new CliContext(program.opts())

integrationCommands(program, context)
keyCommands(program, context)
homeCommands(program, context)
houseCommands(program, context)
tariffCommands(program, context)
historyCommands(program, context)
gatewayCommands(program, context)
simCommand(program)
everywhere(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode
  else {
    // A user's mistake needs a sentence, a defect needs its stack.
    console.error(error instanceof CliError ? error.message : error)
    process.exitCode = 1
  }
}

/** `--json` and `--data-dir` may stand behind any command, where people write them. */
function everywhere(command: Command): void {
  for (const each of command.commands) {
    if (each.commands.length === 0) {
      each.option('--json', 'print the answer as JSON').option('--data-dir <dir>', "the gateway's data folder")
      each.hook('preAction', (_top, action) => {
        for (const name of ['json', 'dataDir'] as const) {
          const value: unknown = action.opts()[name]
          if (value !== undefined) program.setOptionValue(name, value)
        }
      })
    }
    everywhere(each)
  }
}
