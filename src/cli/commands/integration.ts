import { PEOPLE_SHOWN } from '../../exposure/knobs.ts'
import { Argument, type Command, Option } from 'commander'
import { hoursWords } from '../../exposure/hours.ts'
import type { CliContext } from './context.ts'
import { idAmong } from '../shell/named-thing.ts'
import { personOf } from './presence.ts'
import { lostPermissionLines, listed, unstored, knobsOff, CliError } from '../shell/terminal.ts'
import type { CallBody, Commands } from './command-group.ts'
import { newCredentialLines, lastUsedWords, revokedWords, stateWords } from './credentials.ts'
import type { IntegrationView } from '../../admin/contract/integrations.ts'
import { OPERATOR_SCOPES, type OperatorScope } from '../../auth/operators/operators.ts'
import { typedHours } from './week.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { previewText } from './previews.ts'

/** Integrations by id or name. */
const INTEGRATIONS = {
  what: 'integration',
  list: async ({ client }: CliContext) => (await client.ask('integrations.list')).integrations,
}

/** Id of an integration by its id or name. */
export async function integrationIdOf(typed: string, context: CliContext): Promise<string> {
  return idAmong(typed, await INTEGRATIONS.list(context), INTEGRATIONS.what)
}

/** `hm key …`: credentials of integrations. */
export function keyCommands(program: Commands): void {
  const key = program.group('key', 'create, list and revoke keys of programs')
  key
    .command('create', 'create a key; its token is shown once')
    .requiredOption('--integration <id>', 'its integration')
    .option('--name <name>', 'its name')
    .option('--qr', 'show the connection code as a QR code too')
    .action(async ({ qr = false, ...typed }: CallBody<'keys.create'> & { readonly qr?: boolean }) => {
      const { context } = key
      const body = { ...typed, integration: await integrationIdOf(typed.integration, context) }
      context.show(await context.client.ask('keys.create', { body }), (made) => newCredentialLines(made, qr).join('\n'))
    })
  key.asks('list', 'list credentials, without their secrets', 'keys.list', ({ keys }, time) =>
    listed(keys, 'No keys yet: `bin/hm key create --integration ID`.', {
      LINK: ({ link }) => link,
      KIND: ({ kind }) => kind,
      NAME: ({ name }) => name || '-',
      LABEL: ({ label }) => label,
      STATE: stateWords,
      CREATED: ({ createdAt }) => time.when(createdAt),
      'LAST USED': (key) => lastUsedWords(key, time),
    }),
  )
  key.asks('failures', 'list senders of requests without a valid credential', 'failures.list', ({ failures }, time) =>
    listed(failures, 'In the last 30 days every request had a valid credential.', {
      ADDRESS: ({ address, via }) => (via === 'cloud' ? `${address} through the relay` : (address ?? 'more addresses')),
      REQUESTS: ({ count }) => count,
      FROM: ({ from }) => time.when(from),
      TO: ({ to }) => time.when(to),
    }),
  )
  key.asks('revoke <link>', 'revoke a credential at once', 'keys.revoke', revokedWords)
}

/** `hm operator …`: tokens of programs that operate the gateway. */
export function operatorCommands(program: Commands): void {
  const operator = program.group('operator', 'manage tokens for monitoring and backup programs')
  operator
    .command('create', 'create an operator token; it is shown once')
    .requiredOption('--name <name>', 'its name')
    .addOption(new Option('--scope <scope...>', 'its permissions').choices(OPERATOR_SCOPES).makeOptionMandatory())
    .action(async ({ name, scope: scopes }: { name: string; scope: OperatorScope[] }) => {
      const { context } = operator
      const answer = await context.client.ask('operators.create', { body: { name, scopes } })
      context.show(answer, ({ token, operator: { id } }) =>
        [
          `token  ${token}`,
          `id     ${id}`,
          'The token is not shown again: store it where secrets belong. It gives no access to the home.',
        ].join('\n'),
      )
    })
  operator.asks('list', 'list operator tokens, without their secrets', 'operators.list', ({ operators }, time) =>
    listed(operators, 'No operator tokens yet: `bin/hm operator create --name NAME --scope metrics`.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      SCOPES: ({ scopes }) => scopes.join(' '),
      CREATED: ({ createdAt }) => time.when(createdAt),
      'LAST USED': ({ usedAt }) => (usedAt === null ? 'never' : time.when(usedAt)),
    }),
  )
  operator.asks(
    'end <id>',
    'revoke an operator token at once',
    'operators.delete',
    (answer) => `Revoked ${answer.deleted}.${unstored(answer)}`,
  )
}

