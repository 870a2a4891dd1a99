import { lookup } from 'node:dns'
import { X509Certificate } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { connect, type ConnectionOptions, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import { type Clock } from '../lib/clock.ts'
import { errorCode } from '../lib/files.ts'
import type { Random } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { TUNNEL_PROTOCOL } from '../wire/tunnel.ts'

/** Which relay, and whom it has to prove itself by. */
export interface RelayAddress {
  /** `https://host[:port]`. */
  readonly url: string
  /** The relay's own CA as PEM, or null where the machine's own list of CAs decides. */
  readonly ca: string | null
}

/**
 * Why there is no connection: nothing answers there, its certificate is not the right one, or what answers is no relay.
 */
export type DialFailure = 'unreachable' | 'untrusted' | 'no_relay'

const CONNECT_MS = 10_000
const CHAIN_MAX = 8

/** Errors of OpenSSL and Node that say: the certificate does not prove that this is the relay. */
const UNTRUSTED = [
  'CERT_',
  'CRL_',
  'DEPTH_ZERO',
  'ERR_TLS_CERT_ALTNAME',
  'EXCLUDED_',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'PATH_LENGTH',
  'PERMITTED_',
  'SELF_SIGNED',
  'UNABLE_TO_',
]

/** Opens a TLS 1.3 connection to a relay that has proved who it is. Nothing is written on it. */
export function dial(
  { url, ca }: RelayAddress,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<Result<TLSSocket, DialFailure>> {
  return connected(clock, { ...target(url), lookup: inAnyOrder(random), ...(ca === null ? {} : { ca }) })
}

/** A name's addresses in an order left to chance, so that gateways spread over all nodes that it names. */
export function inAnyOrder(random: Random, resolve: typeof lookup = lookup): LookupFunction {
  return (name, options, found) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first, ...others] = (error === null ? addresses : [])
        .map((each) => ({ each, at: random.bytes(4).readUInt32BE() }))
        .sort((a, b) => a.at - b.at)
        .map(({ each }) => each)
      if (first === undefined) found(error, '')
      else if (options.all === true) found(null, [first, ...others])
      else found(null, first.address, first.family)
    })
  }
}

/**
 * The certificate with this fingerprint (SHA-256) that the relay shows, as PEM: from then on the only one to trust. The
 * connection that it is taken from carries nothing else and ends at once.
 */
export async function anchorOf(url: string, fingerprint: string, clock: Clock): Promise<Result<string, DialFailure>> {
  const opened = await connected(clock, { ...target(url), rejectUnauthorized: false })
  if (!opened.ok) return opened
  const found = chainOf(opened.value).find((each) => each.fingerprint256 === fingerprint)
  opened.value.destroy()
  return found === undefined ? fail('untrusted') : ok(found.toString())
}

function connected(clock: Clock, options: ConnectionOptions): Promise<Result<TLSSocket, DialFailure>> {
  const { promise, resolve } = Promise.withResolvers<Result<TLSSocket, DialFailure>>()
  const socket = connect({
    ...options,
    ALPNProtocols: [TUNNEL_PROTOCOL],
    minVersion: 'TLSv1.3',
  })
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  const given = (failure: DialFailure): void => {
    cancel()
    socket.destroy()
    resolve(fail(failure))
  }
  const cancel = clock.after(CONNECT_MS, () => given('unreachable'))
  const failed = (error: Error): void => given(failureOf(error))
  socket.on('error', failed)
  socket.once('close', () => given('unreachable'))
  socket.once('secureConnect', () => {
    if (socket.alpnProtocol !== TUNNEL_PROTOCOL) return given('no_relay')
    cancel()
    resolve(ok(socket))
  })
  return promise
}

function failureOf(error: Error): DialFailure {
  const code = errorCode(error) ?? ''
  if (UNTRUSTED.some((beginning) => code.startsWith(beginning))) return 'untrusted'
  return code.startsWith('ERR_SSL') ? 'no_relay' : 'unreachable'
}

function target(url: string): ConnectionOptions {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: port === '' ? 443 : Number(port),
    ...(/[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {}),
  }
}

function chainOf(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = []
  let each: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  const seen = new Set<string>()
  while (each?.raw !== undefined && !seen.has(each.fingerprint256) && chain.length < CHAIN_MAX) {
    seen.add(each.fingerprint256)
    chain.push(new X509Certificate(each.raw))
    each = each.issuerCertificate as DetailedPeerCertificate | undefined
  }
  return chain
}
