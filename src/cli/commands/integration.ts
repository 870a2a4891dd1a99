import type { Command } from 'commander'
import type { CliContext } from './context.ts'
import { connectionLine, leaveEnded, table, unstored, knobsOff, CliError } from '../shell/terminal.ts'
import { qrLines } from './qr.ts'
import type { IntegrationView } from '../../admin/contract/integrations.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { previewText } from './previews.ts'

/** `hm key …`: credentials of integrations. */
export function keyCommands(program: Command, context: () => CliContext): void {
  const key = program.command('key').description('the keys with which programs come in: made, listed, revoked')

  key
    .command('create')
    .description('create a key; its token is shown this once')
    .requiredOption('--integration <id>', 'the integration it belongs to')
    .option('--name <name>', 'a name to tell it by')
    .option('--qr', 'show the connection code as a QR code too')
    .action(async ({ qr = false, ...body }: { integration: string; name?: string; qr?: boolean }) => {
      const answer = await context().client.ask('keys.create', { body })
      context().show(answer, ({ token, link, fingerprint, connectionCode }) =>
        [
          `token        ${token}`,
          `link         ${link}`,
          `fingerprint  ${fingerprint}   (SHA-256 of the gateway's CA)`,
          connectionLine(connectionCode),
          ...(qr ? qrLines(connectionCode) : []),
          'The token is not shown again: store it where secrets belong.',
        ].join('\n'),
      )
    })

  key
    .command('list')
    .description('all credentials, without their secrets')
    .action(async () => {
      const answer = await context().client.ask('keys.list')
      await context().showTimes(answer, ({ keys }, time) =>
        keys.length === 0
          ? 'No keys yet: `bin/hm key create --integration ID`.'
          : table(
              ['LINK', 'KIND', 'NAME', 'LABEL', 'STATE', 'CREATED', 'LAST USED'],
              keys.map((each) => [
                each.link,
                each.kind,
                each.name || '-',
                each.label,
                each.state + (each.stale ? ' (stale)' : ''),
                time.when(each.createdAt),
                each.lastUsed ? `${time.when(each.lastUsed.at)} ${each.lastUsed.via}` : 'never',
              ]),
            ),
      )
    })

  failuresCommand(key, context)
  key
    .command('revoke <link>')
    .description('end a credential at once')
    .action(async (link: string) => {
      context().show(
        await context().client.ask('keys.revoke', { id: link }),
        (answer) =>
          `Revoked ${link}; its requests answer 401 and its open streams are closed.${leaveEnded(answer)}${unstored(answer)}`,
      )
    })
}

function failuresCommand(key: Command, context: () => CliContext): void {
  key
    .command('failures')
    .description('from where requests came that had no valid credential')
    .action(async () => {
      await context().showTimes(await context().client.ask('failures.list'), ({ failures }, time) =>
        failures.length === 0
          ? 'In the last 30 days every request had a valid credential.'
          : table(
              ['ADDRESS', 'REQUESTS', 'FROM', 'TO'],
              failures.map(({ address, via, count, from, to }) => [
                via === 'cloud' ? `${address} by the relay` : (address ?? 'more addresses'),
                count,
                time.when(from),
                time.when(to),
              ]),
            ),
      )
    })
}

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
