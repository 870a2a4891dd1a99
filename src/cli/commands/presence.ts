import { Argument } from 'commander'
import { PRESENCES, type PresenceState } from '../../home/model/presence.ts'
import { CliError, listed, table } from '../shell/terminal.ts'
import type { Commands } from './command-group.ts'

/** `hm presence …`: the presence of the home's people. */
export function presenceCommands(program: Commands): void {
  const presence = program.group('presence', 'show who is home, set it, and list its changes')
  presence.asks('list', 'list the persons with their ids and presence', 'persons.list', ({ persons }, time) =>
    listed(persons, 'No administrator has an account yet: open `bin/hm console`.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      PRESENCE: ({ presence: { is } }) => is,
      SINCE: ({ presence: { since } }) => (since === null ? '-' : time.when(since)),
      BY: ({ presence: { source } }) => source ?? '-',
    }),
  )
  presence
    .command('set', 'set the presence of a person by hand')
    .argument('<person>', 'name or id')
    .addArgument(new Argument('<presence>', 'the new presence').choices(PRESENCES))
    .action(async (person: string, is: PresenceState) => {
      const { context } = presence
      const { id, name } = await personOf(presence, person)
      const answer = await context.client.ask('presence.set', { id, body: { is } })
      context.show(answer, (set) => `${name}: ${set.presence.is}.`)
    })
  presence.command('history <person>', 'list the changes of the last 7 days').action(async (person: string) => {
    const { id } = await personOf(presence, person)
    await presence.context.showTimes(
      () => presence.context.client.ask('presence.show', { id }),
      ({ history }, time) =>
        table(
          ['AT', 'PRESENCE', 'BY'],
          history.map(({ at, is, source }) => [time.when(at), is, source]),
        ),
    )
  })
}

/** Finds a person by id or, in any case, by name. */
export async function personOf(
  { context }: Pick<Commands, 'context'>,
  typed: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const { persons } = await context.client.ask('persons.list')
  const found = persons.find(({ id, name }) => id === typed || name.toLowerCase() === typed.toLowerCase())
  if (found === undefined) throw new CliError(`No person is called ${typed}: \`bin/hm presence list\` lists them.`)
  return found
}
