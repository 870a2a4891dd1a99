import { Argument, type Command, Option } from 'commander'
import type { RelayView } from '../../admin/contract/relay.ts'
import type { CliContext } from './context.ts'
import type { HomeTime } from '../shell/home-time.ts'

/** `hm relay`: how the home is reached from outside. */
export function relayCommands(program: Command, context: () => CliContext): void {
  const relay = program.command('relay').description('the relay through which the home is reached from outside')
  const show = (view: RelayView): Promise<void> => context().showTimes(view, describeRelay)
  /** A request is done only once the relay has confirmed it, although the gateway repeats it. */
  const showConfirmed = async (view: RelayView): Promise<void> => {
    await show(view)
    if (view.pending !== null) process.exitCode = NOT_CONFIRMED
  }
  relay
    .command('connect <url>')
    .description('connect a relay, and print how an account is linked')
    .addOption(
      new Option(
        '--fingerprint <sha256>',
        "of the relay's own CA, as it printed it; not needed for a public certificate or the connected relay",
      ),
    )
    .action(async (url: string, { fingerprint }: { fingerprint?: string }) =>
      show(await context().client.ask('relay.connect', { body: { url, fingerprint } })),
    )
  relay
    .command('status')
    .description('which relay is connected, and how')
    .action(async () => show(await context().client.ask('relay.status')))
  relay
    .command('disconnect')
    .description('use no relay any more')
    .action(async () => show(await context().client.ask('relay.disconnect')))
  relay
    .command('link')
    .description('print a code by which one more account is linked')
    .action(async () => showConfirmed(await context().client.ask('relay.link')))
  relay
    .command('passthrough')
    .description("let clients reach the gateway's own TLS through the relay, beside other requests or alone")
    .addArgument(new Argument('<mode>', 'off by default').choices(['on', 'only', 'off']))
    .action(async (mode: RelayView['passthrough']) =>
      show(await context().client.ask('relay.passthrough', { body: { mode } })),
    )
  relay
    .command('unlink')
    .description('have the relay forget every account of this home')
    .action(async () => showConfirmed(await context().client.ask('relay.unlink')))
}

/** What `hm relay link` and `unlink` end with while the relay has not done what was asked. */
const NOT_CONFIRMED = 1

const STATES: Readonly<Record<RelayView['state'], string>> = {
  off: 'no relay is connected',
  connecting: 'not connected at present; the gateway keeps trying',
  unlinked: 'connected, but no account may reach the home yet',
  linked: 'connected',
}

const GAVE_WAY = 'not connected'

const PASSTHROUGH: Readonly<Record<RelayView['passthrough'], string>> = {
  off: 'no: the relay sees what passes',
  on: "for clients that trust the gateway's own CA",
  only: "for all: others than clients that trust the gateway's own CA are refused",
}

const LINK = 'code for one more account:'
const UNLINK = 'unlinking of all accounts:'
const LINK_ASIDE = 'another gateway serves the home, and this one asks once it is connected again'
const UNLINK_ASIDE =
  'another gateway with a copy of this data folder still serves the home; this one repeats the request until the relay confirms it. Stop the other gateway, or leave the home on the account page of the relay'

function pendingWords({ pending, gaveWay }: RelayView, time: HomeTime): string {
  if (pending === null) return ''
  const { wish, url, since } = pending
  const unconfirmed = `asked ${time.when(since)}, not confirmed by ${url} yet`
  if (gaveWay === true)
    return wish === 'link' ? `${LINK} ${unconfirmed}; ${LINK_ASIDE}` : `${UNLINK} ${unconfirmed}; ${UNLINK_ASIDE}`
  const asked = `${unconfirmed}; the gateway repeats it with each connection`
  return wish === 'link'
    ? `${LINK} ${asked}`
    : `${UNLINK} ${asked}, and nobody reaches the home through that relay meanwhile`
}

function describeRelay(view: RelayView, time: HomeTime): string {
  const { serial, state, url, fingerprint, accounts, passthrough, trouble, gaveWay, rivalAt, tunnels, link } = view
  const row = (name: string, value: string): string => `${name.padEnd(12)} ${value}`
  return [
    row('serial', serial),
    row('state', gaveWay === true && state === 'connecting' ? GAVE_WAY : STATES[state]),
    ...(url === null ? [] : [row('relay', url), row('trusts', fingerprint ?? 'public certificates')]),
    ...(trouble === null ? [] : [row('trouble', trouble)]),
    ...(rivalAt === null
      ? []
      : [row('copy', `another gateway with this data folder was at the relay ${time.when(rivalAt)}`)]),
    ...(url === null && passthrough === 'off' ? [] : [row('end to end', PASSTHROUGH[passthrough])]),
    ...accounts.map((account) => row('account', account)),
    ...(view.pending === null ? [] : [row('pending', pendingWords(view, time))]),
    ...tunnels.map(({ slot, node, silentMs, streams }) =>
      row('tunnel', `${slot + 1} to ${node}, answered ${Math.round(silentMs / 1_000)} s ago, ${streams} open`),
    ),
    ...(link === null
      ? []
      : [
          '',
          `Open ${link.url}, sign in, and type ${link.code}. It holds until ${time.when(link.expiresAt)}.`,
          `The page shows a serial before it links: it must be ${serial}.`,
        ]),
  ].join('\n')
}
