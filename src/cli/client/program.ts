import { Command, InvalidArgumentError, Option } from 'commander'
import { globalOptions, JSON_HELP } from '../shell/terminal.ts'
import { ClientContext } from './home/client-context.ts'
import type { ControlOptions, GroupOptions } from './commands/control.ts'
import type { DevicesOptions } from './commands/devices.ts'
import type { EnergyOptions } from './commands/energy.ts'
import type { ActivityOptions } from './commands/activity.ts'
import type { LoginOptions } from './commands/login.ts'
import type { ModeOptions } from './commands/mode.ts'

const GROUP = 'Your home, from any machine (hm login first):'
const PROFILE_HELP = 'the login to use, or HM_PROFILE'
const SINCE = 'start time: 10m, 2h, 3d, 2027-01-31T12:00'
const ENTRIES = 20
const ENTRIES_MAX = 500

type Name = readonly string[]
type Context = () => ClientContext

/** `hm` with the client commands only, so that other modules are not loaded. */
export function clientProgram(): Command {
  const program = new Command('hm')
    .option('--json', JSON_HELP, false)
    .showHelpAfterError('Add --help for help.')
    .exitOverride()
  clientCommands(program)
  return program
}

/** Adds the client commands. Each loads its modules when it runs. */
export function clientCommands(program: Command): void {
  program.option('--profile <name>', PROFILE_HELP).commandsGroup(GROUP)
  const before = program.commands.length
  const context = (): ClientContext => new ClientContext(program.opts())
  loginCommands(program, context)
  lookCommands(program, context)
  controlCommands(program, context)
  recordCommands(program, context)
  globalOptions(program, program.commands.slice(before), [
    ['--json', JSON_HELP],
    ['--profile <name>', PROFILE_HELP],
  ])
}

function loginCommands(program: Command, context: Context): void {
  program
    .command('login')
    .description('log in to a home with a connection code; without one it asks, or reads a pipe')
    .argument('[code]', 'the connection code (hmc1_…), as secret as a password')
    .option('--relay <address>', 'the relay for access from outside')
    .option('--no-relay', 'remove the relay of an earlier login')
    .option('--relay-ca <file>', "the relay's own CA, if it has one")
    .option('--end-to-end', 'connect end to end, so that the relay cannot read anything', false)
    .action(async (code: string | undefined, options: LoginOptions) =>
      (await import('./commands/login.ts')).login(context(), code, options),
    )
  program
    .command('logout')
    .description('forget a home')
    .action(async () => (await import('./commands/login.ts')).logout(context()))
  program
    .command('profiles')
    .description('list your logins; with a name, make that one the default')
    .argument('[name]')
    .action(async (name: string | undefined) => (await import('./commands/login.ts')).profiles(context(), name))
}

function lookCommands(program: Command, context: Context): void {
  program
    .command('devices')
    .description('list the devices with their states')
    .option('--room <room>', 'only devices in this room')
    .option('--class <class>', 'only devices of this class or group, such as light')
    .action(async (options: DevicesOptions) => (await import('./commands/devices.ts')).devices(context(), options))
  program
    .command('scenes')
    .description('list the scenes and show which ones run')
    .action(async () => (await import('./commands/devices.ts')).scenes(context()))
  groupsCommand(program, context)
  program
    .command('watch')
    .description('print each change as it happens, until Ctrl-C')
    .argument('[room...]', 'only in this room')
    .action(async (room: Name) =>
      (await import('./commands/watch.ts')).watch(context(), room.length === 0 ? undefined : room.join(' ')),
    )
}

function groupsCommand(program: Command, context: Context): void {
  const load = () => import('./commands/groups.ts')
  const groups = program
    .command('groups')
    .description('list, create, change or delete your own groups of devices')
    .action(async () => (await load()).groups(context()))
  groups
    .command('create')
    .description('make a group: hm groups create "Evening lights" "hall light" "floor lamp"')
    .argument('<name>')
    .argument('[device...]')
    .action(async (name: string, devices: Name) => (await load()).create(context(), name, devices))
  for (const change of ['add', 'remove'] as const)
    groups
      .command(change)
      .description(`${change} devices`)
      .argument('<group>')
      .argument('<device...>')
      .action(async (group: string, devices: Name) => (await load()).edit(context(), group, { [change]: devices }))
  groups
    .command('rename')
    .description('give a group another name')
    .argument('<group>')
    .argument('<name>')
    .action(async (group: string, name: string) => (await load()).edit(context(), group, { name }))
  groups
    .command('delete')
    .description('delete a group; its devices stay')
    .argument('<group>')
    .action(async (group: string) => (await load()).remove(context(), group))
}