/** `hm integration …`: exposure and permissions. */
export function integrationCommands(program: Commands): void {
  const integration = program.group(
    'integration',
    'manage what programs may see (exposure) and do (knobs)',
    INTEGRATIONS,
  )
  integration.asks('list', 'list all integrations', 'integrations.list', ({ integrations }) =>
    listed(integrations, 'No integrations yet: `bin/hm integration create --name N`.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STATE: stateOf,
      EXPOSES: ({ expose }) => (expose[0] === 'all' ? 'all' : `${expose.length} picked`),
      CREDENTIALS: ({ credentials }) => credentials.filter((one) => one.state !== 'ended').length,
    }),
  )
  integration.asks('show <id>', 'show one integration', 'integrations.show', describe)
  integration
    .command('create', 'create an integration; it exposes everything by default')
    .requiredOption('--name <name>', 'its name')
    .option(
      '--expose <what...>',
      'all, nothing, floor:ID, room:ID, unit:ID, gang:ID:N, scene:ID, group:ID, calendar:ID, mode',
    )
    .option('--set <knob=value...>', 'knobs that differ from the default')
    .addOption(new Option('--people <people>', 'visible people').choices(PEOPLE_SHOWN))
    .option('--reports <person...>', 'persons, by name or id, whose presence it reports')
    .option(...UNTIL)
    .option(...HOURS)
    .action(async ({ set = [], reports, until, hours, ...fields }: CreateOptions) => {
      const { context } = integration
      const named = reports && { reports: await personIds(integration, reports) }
      const body = { ...fields, ...named, ...(await typedTime(context, { until, hours })), settings: parseKnobs(set) }
      await context.showTimes(() => context.client.relay('integrations.create', { body }), describe)
    })
  changeCommands(integration)
  integration.asks(
    'delete <id>',
    'delete an integration with all its credentials',
    'integrations.delete',
    (answer) =>
      `Deleted ${answer.deleted}; its credentials answer 401 from now on.${lostPermissionLines(answer)}${unstored(answer)}`,
  )
}

type CreateOptions = Readonly<Record<string, unknown>> & {
  readonly set?: readonly string[]
  readonly reports?: readonly string[]
} & TimeOptions

export interface TimeOptions {
  readonly until?: string | undefined
  readonly hours?: readonly string[] | undefined
}

export const UNTIL = ['--until <time>', 'its end: a time, or a span such as 3d; never: none'] as const
export const HOURS = [
  '--hours <part...>',
  'the parts of the week in which it is served, such as "fri 16:00-sun 20:00" or "daily 07:00-20:00"; always: all',
] as const

export async function typedTime(context: CliContext, { until, hours }: TimeOptions): Promise<object> {
  const end = async (typed: string): Promise<number | null> =>
    typed === 'never' ? null : (await context.homeTime()).ahead(typed, Date.now())
  return {
    ...(until !== undefined && { until: await end(until) }),
    ...(hours && { hours: typedHours(hours) }),
  }
}

/** Ids of persons by id or name, each once. */
async function personIds(integration: Commands, typed: readonly string[]): Promise<readonly string[]> {
  const persons = await Promise.all(typed.map((one) => personOf(integration, one)))
  return [...new Set(persons.map(({ id }) => id))]
}

interface ChangeOptions {
  readonly dryRun?: true
}

