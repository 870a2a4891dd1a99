import type { AttentionView, ReleaseView, StatusView, TlsView } from '../../admin/contract/gateway.ts'
import type { CliContext } from './context.ts'
import type { Commands } from './command-group.ts'
import { CannotAsk, CliError, NoGateway, duration, plain, size } from '../shell/terminal.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { trustCommand } from './trust.ts'
import { existsSync } from 'node:fs'
import { isObject } from '../../lib/json.ts'

/** `hm about`: the running release and its changes. */
export function aboutCommand(program: Commands): void {
  const description = 'show the running release, the versions of its databases, and its changes'
  program.asks('about', description, 'release.show', describe)
}

function describe({ version, interface: api, node, platform, configuration, history, changes }: ReleaseView): string {
  const facts = [
    `hm-gateway ${version}`,
    '',
    `  interface      Home Control Service API ${api}`,
    `  Node           ${node}, ${platform}`,
    `  configuration  tables of version ${configuration.version} (${configuration.step})`,
    `  history        tables of version ${history.version} (${history.step})`,
  ]
  const news = changes?.parts.flatMap(({ title, entries }) => ['', title, ...entries.map((entry) => `  - ${entry}`)])
  return [...facts, ...(changes && news ? ['', changes.heading, ...news] : [])].join('\n')
}

/** `hm metrics`: for monitoring systems. */
export function metricsCommand(program: Commands): void {
  program
    .command('metrics', 'print metrics of the gateway in the text format of Prometheus')
    .option('--units', 'with metrics of each unit', false)
    .action(async ({ units }: { units: boolean }) => {
      const { context } = program
      const metrics = await context.client.ask('metrics.get', { query: { units: units ? '1' : '0' } })
      context.show({ metrics }, () => metrics)
    })
}

/** `hm tls` and `hm acknowledge`: the gateway's certificates and its incidents. */
export function gatewayCommands(program: Commands): void {
  const tls = program.group('tls', 'show, renew and trust the CA and the certificate')
  tls.asks('show', "show the CA's fingerprint, and the certificate's dates and names", 'tls.show', describeTls)
  tls.asks(
    'renew',
    'renew the certificate now; clients notice nothing',
    'tls.renew',
    (view, time) => `Renewed.\n${describeTls(view, time)}`,
  )
  tls.asks(
    'regenerate-ca',
    'create a new CA; every client has to trust it again',
    'tls.regenerateCa',
    (view, time) => `Every client has to fetch and trust the new CA.\n${describeTls(view, time)}`,
  )
  trustCommand(tls)
  program.command('acknowledge', 'print the incidents of the configuration and acknowledge them').action(async () => {
    const { context } = program
    const { incidents } = await context.client.ask('status.get')
    const upTo = incidents.at(-1)?.id ?? 0
    await context.showTimes(
      async () => ({ ...(await context.client.ask('incidents.acknowledge', { body: { upTo } })), incidents }),
      (_, time) =>
        incidents.length === 0
          ? 'There is nothing to acknowledge.'
          : incidents.map(({ at, what }) => `${time.when(at)}  ${what}`).join('\n'),
    )
  })
}

function describeTls({ ca, certificate }: TlsView, time: HomeTime): string {
  return [
    `CA fingerprint  ${ca.fingerprint}`,
    `certificate     ${time.when(certificate.notBefore)} to ${time.when(certificate.notAfter)}`,
    `names           ${certificate.names.join(', ')}`,
  ].join('\n')
}

/**
 * Timeout of a status request: a healthy gateway answers in milliseconds, and monitoring systems wait ten seconds for a
 * check.
 */
const ANSWER_WAIT_MS = 5_000

/** `hm status`: the state of the gateway on one screen, with `--all` every counter. */
export function statusCommand(program: Commands): void {
  program
    .command('status', 'show the state of the gateway, and problems that need attention')
    .option('--all', 'with every counter', false)
    .option('--check', 'one reason per line; exit code 0 well, 1 needs attention, 2 broken, 3 unknown', false)
    .action(async ({ all, check: asCheck }: { all: boolean; check: boolean }) => {
      const soon = program.context.within(ANSWER_WAIT_MS)
      if (asCheck) return check(soon)
      await soon.showTimes(
        () => soon.client.ask('status.get'),
        (status, time) =>
          all
            ? allOf({ ...status, certificateUntil: time.when(Date.parse(status.certificateUntil)) }, '')
            : summaryOf(status, time),
      )
    })
}

