import { createInterface } from 'node:readline'
import { Command, CommanderError } from 'commander'
import { type AdminEvent, EVENTS_PATH } from '../../admin/contract/events.ts'
import { noticeOf, agentOf, nameWorth } from '../../operations/notice.ts'
import { CliError, listed, table, write } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import { type CallAnswer, type CallBody, Commands } from './command-group.ts'
import { newCredentialLines, lastUsedWords, revokedWords, stateWords } from './credentials.ts'
import { integrationIdOf } from './integration.ts'
import type { PendingRequestView } from '../../admin/contract/agents.ts'
import type { HomeTime } from '../shell/home-time.ts'

interface WatchTerminal {
  readonly input: NodeJS.ReadableStream
  /** True if a person at the terminal can answer. */
  readonly interactive: boolean
}

/** Prints the gateway's events for administrators until it stops; on a terminal each typed line is a decision. */
export async function watchAgents(context: CliContext, terminal: WatchTerminal): Promise<void> {
  const typed = terminal.interactive ? createInterface({ input: terminal.input }) : null
  typed?.on('line', (line) => void decide(line, context))
  try {
    for await (const line of context.socket.lines(EVENTS_PATH)) {
      const event = JSON.parse(line) as AdminEvent
      write(context.json ? line : noticeOf(event))
      if (event.kind === 'watching' && typed)
        write('To answer, type: accept CODE, deny CODE, confirm ID, or confirm ID --deny.')
    }
  } finally {
    typed?.close()
  }
  if (!context.json) write('The gateway has stopped.')
}

/** Runs a typed line as a command. An error is printed, and the watch continues. */
async function decide(line: string, context: CliContext): Promise<void> {
  const words = line.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return
  const parser = new Command('').exitOverride().configureOutput({ writeOut: write, writeErr: write })
  decisionCommands(new Commands(parser, () => context))
  for (const command of parser.commands) command.exitOverride().configureOutput({ writeOut: write, writeErr: write })
  try {
    await parser.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return
    if (!(error instanceof CliError)) throw error
    write(error.message)
  }
}

type AcceptOptions = CallBody<'agents.accept'>
type CreateOptions = CallBody<'agents.create'> & { readonly qr?: boolean }

/** `hm agent …`: requests for access, credentials, and calls that wait for a confirmation. */
export function agentCommands(program: Commands): void {
  const agent = program.group('agent', 'manage AI agents: requests, access, confirmations')
  agent.asks('requests', 'list agents that ask for access', 'agents.requests', describeRequests)
  decisionCommands(agent)
  agent.asks('list', 'list agents and sessions, without their secrets', 'agents.list', ({ agents }, time) =>
    listed(agents, 'No agents yet: `bin/hm agent requests` lists requests for access.', {
      LINK: ({ link }) => link,
      KIND: (credential) =>
        credential.client === null ? credential.kind : `${credential.kind}, hosted${branchesOf(credential)}`,
      NAME: ({ name }) => JSON.stringify(name),
      PLATFORM: ({ platform }) => JSON.stringify(platform),
      STATE: stateWords,
      CREATED: ({ createdAt }) => time.when(createdAt),
      'LAST USED': (credential) => lastUsedWords(credential, time),
      INTEGRATION: ({ integration }) => integration,
    }),
  )
  createCommand(agent)
  senderCommands(agent)
  agent.asks('revoke <link>', 'revoke an agent or session at once', 'agents.revoke', revokedWords)
  agent.command('watch', 'show requests and confirmations as they arrive; on a terminal, answer them').action(() => {
    const { context } = agent
    const interactive = process.stdin.isTTY && process.stdout.isTTY && !context.json
    return watchAgents(context, { input: process.stdin, interactive })
  })
}

