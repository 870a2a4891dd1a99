import { table } from '../shell/terminal.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { type CallAnswer, type Commands, FORCE, type Forced, forced } from './command-group.ts'

type Modes = CallAnswer<'modes.list'>

/** `hm modes …`: the list of modes; `hm mode` sets one. */
export function modesCommands(program: Commands): void {
  const modes = program.group('modes', 'list the modes of the home; add, rename or remove one', {
    what: 'mode',
    list: async ({ client }) => (await client.ask('modes.list')).modes,
  })
  modes.asks('list', 'list the modes and show which one holds', 'modes.list', modesText)
  modes
    .command('add <name>', 'add a mode')
    .option('--id <id>', 'its id; made of the name by default')
    .action(async (name: string, { id }: { readonly id?: string }) => {
      const { context } = modes
      const body = { name, ...(id === undefined ? {} : { id }) }
      await context.showTimes(() => context.client.ask('modes.add', { body }), modesText)
    })
  modes.command('rename <id> <name>', 'rename a mode').action(async (typed: string, name: string) => {
    const { context } = modes
    const id = await modes.idOf(typed)
    await context.showTimes(() => context.client.ask('modes.rename', { id, body: { name } }), modesText)
  })
  modes
    .command('remove <id>', 'remove a mode; the home leaves it')
    .option(...FORCE)
    .action(async (typed: string, { force }: Forced) => {
      const { context } = modes
      const id = await modes.idOf(typed)
      await context.showTimes(() => context.client.ask('modes.remove', { id, query: forced(force) }), modesText)
    })
}

function modesText({ mode, until, modes }: Modes, time: HomeTime): string {
  const end = until === null ? '' : ` until ${time.when(until)}`
  return table(
    ['ID', 'NAME', 'NOW'],
    modes.map(({ id, name }) => [id, name, id === mode ? `yes${end}` : '']),
  )
}
