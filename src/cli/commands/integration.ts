import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { CliError } from '../admin-client.ts'
import { table, when } from '../print.ts'

export interface IntegrationView {
  id: string
  name: string
  enabled: boolean
  expose: string[]
  settings: Record<string, string>
  createdAt: number
  credentials: {
    link: string
    kind: string
    label: string
    state: string
    stale: boolean
    lastUsed: { at: number; via: string } | null
  }[]
}

/** `hm integration …`: what is visible and what is allowed. */
export function integrationCommands(program: Command, context: () => CliContext): void {
  const integration = program.command('integration').description('what programs may see (exposure) and do (knobs)')

  integration
    .command('list')
    .description('all integrations')
    .action(async () => {
      const answer = await context().client.call<{ integrations: IntegrationView[] }>('GET', '/integrations')
      context().show(answer, ({ integrations }) =>
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
      context().show(
        await context().client.call<{ integration: IntegrationView }>('GET', `/integrations/${encodeURIComponent(id)}`),
        describe,
      )
    })

  integration
    .command('create')
    .description('create an integration; it exposes everything unless told otherwise')
    .requiredOption('--name <name>', 'its name')
    .option('--expose <what...>', 'all, floor:ID, room:ID, unit:ID, gang:ID:N, scene:ID')
    .option('--set <knob=value...>', 'knobs that differ from the default')
    .action(async (options: { name: string; expose?: string[]; set?: string[] }) => {
      const body = {
        name: options.name,
        ...(options.expose ? { expose: options.expose } : {}),
        settings: parseKnobs(options.set ?? []),
      }
      context().show(
        await context().client.call<{ integration: IntegrationView }>('POST', '/integrations', body),
        describe,
      )
    })

  integration
    .command('set <id> <knob=value...>')
    .description('change knobs')
    .action(async (id: string, words: string[]) => {
      await change(context(), id, { settings: parseKnobs(words) })
    })
  integration
    .command('expose <id> <what...>')
    .description('replace what it exposes')
    .action(async (id: string, what: string[]) => {
      await change(context(), id, { expose: what })
    })
  integration
    .command('disable <id>')
    .description('refuse all its requests')
    .action((id: string) => change(context(), id, { enabled: false }))
  integration
    .command('enable <id>')
    .description('serve its requests again')
    .action((id: string) => change(context(), id, { enabled: true }))
  integration
    .command('delete <id>')
    .description('delete it with all its credentials')
    .action(async (id: string) => {
      context().show(
        await context().client.call('DELETE', `/integrations/${encodeURIComponent(id)}`),
        () => `Deleted ${id}; its credentials answer 401 from now on.`,
      )
    })
}

async function change(context: CliContext, id: string, body: object): Promise<void> {
  const answer = await context.client.call<{ integration: IntegrationView; switchedOff?: string[] }>(
    'PATCH',
    `/integrations/${encodeURIComponent(id)}`,
    body,
  )
  context.show(answer, (each) => {
    const off = each.switchedOff ?? []
    return off.length === 0
      ? describe(each)
      : `${describe(each)}\nSwitched off, since they open a lock or gate: ${off.join(', ')}.`
  })
}

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

function describe({ integration }: { integration: IntegrationView }): string {
  const lines = [
    `${integration.name}  (${integration.enabled ? 'enabled' : 'disabled'}, created ${when(integration.createdAt)})`,
    `  id       ${integration.id}`,
    `  exposes  ${integration.expose.join(' ') || 'nothing'}`,
    ...Object.entries(integration.settings).map(
      ([knob, value], index) => `  ${index === 0 ? 'knobs  ' : '       '}  ${knob}=${value}`,
    ),
  ]
  const keys = integration.credentials.map(
    (each) =>
      `  ${each.link}  ${each.kind}  ${each.state}${each.stale ? ', stale' : ''}  last used ${each.lastUsed ? `${when(each.lastUsed.at)} (${each.lastUsed.via})` : 'never'}`,
  )
  return [
    ...lines,
    ...(keys.length > 0
      ? ['Credentials', ...keys]
      : ['No credentials yet: `bin/hm key create --integration ' + integration.id + '`.']),
  ].join('\n')
}
