import { Argument } from 'commander'
import type { Commands } from './command-group.ts'
import { personOf } from './presence.ts'

/** `hm person …`: accounts of people. */
export function personCommands(program: Commands): void {
  const person = program.group('person', 'manage accounts of people')
  person
    .command('two-factors', 'set whether a new browser needs a code of a signed-in one beside the password')
    .argument('<person>', 'name or id')
    .addArgument(new Argument('<two>', 'on or off').choices(['on', 'off']))
    .action(async (typed: string, two: string) => {
      const { context } = person
      const { id } = await personOf(person, typed)
      const answer = await context.client.ask('persons.factors', { id, body: { two: two === 'on' } })
      context.show(answer, ({ person: { name, twoFactors } }) =>
        twoFactors
          ? `${name}: a password from a new browser also needs a code from a signed-in one. One-time links and passkeys work as before.`
          : `${name}: the password is enough.`,
      )
    })
}