function createCommand(agent: Commands): void {
  agent
    .command('create', "create an agent's credential without a request; the token is shown once")
    .requiredOption('--integration <id>', 'its integration')
    .requiredOption('--name <name>', 'the name of the agent')
    .requiredOption('--platform <platform>', 'the platform on which it runs')
    .option('--session', 'for one session: an hour after its last use, twelve hours at most')
    .option('--qr', 'show the connection code as a QR code too')
    .action(async ({ qr = false, ...typed }: CreateOptions) => {
      const { context } = agent
      const body = { ...typed, integration: await integrationIdOf(typed.integration, context) }
      context.show(await context.client.ask('agents.create', { body }), (made) =>
        [
          ...newCredentialLines(made, qr),
          ...(made.suspended
            ? [
                `It is suspended while agent_access is off: \`bin/hm integration set ${body.integration} agent_access=on\`.`,
              ]
            : []),
        ].join('\n'),
      )
    })
}

/** Commands about blocked senders and the reserved place. */
function senderCommands(agent: Commands): void {
  agent.asks(
    'blocks',
    'list blocked senders and the sender with a reserved place',
    'agents.senders',
    ({ blocked, reserved }, time) =>
      [
        listed(blocked, 'No sender is blocked.', {
          ADDRESS: ({ address }) => address,
          VIA: ({ via }) => via,
          UNTIL: ({ until }) => time.when(until),
        }),
        ...(reserved === null ? [] : [reservedPlaceLine(reserved, time)]),
      ].join('\n'),
  )
  agent.asks(
    'unblock <address>',
    'accept requests from a blocked address again',
    'agents.unblock',
    ({ unblocked }) => `Requests from ${unblocked} are accepted again.`,
  )
  agent
    .command('reserve [address]', 'reserve a place for one request from an address at home')
    .option('--account <email>', 'for the next agent of this account at the relay instead')
    .action(async (address: string | undefined, { account }: { account?: string }) => {
      const { context } = agent
      await context.showTimes(
        () => context.client.ask('agents.reserve', { body: { address, account } }),
        ({ reserved }, time) => (reserved === null ? '' : reservedPlaceLine(reserved, time)),
      )
    })
}

/** More than one branch means that the agent's platform refreshes on several machines, or that a token was copied. */
const branchesOf = ({ branches = 1 }: { branches?: number | undefined }): string =>
  branches > 1 ? `, ${branches} branches` : ''

function reservedPlaceLine({ address, until }: { address: string; until: number }, time: HomeTime): string {
  return `A place for one request from ${address} is reserved until ${time.when(until)}: let the agent ask now.`
}

/** Commands for decisions, here and while watching. */
function decisionCommands(agent: Commands): void {
  agent
    .command('accept [code]', 'accept the agent that shows this code')
    .option('--integration <id>', 'its integration, if several are possible')
    .option('--session', 'for one session: an hour after its last use, twelve hours at most')
    .option('--replace [link]', 'revoke the present credential of the same agent once the new one is collected')
    .option('--add', 'keep the present credential of the same agent')
    .action(async (typed: string | undefined, { integration, ...others }: AcceptOptions) => {
      const { context } = agent
      const named = integration === undefined ? {} : { integration: await integrationIdOf(integration, context) }
      const options = { ...others, ...named }
      context.show(await context.client.ask('agents.accept', acceptedBy(typed, options)), describeAccepted)
    })
  agent
    .command('deny <code>', 'deny the agent that shows this code')
    .option('--block', 'block its address for a day')
    .action(async (code: string, options: { block?: true }) => {
      const { context } = agent
      const answer = await context.client.ask('agents.deny', { id: code, body: options })
      context.show(
        answer,
        ({ denied, blocked }) =>
          `Denied ${agentOf(denied)}.${blocked ? ` Requests from ${denied.client?.account ?? denied.peer} are blocked for a day.` : ''}`,
      )
    })
  agent
    .command('confirm [id]', 'confirm a call of an agent, or list pending confirmations')
    .option('--deny', 'decline it instead')
    .action(async (id: string | undefined, { deny = false }: { deny?: boolean }) => {
      const { context } = agent
      if (id === undefined)
        return void (await context.showTimes(() => context.client.ask('confirmations.list'), describeConfirmations))
      context.show(await context.client.ask('confirmations.answer', { id, body: { confirm: !deny } }), describeAnswered)
    })
}

