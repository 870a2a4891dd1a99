import { Command } from 'commander'
import { clientCommands } from './client/program.ts'
import { globalOptions, JSON_HELP } from './shell/terminal.ts'
import { CliContext } from './commands/context.ts'
import { Commands } from './commands/command-group.ts'
import { agentCommands } from './commands/agent.ts'
import { automationCommands, sceneCommands, scheduleCommands } from './commands/rules.ts'
import { backupCommands, restoreCommand, rollbackCommand } from './commands/backup.ts'
import { consoleCommand } from './commands/console.ts'
import { gatewayCommands, aboutCommand, metricsCommand, statusCommand } from './commands/gateway.ts'
import { logCommand } from './commands/log.ts'
import { messageCommands } from './commands/message.ts'
import { webhookCommands } from './commands/webhook.ts'
import { homeCommands, houseCommands } from './commands/house.ts'
import { integrationCommands, keyCommands, operatorCommands } from './commands/integration.ts'
import { calendarCommands } from './commands/calendars.ts'
import { modesCommands } from './commands/modes.ts'
import { personCommands } from './commands/person.ts'
import { tabletCommands } from './commands/tablet.ts'
import { presenceCommands } from './commands/presence.ts'
import { intentsCommand } from './commands/intents.ts'
import { historyCommands, tariffCommands } from './commands/history.ts'
import { relayCommands } from './commands/relay.ts'
import { simCommand } from './commands/sim.ts'

const DATA_DIR_HELP = "the gateway's data folder, or HM_DATA_DIR"
const EXAMPLES = `
Examples:
  hm login hmc1_…              hm on study light          hm why hall light --since 2h
  hm devices --room kitchen    hm set study light 40      hm doctor
  bin/hm status
  bin/hm console
  bin/hm house show
  bin/hm integration create --name Dashboard --expose room:living-room
  bin/hm key create --integration ID
  bin/hm agent watch

Each command explains itself: bin/hm key create --help. More in docs/hm.md and docs/administration.md.`

/** The whole command line, `hm`; parsing runs the command. */
export function hmProgram(): Command {
  const program = new Command('hm')
    .description(
      'The command line of a home. After hm login it shows and controls the home. On its machine it administers the gateway.',
    )
    .option('--json', JSON_HELP, false)
    .option('--data-dir <dir>', DATA_DIR_HELP, process.env['HM_DATA_DIR'] || './data')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('Add --help for help.')
    // Exit codes of usage errors are decided in `run-command-line.ts`; the commands below inherit this.
    .exitOverride()
  clientCommands(program)
  const clients = program.commands.length
  const admin = new Commands(program, () => new CliContext(program.opts()))
  program.commandsGroup(
    'The gateway, for its administrators (on its machine, through the socket file in its data folder):',
  )
  statusCommand(admin)
  consoleCommand(admin)
  integrationCommands(admin)
  keyCommands(admin)
  agentCommands(admin)
  homeCommands(admin)
  houseCommands(admin)
  modesCommands(admin)
  personCommands(admin)
  tabletCommands(admin)
  presenceCommands(admin)
  calendarCommands(admin)
  intentsCommand(admin)
  sceneCommands(admin)
  automationCommands(admin)
  scheduleCommands(admin)
  messageCommands(admin)
  webhookCommands(admin)
  tariffCommands(admin)
  historyCommands(admin)
  gatewayCommands(admin)
  operatorCommands(admin)
  metricsCommand(admin)
  backupCommands(admin)
  restoreCommand(admin)
  rollbackCommand(admin)
  logCommand(admin)
  aboutCommand(admin)
  relayCommands(admin)
  globalOptions(program, program.commands.slice(clients), [
    ['--json', JSON_HELP],
    ['--data-dir <dir>', DATA_DIR_HELP],
  ])
  program.commandsGroup('Other commands:')
  simCommand(program)
  completionCommand(program)
  return program
}

/** `hm completion` needs the list of all commands. */
function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the script with which a shell completes commands and names: bash, zsh or fish')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => (await import('./client/commands/completion.ts')).completion(shell, program))
}