function controlCommands(program: Command, context: Context): void {
  const named = (name: string, description: string): Command =>
    program.command(name).description(description).argument('<name...>', 'the device, with its room where needed')
  const code = (command: Command): Command =>
    command.option('--code <code>', 'the code of an administrator, for an agent that opens a lock or gate')
  for (const name of ['on', 'off'] as const)
    named(name, `switch a device ${name}`).action(async (words: Name) =>
      (await import('./commands/control.ts')).power(context(), words, name === 'on'),
    )
  named('toggle', 'switch a device to the opposite state').action(async (words: Name) =>
    (await import('./commands/control.ts')).toggle(context(), words),
  )
  named('blink', 'let the LEDs of a unit blink').action(async (words: Name) =>
    (await import('./commands/control.ts')).blink(context(), words),
  )
  code(
    program
      .command('set')
      .description('set brightness, position, temperature, mode, lock …: hm set study light 40')
      .argument('<words...>', 'the device; the property, if needed; and the value'),
  ).action(async (words: Name, options: ControlOptions) =>
    (await import('./commands/control.ts')).set(context(), words, options),
  )
  for (const name of ['open', 'close', 'stop'] as const)
    code(named(name, `${name} a shutter, curtain${name === 'stop' ? ' or gate' : ', gate or lock'}`)).action(
      async (words: Name, options: ControlOptions) =>
        (await import('./commands/control.ts')).move(context(), words, name, options),
    )
  program
    .command('group')
    .description('control lights, covers, sockets, climate or a group of yours: hm group lights off --room kitchen')
    .argument('<words...>', 'light, cover, socket, climate or the name of a group; and the value, as for set')
    .option('--room <room>', 'only in this room')
    .option('--floor <floor>', 'only on this floor')
    .action(async (words: Name, options: GroupOptions) =>
      (await import('./commands/control.ts')).group(context(), words, options),
    )
  program
    .command('mode')
    .description('show the mode of the home, or set it: hm mode guest --until 3d')
    .argument('[name...]', 'the mode, such as away, night or guest')
    .option('--until <time>', 'its end: 2h, 3d, 2027-01-31T20:00; then the mode before returns')
    .action(async (name: Name, options: ModeOptions) =>
      (await import('./commands/mode.ts')).mode(context(), name, options),
    )
  program
    .command('people')
    .description('show who is home, or report it: hm people anna away')
    .argument('[words...]', 'the person, and home, away or unknown')
    .action(async (words: Name) => (await import('./commands/people.ts')).people(context(), words))
  program
    .command('run')
    .description('run a scene')
    .argument('<name...>', 'the scene')
    .action(async (words: Name) => (await import('./commands/control.ts')).run(context(), words))
}

function recordCommands(program: Command, context: Context): void {
  program
    .command('why')
    .description('explain the state of a device, or why something did not happen')
    .argument('<name...>', 'the device or scene')
    .option('--since <time>', SINCE)
    .action(async (name: Name, options: { readonly since?: string }) =>
      (await import('./commands/activity.ts')).why(context(), name, options),
    )
  program
    .command('energy')
    .description('show energy and cost')
    .addOption(
      new Option('--period <period>', 'this hour, day, week, month or year')
        .choices(['hour', 'day', 'week', 'month', 'year'])
        .default('day'),
    )
    .addOption(new Option('--by <what>', 'for each room, floor or device').choices(['room', 'floor', 'device']))
    .action(async (options: EnergyOptions) => (await import('./commands/energy.ts')).energy(context(), options))
  program
    .command('activity')
    .description('list events and their causes')
    .option('-f, --follow', 'print new entries too, until Ctrl-C', false)
    .option('--since <time>', SINCE)
    .option('--device <name>', 'only this device')
    .option('--limit <n>', 'largest number of entries', countOf, ENTRIES)
    .action(async (options: ActivityOptions) => (await import('./commands/activity.ts')).activity(context(), options))
  program
    .command('doctor')
    .description('find problems between this machine and the home, and say how to fix them')
    .argument('[name...]', 'a device that does not work')
    .action(async (name: Name) => (await import('./commands/doctor.ts')).doctor(context(), name))
}

function countOf(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > ENTRIES_MAX)
    throw new InvalidArgumentError(`It must be a number from 1 to ${ENTRIES_MAX}.`)
  return count
}
