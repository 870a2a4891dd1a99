import { Command } from 'commander'
import { CliContext } from './context.ts'
import { agentCommands } from './commands/agent.ts'
import { automationCommands } from './commands/automation.ts'
import { backupCommands } from './commands/backup.ts'
import { consoleCommand } from './commands/console.ts'
import { gatewayCommands } from './commands/gateway.ts'
import { logCommand } from './commands/log.ts'
import { aboutCommand } from './commands/about.ts'
import { metricsCommand } from './commands/metrics.ts'
import { operatorCommands } from './commands/operator.ts'
import { homeCommands, houseCommands } from './commands/house.ts'
import { integrationCommands } from './commands/integration.ts'
import { intentsCommand } from './commands/intents.ts'
import { keyCommands } from './commands/key.ts'
import { historyCommands, tariffCommands } from './commands/record.ts'
import { relayCommands } from './commands/relay.ts'
import { restoreCommand, rollbackCommand } from './commands/restore.ts'
import { sceneCommands } from './commands/scene.ts'
import { scheduleCommands } from './commands/schedule.ts'
import { simCommand } from './commands/sim.ts'
import { statusCommand } from './commands/status.ts'

const JSON_HELP = 'print the whole answer as JSON'
const DATA_DIR_HELP = "the gateway's data folder, or HM_DATA_DIR"
const EXAMPLES = `
Examples:
  bin/hm status
  bin/hm console
  bin/hm house show
  bin/hm integration create --name Dashboard --expose room:living-room
  bin/hm key create --integration ID
  bin/hm agent watch

Each command explains itself: bin/hm key create --help. More in docs/administration.md.`

/** The whole command line, `hm`; parsing runs the command. */
export function hmProgram(): Command {
  const program = new Command('hm')
    .description(
      "The gateway's command line, for its administrators. It talks to the running gateway through its data folder.",
    )
    .option('--json', JSON_HELP, false)
    .option('--data-dir <dir>', DATA_DIR_HELP, process.env['HM_DATA_DIR'] || './data')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('Add --help to see what there is.')
    // What a mistake ends with is decided in one place, `main.ts`; the commands below inherit it.
    .exitOverride()
  const context = (): CliContext => new CliContext(program.opts())
  statusCommand(program, context)
  consoleCommand(program, context)
  integrationCommands(program, context)
  keyCommands(program, context)
  agentCommands(program, context)
  homeCommands(program, context)
  houseCommands(program, context)
  intentsCommand(program, context)
  sceneCommands(program, context)
  automationCommands(program, context)
  scheduleCommands(program, context)
  tariffCommands(program, context)
  historyCommands(program, context)
  gatewayCommands(program, context)
  operatorCommands(program, context)
  metricsCommand(program, context)
  backupCommands(program, context)
  restoreCommand(program, context)
  rollbackCommand(program, context)
  logCommand(program, context)
  aboutCommand(program, context)
  relayCommands(program, context)
  everywhere(program, program)
  simCommand(program)
  return program
}

/** `--json` and `--data-dir` may stand behind any command, where people write them. */
function everywhere(command: Command, program: Command): void {
  for (const each of command.commands) {
    if (each.commands.length === 0) {
      each.option('--json', JSON_HELP).option('--data-dir <dir>', DATA_DIR_HELP)
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
