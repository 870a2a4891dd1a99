import type { Command } from 'commander'
import type { IntegrationView } from '../../admin/contract/integrations.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../cli-error.ts'
import type { HomeTime } from '../home-time.ts'
import { knobsOff, leaveEnded, table, unstored } from '../print.ts'
import { previewText } from './previews.ts'

/** `hm integration …`: what is visible and what is allowed. */
export function integrationCommands(program: Command, context: () => CliContext): void {
  const integration = program.command('integration').description('what programs may see (exposure) and do (knobs)')
  showCommands(integration, context)
  createCommand(integration, context)
  changeCommands(integration, context)
  integration
    .command('delete <id>')
    .description('delete it with all its credentials')
    .action(async (id: string) => {
      context().show(
        await context().client.ask('integrations.delete', { id }),
        (answer) => `Deleted ${id}; its credentials answer 401 from now on.${leaveEnded(answer)}${unstored(answer)}`,
      )
    })
}

function showCommands(integration: Command, context: () => CliContext): void {
  integration
    .command('list')
    .description('all integrations')
    .action(async () => {
      context().show(await context().client.ask('integrations.list'), ({ integrations }) =>
        integrations.length === 0
          ? 'No integrations yet: `bin/hm integration create --name N`.'
          : table(
              ['ID', 'NAME', 'STATE', 'EXPOSES', 'CREDENTIALS'],
              integrations.map((each) => [
                each.id,
                each.name,
                each.enabled ? 'enabled' : 'disabled',
                summary(each.expose),
                each.credentials.filter((one) => one.state !== 'ended').length,
              ]),
            ),
      )
    })
  integration
    .command('show <id>')
    .description('one integration')
    .action(async (id: string) => {
      await context().showTimes(await context().client.ask('integrations.show', { id }), describe)
    })
}

function createCommand(integration: Command, context: () => CliContext): void {
  integration
    .command('create')
    .description('create an integration; it exposes everything unless told otherwise')
    .requiredOption('--name <name>', 'its name')
    .option('--expose <what...>', 'all, floor:ID, room:ID, unit:ID, gang:ID:N, scene:ID')
    .option('--set <knob=value...>', 'knobs that differ from the default')
    .action(async ({ name, expose, set = [] }: { name: string; expose?: string[]; set?: string[] }) => {
      const body = { name, expose, settings: parseKnobs(set) }
      await context().showTimes(await context().client.relay('integrations.create', { body }), describe)
    })
}

interface ChangeOptions {
  readonly dryRun?: true
}

function changeCommands(integration: Command, context: () => CliContext): void {
  const command = (words: string, description: string): Command =>
    integration.command(words).description(description).option('--dry-run', 'only say what it would do')
  command('set <id> <knob=value...>', 'change knobs').action((id: string, words: string[], options: ChangeOptions) =>
    change(context(), id, { settings: parseKnobs(words) }, options),
  )
  command('expose <id> <what...>', 'replace what it exposes').action(
    (id: string, expose: string[], options: ChangeOptions) => change(context(), id, { expose }, options),
  )
  command('rename <id> <name>', 'give it another name').action((id: string, name: string, options: ChangeOptions) =>
    change(context(), id, { name }, options),
  )
  command('disable <id>', 'refuse all its requests').action((id: string, options: ChangeOptions) =>
    change(context(), id, { enabled: false }, options),
  )
  command('enable <id>', 'serve its requests again').action((id: string, options: ChangeOptions) =>
    change(context(), id, { enabled: true }, options),
  )
}

/** Which knobs and values there are, the gateway says. */
async function change(context: CliContext, id: string, body: object, { dryRun }: ChangeOptions): Promise<void> {
  if (dryRun) return context.show(await context.client.relay('integrations.preview', { id, body }), previewText)
  const answer = await context.client.relay('integrations.change', { id, body })
  await context.showTimes(
    answer,
    (each, time) => `${describe(each, time)}${knobsOff(each)}${leaveEnded(each)}${unstored(each)}`,
  )
}

/** The knobs as they were typed. */
function parseKnobs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [knob, value, ...rest] = word.split('=')
      if (!knob || !value || rest.length > 0) throw new CliError(`"${word}" is not of the form knob=value.`)
      return [knob, value]
    }),
  )
}

function summary(expose: readonly string[]): string {
  return expose[0] === 'all' ? 'all' : `${expose.length} picked`
}

function describe({ integration }: { readonly integration: IntegrationView }, time: HomeTime): string {
  const lines = [
    `${integration.name}  (${integration.enabled ? 'enabled' : 'disabled'}, created ${time.when(integration.createdAt)})`,
    `  id       ${integration.id}`,
    `  exposes  ${integration.expose.join(' ') || 'nothing'}`,
    ...Object.entries(integration.settings).map(
      ([knob, value], index) => `  ${index === 0 ? 'knobs  ' : '       '}  ${knob}=${value}`,
    ),
  ]
  const keys = integration.credentials.map(
    (each) =>
      `  ${each.link}  ${each.kind}  ${each.state}${each.stale ? ', stale' : ''}  last used ${each.lastUsed ? `${time.when(each.lastUsed.at)} (${each.lastUsed.via})` : 'never'}`,
  )
  return [
    ...lines,
    ...(keys.length > 0
      ? ['Credentials', ...keys]
      : ['No credentials yet: `bin/hm key create --integration ' + integration.id + '`.']),
  ].join('\n')
}
