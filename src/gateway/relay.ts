import { administrationEntry } from '../auth/credentials/pending-revocations.ts'
import { ADMIN_CAUSE } from '../admin/dispatch.ts'
import { type Cause, GATEWAY_CAUSE } from '../home/model/events.ts'
import { TokenBucket } from '../lib/token-bucket.ts'
import type { Notice } from '../tunnel/account-notices.ts'
import { ApiStreams } from '../tunnel/api-streams.ts'
import { Epochs, EpochsFile } from '../tunnel/epochs.ts'
import { hostedControl } from '../tunnel/hosted-control.ts'
import { lazyIdentity } from '../tunnel/identity.ts'
import { mcpStreams } from '../tunnel/mcp-streams.ts'
import { passthroughStreams } from '../tunnel/passthrough-streams.ts'
import { RelayLink } from '../tunnel/relay-link.ts'
import { RelaySettingsFile } from '../tunnel/settings-file.ts'
import type { AccessParts } from './access.ts'
import type { ApiParts } from './api.ts'
import { closeWithTimeout } from '../lib/closing.ts'
import type { HomeParts } from './home.ts'
import type { Network } from './network.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'

/** Rate of activity entries about another gateway with the same key: one for each takeover. */
const RIVAL_ENTRY_RATE = { perSecond: 1 / 3_600, burst: 1 }
/** Rate of these warnings in the log, so that a relay cannot fill it. */
const RIVAL_WARNING_RATE = { perSecond: 1 / 60, burst: 10 }

export interface RelayAccess extends AsyncDisposable {
  readonly link: RelayLink
}

interface Ground {
  readonly stores: Stores
  readonly home: HomeParts
  readonly access: AccessParts
  readonly api: ApiParts
  readonly network: Network
}

/** The gateway's side of its relay. It is idle unless an administrator has connected one. */
export function openRelay(options: GatewayOptions, ground: Ground): RelayAccess {
  const { clock, random, log, folder } = options
  const { stores, home, access, api, network } = ground
  const entryLimit = new TokenBucket(clock, RIVAL_ENTRY_RATE)
  const warningLimit = new TokenBucket(clock, RIVAL_WARNING_RATE)
  const relayClock = options.relayClock ?? clock
  const link = new RelayLink({
    serial: stores.serial,
    file: new RelaySettingsFile(folder.relay.settings, log),
    identity: lazyIdentity(folder.relay.identity, log),
    epochs: new Epochs({ clock: relayClock, stored: new EpochsFile(folder.relay.epochs, log), log }),
    houseName: () => home.house.info.name,
    streams: {
      api: new ApiStreams({ dispatcher: api.dispatcher, stream: network.stream }),
      mcp: mcpStreams({ mcp: network.mcp, dispatcher: api.dispatcher }),
      tls: passthroughStreams(network.relayed),
    },
    hosted: hostedControl(access.hosted),
    recordLinkChange: (account, linked) =>
      recordInActivity(options, stores, accountWords(account, linked), ADMIN_CAUSE),
    recordManyLinkChanges: (linked) => recordInActivity(options, stores, manyLinkChangesWords(linked), GATEWAY_CAUSE),
    recordUnlinked: () => recordInActivity(options, stores, 'The relay unlinked all accounts', GATEWAY_CAUSE),
    notices: {
      record: (notice, lateMs) =>
        recordInActivity(options, stores, signInWords(notice, lateMs), accountCause(notice.account)),
      recordOmitted: (account) => recordInActivity(options, stores, manySignInsWords(account), accountCause(account)),
    },
    onTakeover: () => {
      if (warningLimit.take()) log.warn({}, RIVAL_FOUND)
      if (entryLimit.take()) recordInActivity(options, stores, RIVAL_FOUND, GATEWAY_CAUSE)
    },
    onGiveWay: () => {
      log.warn({}, GAVE_WAY)
      recordInActivity(options, stores, GAVE_WAY, GATEWAY_CAUSE)
    },
    clock: relayClock,
    random,
    log,
  })
  const opened = new AsyncDisposableStack()
  closeWithTimeout(opened, 'relay', () => link.stop(), options)
  // Before the tunnels close, so that relayed streams get the reason.
  closeWithTimeout(opened, 'mcp', () => network.mcp.stop(), options)
  opened.defer(() => network.stream.close())
  return { link, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const RIVAL_FOUND = 'Another gateway uses the relay with the key of this gateway'
const GAVE_WAY = 'Another gateway with the same key replaced this one, which no longer uses the relay'

function accountWords(account: string, linked: boolean): string {
  return linked ? `The relay account ${account} may reach this home` : `The relay account ${account} is unlinked`
}

/** A notice that waited longer than this for the connection includes the time of the sign-in. */
const LATE_MS = 5 * 60_000

function signInWords({ account, browser, place }: Notice, lateMs: number): string {
  const from = [browser, place].filter((part) => part !== '').join(', ')
  const minutes = Math.round(lateMs / 60_000)
  const when = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  const late = lateMs < LATE_MS ? '' : `, ${when} before the relay could report it`
  return `The relay account ${account} signed in on a new device (${from})${late}`
}

const manySignInsWords = (account: string): string =>
  `The relay account ${account} keeps signing in on new devices; further ones are not listed for a while`

/** The cause is the person who signed in at the relay. */
const accountCause = (account: string): Cause => ({ source: 'platform', name: `Relay account ${account}` })

function manyLinkChangesWords(linked: number): string {
  const now = linked === 1 ? 'now 1 account may' : `now ${linked} accounts may`
  return `The relay keeps changing which accounts may reach this home; ${now}`
}

/** Recorded under an integration that does not exist, so that only administrators see it. */
export function recordInActivity({ clock }: GatewayOptions, { core }: Stores, what: string, cause: Cause): void {
  core.change((record) => record(administrationEntry(clock, what, cause)))
}
