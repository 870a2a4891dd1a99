import { createInterface } from 'node:readline'
import { Command, CommanderError } from 'commander'
import { type AdminEvent, EVENTS_PATH } from '../../admin/contract/events.ts'
import { noticeOf, agentOf, nameWorth } from '../../operations/notice.ts'
import { CliError, listed, table, write } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import { type Answer, type Body, Commands } from './commands.ts'
import { handedOver, lastUsedWords, revokedWords, stateWords } from './credentials.ts'
import type { PendingRequestView } from '../../admin/contract/agents.ts'
import type { HomeTime } from '../shell/home-time.ts'

interface WatchTerminal {
  readonly input: NodeJS.ReadableStream
  /** Whether a person at the terminal can answer. */
  readonly interactive: boolean
}

/**
 * Prints the gateway's notices to administrators until it stops; on a terminal each line that is typed is a decision.
 */
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

/** Runs one typed line as a command. A mistake in it prints its sentence, and the watch goes on. */
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

type AcceptOptions = Body<'agents.accept'>
type CreateOptions = Body<'agents.create'> & { readonly qr?: boolean }

/** `hm agent …`: who asks for access, who has it, and which calls wait for a confirmation. */
export function agentCommands(program: Commands): void {
  const agent = program.group('agent', 'agents: who asks for access, who has it, and what they need a word for')
  agent.asks('requests', 'agents that ask for access', 'agents.requests', describeRequests)
  decisionCommands(agent)
  agent.asks('list', 'agents and sessions, without their secrets', 'agents.list', ({ agents }, time) =>
    listed(agents, 'No agents yet: `bin/hm agent requests` shows who asks.', {
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
  agent.asks('revoke <link>', 'end an agent or session at once', 'agents.revoke', revokedWords)
  agent
    .command('watch', 'show requests and calls that need a word as they come; on a terminal, answer them')
    .action(() => {
      const { context } = agent
      const interactive = process.stdin.isTTY && process.stdout.isTTY && !context.json
      return watchAgents(context, { input: process.stdin, interactive })
    })
}

function createCommand(agent: Commands): void {
  agent
    .command('create', "make an agent's credential without its asking; the token is shown this once")
    .requiredOption('--integration <id>', 'the integration it belongs to')
    .requiredOption('--name <name>', 'what the agent is called')
    .requiredOption('--platform <platform>', 'where it runs')
    .option('--session', 'for one session: an hour after its last use, twelve hours at most')
    .option('--qr', 'show the connection code as a QR code too')
    .action(async ({ qr = false, ...body }: CreateOptions) => {
      const { context } = agent
      context.show(await context.client.ask('agents.create', { body }), (made) =>
        [
          ...handedOver(made, qr),
          ...(made.suspended
            ? [
                `It is suspended while agent_access is off: \`bin/hm integration set ${body.integration} agent_access=on\`.`,
              ]
            : []),
        ].join('\n'),
      )
    })
}

/** Whose requests are turned away, and for whom a place is kept. */
function senderCommands(agent: Commands): void {
  agent.asks(
    'blocks',
    'whose requests for access are turned away, and for whom a place is kept',
    'agents.senders',
    ({ blocked, reserved }, time) =>
      [
        listed(blocked, 'Nobody is turned away.', {
          ADDRESS: ({ address }) => address,
          VIA: ({ via }) => via,
          UNTIL: ({ until }) => time.when(until),
        }),
        ...(reserved === null ? [] : [keptFor(reserved, time)]),
      ].join('\n'),
  )
  agent.asks(
    'unblock <address>',
    'take requests of an address again that was turned away',
    'agents.unblock',
    ({ unblocked }) => `Requests from ${unblocked} are taken again.`,
  )
  agent
    .command('reserve [address]', 'keep a place for one request from an address at home, whatever others ask')
    .option('--account <email>', 'for the next agent of this account at the relay instead')
    .action(async (address: string | undefined, { account }: { account?: string }) => {
      const { context } = agent
      await context.showTimes(
        () => context.client.ask('agents.reserve', { body: { address, account } }),
        ({ reserved }, time) => (reserved === null ? '' : keptFor(reserved, time)),
      )
    })
}

/** More than one branch: the agent's platform refreshes on several machines, or somebody else has a token of it. */
const branchesOf = ({ branches = 1 }: { branches?: number | undefined }): string =>
  branches > 1 ? `, ${branches} branches` : ''

function keptFor({ address, until }: { address: string; until: number }, time: HomeTime): string {
  return `One request from ${address} is taken until ${time.when(until)}, whatever others ask: let the agent ask now.`
}

/** What an administrator decides, here and while watching. */
function decisionCommands(agent: Commands): void {
  agent
    .command('accept [code]', 'let in the agent that shows this code')
    .option('--integration <id>', 'the integration it gets, where several are possible')
    .option('--session', 'for one session: an hour after its last use, twelve hours at most')
    .option('--replace [link]', 'end what the same agent has already, once the new one is collected')
    .option('--add', 'keep what the same agent has already')
    .action(async (typed: string | undefined, options: AcceptOptions) => {
      const { context } = agent
      context.show(await context.client.ask('agents.accept', acceptedBy(typed, options)), describeAccepted)
    })
  agent
    .command('deny <code>', 'turn the agent that shows this code away')
    .option('--block', 'and whatever its address asks within a day')
    .action(async (code: string, options: { block?: true }) => {
      const { context } = agent
      const answer = await context.client.ask('agents.deny', { id: code, body: options })
      context.show(
        answer,
        ({ denied, blocked }) =>
          `Denied ${agentOf(denied)}.${blocked ? ` Requests from ${denied.client?.account ?? denied.peer} are turned away for a day.` : ''}`,
      )
    })
  agent
    .command('confirm [id]', 'confirm one call of an agent, or show what waits for a word')
    .option('--deny', 'decline it instead')
    .action(async (id: string | undefined, { deny = false }: { deny?: boolean }) => {
      const { context } = agent
      if (id === undefined)
        return void (await context.showTimes(() => context.client.ask('confirmations.list'), describeConfirmations))
      context.show(await context.client.ask('confirmations.answer', { id, body: { confirm: !deny } }), describeAnswered)
    })
}

/**
 * In `accept --replace CODE` what looks like the link of --replace is the code: without a code there is nothing to
 * accept.
 */
function acceptedBy(code: string | undefined, options: AcceptOptions): { id: string; body: AcceptOptions } {
  if (code !== undefined) return { id: code, body: options }
  if (typeof options.replace === 'string') return { id: options.replace, body: { ...options, replace: true } }
  throw new CliError('Say which agent: `bin/hm agent accept CODE`, with the code that it shows.')
}

/** In quotes, so that spaces in a name cannot pass for the next column. */
const quoted = (...texts: readonly string[]): string[] => texts.map((text) => JSON.stringify(text))

function describeRequests({ requests }: Answer<'agents.requests'>, time: HomeTime): string {
  if (requests.length === 0) return 'Nobody asks for access.'
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
      ? [`${request.code} is an agent that has ${request.known.join(', ')} already: accept with --replace or --add.`]
      : []),
  ])
  return [
    table(['CODE', 'NAME', 'PLATFORM', 'FROM', 'UNTIL', 'INTEGRATION'], rows),
    ...details,
    'Accept only the code that your agent shows: `bin/hm agent accept CODE`, or `bin/hm agent deny CODE`.',
  ].join('\n')
}

/** What an administrator should know of a hosted platform's agent before accepting it. */
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

function describeAccepted({ accepted, integration, session, replaces }: Answer<'agents.accept'>): string {
  return [
    `Accepted ${agentOf(accepted)}${session ? ' for one session' : ''}, for the integration ${integration}. It collects its token when it asks next.`,
    ...(replaces === null ? [] : [`${replaces} ends then.`]),
  ].join('\n')
}

function describeConfirmations({ confirmations }: Answer<'confirmations.list'>, time: HomeTime): string {
  if (confirmations.length === 0) return 'Nothing waits for a word.'
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
    'Confirm one with `bin/hm agent confirm ID`, or tell its code to whoever asks; decline with --deny.',
  ].join('\n')
}

function describeAnswered({ confirmed, declined }: Answer<'confirmations.answer'>): string {
  if (confirmed)
    return `Confirmed for ${JSON.stringify(confirmed.label)}: ${confirmed.what}. It works once, within 2 minutes, when the agent asks again.`
  return `Declined${declined ? ` for ${JSON.stringify(declined.label)}: ${declined.what}` : ''}.`
}
