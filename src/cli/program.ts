import { Command } from 'commander'
import { CliContext } from './context.ts'
import { gatewayCommands } from './commands/gateway.ts'
import { homeCommands, houseCommands } from './commands/house.ts'
import { integrationCommands } from './commands/integration.ts'
import { intentsCommand } from './commands/intents.ts'
import { keyCommands } from './commands/key.ts'
import { historyCommands, tariffCommands } from './commands/record.ts'
import { automationCommands, sceneCommands, scheduleCommands } from './commands/rules.ts'
import { simCommand } from './commands/sim.ts'

/** The whole command line, `hm`; parsing runs the command. */
export function hmProgram(): Command {
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
  intentsCommand(program, context)
  sceneCommands(program, context)
  automationCommands(program, context)
  scheduleCommands(program, context)
  tariffCommands(program, context)
  historyCommands(program, context)
  gatewayCommands(program, context)
  simCommand(program)
  everywhere(program, program)
  return program
}

/** `--json` and `--data-dir` may stand behind any command, where people write them. */
function everywhere(command: Command, program: Command): void {
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
    everywhere(each, program)
  }
}
