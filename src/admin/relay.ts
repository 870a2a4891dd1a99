import { X509Certificate } from 'node:crypto'
import type { Cause } from '../home/model/events.ts'
import type { Result } from '../lib/result.ts'
import type { Refuse } from '../api/errors.ts'
import type { StatusView } from './contract/gateway.ts'
import type { relay, RelayView } from './contract/relay.ts'
import type { AdminHandlersOf } from './dispatch.ts'

/** Reason why a relay was not reached. */
type TunnelFailure = 'unreachable' | 'untrusted' | 'no_relay' | 'no_key' | 'not_welcome'

interface RelayStatus extends Pick<RelayView, 'serial' | 'state' | 'passthrough' | 'rivalAt' | 'tunnels' | 'pending'> {
  readonly settings: {
    readonly url: string
    readonly ca: string | null
    readonly accounts: readonly string[]
  } | null
  readonly trouble: TunnelFailure | 'gave_way' | null
  readonly gaveWay: boolean
  readonly fullAt: number | null
  readonly code: RelayView['link']
}

/**
 * The gateway's side of the relay, for administrators. `record` logs a change just before it is made; if logging or
 * storing fails, neither happens.
 */
export interface RelayControl {
  status(): RelayStatus
  connect(
    url: string,
    fingerprint: string | null,
    options: { readonly isStillAllowed: () => boolean; readonly record: () => void },
  ): Promise<Result<RelayStatus, TunnelFailure | 'ended'>>
  disconnect(record: () => void): Promise<RelayStatus>
  link(): Promise<RelayStatus>
  unlink(record: () => void): Promise<RelayStatus>
  passthrough(mode: RelayView['passthrough'], record: () => void): Promise<RelayStatus>
}

export interface RelayAdminParts {
  readonly link: RelayControl
  /** Records an administrator's action, as one phrase. */
  readonly record: (what: string, cause: Cause) => void
}

const TROUBLES: Readonly<Record<TunnelFailure | 'gave_way', string>> = {
  gave_way:
    'Another gateway with a copy of this data folder connected to the relay later, so this one stopped serving the home there. To serve the home from here, stop the other one and run `bin/hm relay connect URL` here. To keep the other one, stop this one: a second home needs a new data folder from a first start.',
  unreachable: 'The relay does not answer: check its address, and that this machine reaches it.',
  untrusted:
    'The server at this address cannot prove that it is this relay: compare the fingerprint that the relay printed at its start. A relay with a public certificate needs no fingerprint: run `bin/hm relay disconnect` first if the gateway trusted another CA there.',
  no_relay: 'The server at this address is not a relay of this version.',
  no_key:
    "The gateway's key for relays, the file `relay/identity.key`, cannot be read or written: the log has the reason. If you remove the file, the gateway makes a new key.",
  not_welcome:
    'The relay did not accept this gateway. It may know another key for it, which its operator or a linked account has to replace.',
}

/** Part of the status about the relay. */
export function relaySummary(link: Pick<RelayControl, 'status'>): StatusView['relay'] {
  const status = link.status()
  const { state, trouble, gaveWay, url, pending, rivalAt } = view(status)
  const ofThisRelay = pending?.url === url ? pending : null
  return { state, trouble, fullAt: status.fullAt, gaveWay, rivalAt, pending: ofThisRelay }
}

export function relayAdminHandlers({ link, record }: RelayAdminParts): AdminHandlersOf<typeof relay> {
  /** Refuses requests while no relay is connected. */
  const connected = (refuse: Refuse): void => {
    if (link.status().settings === null)
      refuse('validation', { message: 'No relay is connected. Connect one with `bin/hm relay connect URL`.' })
  }
  return {
    'relay.status': () => view(link.status()),
    'relay.connect': async ({ body, by, cause, refuse }) => {
      const url = originOf(body.url, refuse)
      const done = await link.connect(url, fingerprintOf(body.fingerprint ?? null, refuse), {
        isStillAllowed: by.holds,
        record: () => record(`Relay ${url} connected`, cause),
      })
      if (!done.ok) {
        if (done.error === 'ended') return refuse('unauthorized')
        return refuse('validation', { message: TROUBLES[done.error] })
      }
      return view(done.value)
    },
    'relay.disconnect': async ({ cause, refuse }) => {
      connected(refuse)
      return view(await link.disconnect(() => record('Relay disconnected', cause)))
    },
    'relay.link': async ({ refuse }) => {
      connected(refuse)
      return view(await link.link())
    },
    'relay.passthrough': async ({ body: { mode }, cause, refuse }) => {
      connected(refuse)
      return view(await link.passthrough(mode, () => record(`Relay passthrough set to ${mode}`, cause)))
    },
    'relay.unlink': async ({ cause, refuse }) => {
      connected(refuse)
      return view(await link.unlink(() => record('Unlinking of all relay accounts requested', cause)))
    },
  }
}

function view(status: RelayStatus): RelayView {
  const { serial, state, settings, passthrough, trouble, gaveWay, rivalAt, tunnels, pending, code } = status
  return {
    serial,
    state,
    url: settings?.url ?? null,
    fingerprint: settings?.ca ? new X509Certificate(settings.ca).fingerprint256 : null,
    accounts: [...(settings?.accounts ?? [])],
    passthrough,
    trouble: trouble === null ? null : TROUBLES[trouble],
    gaveWay,
    rivalAt,
    tunnels: [...tunnels],
    pending,
    link: code,
  }
}

function originOf(text: string, refuse: Refuse): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.protocol !== 'https:' || url.hostname === '' || url.href !== `${url.origin}/`)
    return refuse('validation', { message: 'url: must be the address of a relay, such as https://relay.example:8443.' })
  return url.origin
}

/** Normalises a fingerprint: pairs of hexadecimal digits, with or without colons, in any case. */
function fingerprintOf(text: string | null, refuse: Refuse): string | null {
  if (text === null) return null
  const digits = text.replaceAll(':', '').toUpperCase()
  if (!/^[0-9A-F]{64}$/.test(digits))
    return refuse('validation', {
      message: 'fingerprint: must be the SHA-256 that the relay printed, such as AB:12:….',
    })
  return digits.match(/../g)?.join(':') ?? null
}
