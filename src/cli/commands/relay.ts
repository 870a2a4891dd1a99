import { Argument, Option } from 'commander'
import type { RelayView } from '../../admin/contract/relay.ts'
import type { Commands } from './command-group.ts'
import type { HomeTime } from '../shell/home-time.ts'

/** `hm relay`: access to the home from outside. */
export function relayCommands(program: Commands): void {
  const relay = program.group('relay', 'manage the relay for access from outside')
  relay
    .command('connect <url>', 'connect a relay, and print how to link an account')
    .addOption(
      new Option(
        '--fingerprint <sha256>',
        "fingerprint of the relay's own CA, as the relay printed it; not needed for a public certificate or the connected relay",
      ),
    )
    .action(async (url: string, { fingerprint }: { fingerprint?: string }) => {
      const { context } = relay
      await context.showTimes(() => context.client.ask('relay.connect', { body: { url, fingerprint } }), describeRelay)
    })
  relay.asks('status', 'show the connected relay and its state', 'relay.status', describeRelay)
  relay.asks('disconnect', 'disconnect the relay', 'relay.disconnect', describeRelay)
  wishCommand(relay, 'link', 'print a code to link one more account')
  relay
    .command('passthrough', 'set end-to-end access through the relay: off, in addition to other requests, or only')
    .addArgument(new Argument('<mode>', 'off by default').choices(['on', 'only', 'off']))
    .action(async (mode: RelayView['passthrough']) => {
      const { context } = relay
      await context.showTimes(() => context.client.ask('relay.passthrough', { body: { mode } }), describeRelay)
    })
  wishCommand(relay, 'unlink', 'unlink all accounts of this home at the relay')
}

/** A request is done only after the relay confirmed it, although the gateway repeats it. */
function wishCommand(relay: Commands, wish: 'link' | 'unlink', description: string): void {
  relay.command(wish, description).action(async () => {
    const { context } = relay
    const view = await context.showTimes(() => context.client.ask(`relay.${wish}`), describeRelay)
    if (view.pending !== null) process.exitCode = NOT_CONFIRMED
  })
}

/** Exit code of `hm relay link` and `unlink` while the relay has not confirmed the request. */
const NOT_CONFIRMED = 1

const STATES: Readonly<Record<RelayView['state'], string>> = {
  off: 'no relay is connected',
  connecting: 'not connected at present; the gateway keeps trying',
  unlinked: 'connected, but no account may reach the home yet',
  linked: 'connected',
}

const GAVE_WAY = 'not connected'

const PASSTHROUGH: Readonly<Record<RelayView['passthrough'], string>> = {
  off: 'no: the relay can read requests',
  on: "for clients that trust the gateway's own CA",
  only: "only: clients that do not trust the gateway's own CA are refused",
}

const LINK = 'code for one more account:'
const UNLINK = 'unlinking of all accounts:'
const LINK_ASIDE = 'another gateway serves the home; this one repeats the request when it is connected again'
const UNLINK_ASIDE =
  'another gateway with a copy of this data folder still serves the home; this one repeats the request until the relay confirms it. Stop the other gateway, or unlink the home on the relay’s page “Your homes”'

function pendingWords({ pending, gaveWay }: RelayView, time: HomeTime): string {
  if (pending === null) return ''
  const { wish, url, since } = pending
  const unconfirmed = `requested ${time.when(since)}, not confirmed by ${url} yet`
  if (gaveWay === true)
    return wish === 'link' ? `${LINK} ${unconfirmed}; ${LINK_ASIDE}` : `${UNLINK} ${unconfirmed}; ${UNLINK_ASIDE}`
  const repeated = `${unconfirmed}; the gateway repeats it with each connection`
  return wish === 'link'
    ? `${LINK} ${repeated}`
    : `${UNLINK} ${repeated}, and nobody reaches the home through that relay meanwhile`
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
      : [row('copy', `another gateway with this data folder was connected to the relay ${time.when(rivalAt)}`)]),
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
          `Open ${link.url}, sign in, and type ${link.code}. It is valid until ${time.when(link.expiresAt)}.`,
          `Before linking, the page shows a serial: it must be ${serial}.`,
        ]),
  ].join('\n')
}