function changeCommands(integration: Commands): void {
  const command = (words: string, description: string): Command =>
    integration.command(words, description).option('--dry-run', 'only show the effect')
  command('set <id> <knob=value...>', 'change knobs').action((id: string, words: string[], options: ChangeOptions) =>
    change(integration, id, { settings: parseKnobs(words) }, options),
  )
  command('expose <id> <what...>', 'replace its exposure').action(
    (id: string, expose: string[], options: ChangeOptions) => change(integration, id, { expose }, options),
  )
  command('people <id>', 'set which people it sees')
    .addArgument(new Argument('<people>', 'none, anyone or each').choices(PEOPLE_SHOWN))
    .action((id: string, people: string, options: ChangeOptions) => change(integration, id, { people }, options))
  command('reports <id> [person...]', 'set the persons, by name or id, whose presence it may report').action(
    async (id: string, persons: string[], options: ChangeOptions) =>
      change(integration, id, { reports: await personIds(integration, persons) }, options),
  )
  command('time <id>', 'set its end and the hours of the week in which it is served')
    .option(...UNTIL)
    .option(...HOURS)
    .action(async (id: string, { until, hours, ...options }: ChangeOptions & TimeOptions) => {
      const body = await typedTime(integration.context, { until, hours })
      if (Object.keys(body).length === 0) throw new CliError('Give --until, --hours or both.')
      await change(integration, id, body, options)
    })
  command('rename <id> <name>', 'give it another name').action((id: string, name: string, options: ChangeOptions) =>
    change(integration, id, { name }, options),
  )
  command('disable <id>', 'refuse all its requests').action((id: string, options: ChangeOptions) =>
    change(integration, id, { enabled: false }, options),
  )
  command('enable <id>', 'serve its requests again').action((id: string, options: ChangeOptions) =>
    change(integration, id, { enabled: true }, options),
  )
}

/** The gateway checks the names and values of knobs. */
async function change(integration: Commands, typed: string, body: object, { dryRun }: ChangeOptions): Promise<void> {
  const { context } = integration
  const id = await integration.idOf(typed)
  if (dryRun) return context.show(await context.client.relay('integrations.preview', { id, body }), previewText)
  await context.showTimes(
    () => context.client.relay('integrations.change', { id, body }),
    (changed, time) =>
      `${describe(changed, time)}${knobsOff(changed)}${lostPermissionLines(changed)}${unstored(changed)}`,
  )
}

/** Parses the typed knobs. */
export function parseKnobs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [knob, value, ...rest] = word.split('=')
      if (!knob || !value || rest.length > 0) throw new CliError(`"${word}" is not of the form knob=value.`)
      return [knob, value]
    }),
  )
}

const STATE_WORDS: Readonly<Record<IntegrationView['state'], string>> = {
  served: 'enabled',
  disabled: 'disabled',
  outside_hours: 'outside its hours',
  ended: 'ended',
  clock_doubted: 'waits for the clock',
}

const stateOf = ({ state }: IntegrationView): string => STATE_WORDS[state]

/** The lines about its end and its hours, if it has them. */
function timeLines({ until, hours, opensAt }: IntegrationView, time: HomeTime): readonly string[] {
  const next = opensAt === null ? '' : `, next from ${time.when(opensAt)}`
  return [
    ...(until === null ? [] : [`  until    ${time.when(until)}`]),
    ...(hours.length === 0 ? [] : [`  hours    ${hoursWords(hours)}${next}`]),
  ]
}

function describe({ integration }: { readonly integration: IntegrationView }, time: HomeTime): string {
  const lines = [
    `${integration.name}  (${stateOf(integration)}, created ${time.when(integration.createdAt)})`,
    `  id       ${integration.id}`,
    `  exposes  ${integration.expose.join(' ') || 'nothing'}`,
    ...Object.entries(integration.settings).map(
      ([knob, value], index) => `  ${index === 0 ? 'knobs  ' : '       '}  ${knob}=${value}`,
    ),
    `  people   ${integration.people}${integration.reports.length > 0 ? `, reports ${integration.reports.join(' ')}` : ''}`,
    ...timeLines(integration, time),
  ]
  const keys = integration.credentials.map(
    (credential) =>
      `  ${credential.link}  ${credential.kind}  ${credential.state}${credential.stale ? ', stale' : ''}  last used ${credential.lastUsed ? `${time.when(credential.lastUsed.at)} (${credential.lastUsed.via})` : 'never'}`,
  )
  return [
    ...lines,
    ...(keys.length > 0
      ? ['Credentials', ...keys]
      : ['No credentials yet: `bin/hm key create --integration ' + integration.id + '`.']),
  ].join('\n')
}
