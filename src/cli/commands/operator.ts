import { type Command, Option } from 'commander'
import { OPERATOR_SCOPES, type OperatorScope } from '../../auth/operators/operators.ts'
import type { CliContext } from './context.ts'
import { table, unstored } from '../shell/terminal.ts'

/** `hm operator …`: tokens of programs that look after the gateway. */
export function operatorCommands(program: Command, context: () => CliContext): void {
  const operator = program
    .command('operator')
    .description('the tokens of programs that look after the gateway: monitoring, backups')

  operator
    .command('create')
    .description('create an operator token; it is shown this once')
    .requiredOption('--name <name>', 'a name to tell it by')
    .addOption(new Option('--scope <scope...>', 'what it lets do').choices(OPERATOR_SCOPES).makeOptionMandatory())
    .action(async ({ name, scope }: { name: string; scope: OperatorScope[] }) => {
      const answer = await context().client.ask('operators.create', { body: { name, scopes: scope } })
      context().show(answer, ({ token, operator: { id } }) =>
        [
          `token  ${token}`,
          `id     ${id}`,
          'The token is not shown again: store it where secrets belong. It opens nothing of the home.',
        ].join('\n'),
      )
    })

  operator
    .command('list')
    .description('all operator tokens, without their secrets')
    .action(async () => {
      await context().showTimes(await context().client.ask('operators.list'), ({ operators }, time) =>
        operators.length === 0
          ? 'No operator tokens yet: `bin/hm operator create --name NAME --scope metrics`.'
          : table(
              ['ID', 'NAME', 'SCOPES', 'CREATED', 'LAST USED'],
              operators.map(({ id, name, scopes, createdAt, usedAt }) => [
                id,
                name,
                scopes.join(' '),
                time.when(createdAt),
                usedAt === null ? 'never' : time.when(usedAt),
              ]),
            ),
      )
    })

  operator
    .command('end <id>')
    .description('end an operator token at once')
    .action(async (id: string) => {
      const answer = await context().client.ask('operators.delete', { id })
      context().show(answer, (each) => `Ended ${id}.${unstored(each)}`)
    })
}