function summaryOf(status: StatusView, time: HomeTime): string {
  const { home, port, units, history } = status
  const [first = '', ...others] = [`hm-${status.gateway}.local`, ...status.addresses].map(
    (host) => `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
  )
  const troubles = troublesOf(status, time)
  return [
    `${home} has been up for ${duration(status.upSeconds)}`,
    '',
    `  gateway       ${status.gateway}`,
    `  address       ${first}`,
    ...others.map((other) => `                ${other}`),
    `  certificate   until ${time.day(Date.parse(status.certificateUntil))}, renews itself`,
    `  line          ${units.link}`,
    `  units         ${units.inTheHouse} in the house, ${units.inTheHouse - units.unreachable.length} answer`,
    `  integrations  ${status.integrations}`,
    `  streams       ${status.streams?.sockets ?? 0} open`,
    `  history       ${size(history.bytes)}`,
    `  backup        ${status.backup.last === null ? 'none yet' : time.when(status.backup.last.at)}`,
    `  memory        ${status.memory.residentMiB} MiB`,
    '',
    ...(troubles.length === 0 ? ['All is well.'] : ['Needs attention:', ...troubles.map((trouble) => `  ${trouble}`)]),
  ].join('\n')
}

/** Conditions that need an administrator, each with its remedy. */
function troublesOf({ attention, incidents }: StatusView, time: HomeTime): string[] {
  const words = ({ at, what }: AttentionView): string => (at === null ? what : `${time.when(at)}  ${what}`)
  const noted = attention.filter(({ kind }) => kind === 'incident')
  return [
    ...noted.map(words),
    ...(incidents.length === 0 ? [] : ['Read and acknowledge this: bin/hm acknowledge.']),
    ...attention.filter(({ kind }) => kind !== 'incident').map(words),
  ]
}

type State = keyof typeof EXIT_CODES

interface Verdict {
  readonly state: State
  readonly reasons: readonly { readonly kind: string; readonly level: Exclude<State, 'well'>; readonly what: string }[]
}

/** Exit codes for monitoring systems. */
const EXIT_CODES = { well: 0, attention: 1, broken: 2, unknown: 3 } as const

/** Exit code of `hm status` after a usage error or a defect of hm, which say nothing about the gateway. */
export const STATUS_UNKNOWN = EXIT_CODES.unknown

/** Prints one word for the state and a line for each reason; a gateway that does not answer is broken. */
async function check(context: CliContext): Promise<void> {
  const verdict = await verdictOf(context)
  const lines = verdict.reasons.map(({ what }) => what)
  context.show(verdict, ({ state }) => (lines.length === 0 ? state : lines.join('\n')))
  process.exitCode = EXIT_CODES[verdict.state]
}

async function verdictOf({ client, dataDir }: CliContext): Promise<Verdict> {
  try {
    const { attention } = await client.ask('status.get')
    const reasons = attention.map(({ kind, level, what }) => ({ kind, level, what }))
    if (reasons.length === 0) return { state: 'well', reasons }
    return { state: reasons.some(({ level }) => level === 'broken') ? 'broken' : 'attention', reasons }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const isUnknown = error instanceof CannotAsk || (error instanceof NoGateway && !existsSync(dataDir))
    const state = isUnknown ? 'unknown' : 'broken'
    return { state, reasons: [{ kind: 'gateway', level: state, what: error.message }] }
  }
}

function allOf(value: Readonly<Record<string, unknown>>, indent: string): string {
  return Object.entries(value)
    .map(([name, field]) =>
      isObject(field)
        ? `${indent}${name}\n${allOf(field, `${indent}  `)}`
        : `${indent}${name.padEnd(Math.max(1, 18 - indent.length))} ${plain(field) || '-'}`,
    )
    .join('\n')
}