/** In `accept --replace CODE`, the value of --replace is the code, because `accept` needs one. */
function acceptedBy(code: string | undefined, options: AcceptOptions): { id: string; body: AcceptOptions } {
  if (code !== undefined) return { id: code, body: options }
  if (typeof options.replace === 'string') return { id: options.replace, body: { ...options, replace: true } }
  throw new CliError('Name the agent: `bin/hm agent accept CODE`, with the code that it shows.')
}

/** Quotes names, so that their spaces do not look like columns. */
const quoted = (...texts: readonly string[]): string[] => texts.map((text) => JSON.stringify(text))

function describeRequests({ requests }: CallAnswer<'agents.requests'>, time: HomeTime): string {
  if (requests.length === 0) return 'No agent asks for access.'
  const rows = requests.map((request) => [
    request.code,
    ...quoted(request.name, request.platform),
    `${request.peer} (${request.via})`,
    time.when(request.expiresAt),
    request.record ?? '-',
  ])
  const details = requests.flatMap((request) => [
    ...(request.client === null ? [] : [`${request.code} ${hostedDetails(request.client)}`]),
    ...(request.suggested === null ? [] : [`${request.code} suggests: ${suggestion(request.suggested)}`]),
    ...(request.known.length > 0
      ? [`${request.code} is an agent with the credential ${request.known.join(', ')}: accept with --replace or --add.`]
      : []),
  ])
  return [
    table(['CODE', 'NAME', 'PLATFORM', 'FROM', 'UNTIL', 'INTEGRATION'], rows),
    ...details,
    'Accept only the code that your agent shows: `bin/hm agent accept CODE`, or `bin/hm agent deny CODE`.',
  ].join('\n')
}

/** Facts about a hosted platform's agent for the decision. */
function hostedDetails(client: NonNullable<PendingRequestView['client']>): string {
  const { account, redirectHost } = client
  return `runs on a hosted platform, for the account ${JSON.stringify(account)} of the relay: it ${nameWorth(client)}, and gets its answer at ${JSON.stringify(redirectHost)}.`
}

function suggestion({ exposure, settings }: NonNullable<PendingRequestView['suggested']>): string {
  const places =
    exposure === undefined
      ? []
      : [`see ${exposure === 'All' ? 'everything' : exposure.map((name) => JSON.stringify(name)).join(', ')}`]
  return (
    [...places, ...Object.entries(settings ?? {}).map(([knob, value]) => `${knob}=${value}`)].join('; ') || 'nothing'
  )
}

function describeAccepted({ accepted, integration, session, replaces }: CallAnswer<'agents.accept'>): string {
  return [
    `Accepted ${agentOf(accepted)}${session ? ' for one session' : ''}, for the integration ${integration}. It collects its token with its next request.`,
    ...(replaces === null ? [] : [`${replaces} ends then.`]),
  ].join('\n')
}

function describeConfirmations({ confirmations }: CallAnswer<'confirmations.list'>, time: HomeTime): string {
  if (confirmations.length === 0) return 'No confirmation is pending.'
  const rows = confirmations.map((confirmation) => [
    confirmation.id,
    confirmation.code,
    confirmation.what,
    ...quoted(confirmation.label),
    confirmation.integration,
    time.when(confirmation.expiresAt),
  ])
  return [
    table(['ID', 'CODE', 'WHAT', 'WHO', 'INTEGRATION', 'UNTIL'], rows),
    'Confirm one with `bin/hm agent confirm ID`, or tell its code to the person who asks; decline with --deny.',
  ].join('\n')
}

function describeAnswered({ confirmed, declined }: CallAnswer<'confirmations.answer'>): string {
  if (confirmed)
    return `Confirmed for ${JSON.stringify(confirmed.label)}: ${confirmed.what}. It works once, within 2 minutes, when the agent asks again.`
  return `Declined${declined ? ` for ${JSON.stringify(declined.label)}: ${declined.what}` : ''}.`
}
