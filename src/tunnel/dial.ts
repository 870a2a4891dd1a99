import { lookup } from 'node:dns'
import { X509Certificate } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { connect, type ConnectionOptions, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import { type Clock } from '../lib/clock.ts'
import { errorCode } from '../lib/files.ts'
import type { Random } from '../lib/random.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { TUNNEL_PROTOCOL } from '../wire/tunnel.ts'

/** Address of a relay and the CA that must vouch for it. */
export interface RelayAddress {
  /** `https://host[:port]`. */
  readonly url: string
  /** The relay's own CA as PEM, or null for the machine's list of CAs. */
  readonly ca: string | null
}

/** Reason for a failed connection: no response, a certificate that is not trusted, or a server that is no relay. */
export type DialFailure = 'unreachable' | 'untrusted' | 'no_relay'

const CONNECT_MS = 10_000
/** Most certificates of a chain that are read. */
const CHAIN_MAX = 8

/** Error codes of OpenSSL and Node for a certificate that is not trusted. */
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

/** Opens a TLS 1.3 connection to an authenticated relay. Writes nothing on it. */
export function dial(
  { url, ca }: RelayAddress,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<Result<TLSSocket, DialFailure>> {
  return openTls(clock, { ...connectionOptions(url), lookup: shuffledLookup(random), ...(ca === null ? {} : { ca }) })
}

/** DNS lookup that shuffles a name's addresses, so that gateways spread over all nodes. */
export function shuffledLookup(random: Random, resolve: typeof lookup = lookup): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first, ...rest] = (error === null ? addresses : [])
        .map((address) => ({ address, order: random.bytes(4).readUInt32BE() }))
        .sort((a, b) => a.order - b.order)
        .map(({ address }) => address)
      if (first === undefined) callback(error, '')
      else if (options.all === true) callback(null, [first, ...rest])
      else callback(null, first.address, first.family)
    })
  }
}

/**
 * The certificate with this SHA-256 fingerprint from the relay's chain, as PEM; the gateway then trusts only this one.
 * The connection carries nothing else and is closed at once.
 */
export async function pinnedCertificate(
  url: string,
  fingerprint: string,
  clock: Clock,
): Promise<Result<string, DialFailure>> {
  const opened = await openTls(clock, { ...connectionOptions(url), rejectUnauthorized: false })
  if (!opened.ok) return opened
  const certificate = certificateChain(opened.value).find((candidate) => candidate.fingerprint256 === fingerprint)
  opened.value.destroy()
  return certificate === undefined ? fail('untrusted') : ok(certificate.toString())
}

/** Opens a TLS 1.3 connection to a server that speaks the tunnel protocol. */
function openTls(clock: Clock, options: ConnectionOptions): Promise<Result<TLSSocket, DialFailure>> {
  const { promise, resolve } = Promise.withResolvers<Result<TLSSocket, DialFailure>>()
  const socket = connect({
    ...options,
    ALPNProtocols: [TUNNEL_PROTOCOL],
    minVersion: 'TLSv1.3',
  })
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  const failWith = (failure: DialFailure): void => {
    cancel()
    socket.destroy()
    resolve(fail(failure))
  }
  const cancel = clock.after(CONNECT_MS, () => failWith('unreachable'))
  const onError = (error: Error): void => failWith(failureOf(error))
  socket.on('error', onError)
  socket.once('close', () => failWith('unreachable'))
  socket.once('secureConnect', () => {
    if (socket.alpnProtocol !== TUNNEL_PROTOCOL) return failWith('no_relay')
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

function connectionOptions(url: string): ConnectionOptions {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: port === '' ? 443 : Number(port),
    ...(/[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {}),
  }
}

function certificateChain(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = []
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  const seen = new Set<string>()
  while (certificate?.raw !== undefined && !seen.has(certificate.fingerprint256) && chain.length < CHAIN_MAX) {
    seen.add(certificate.fingerprint256)
    chain.push(new X509Certificate(certificate.raw))
    certificate = certificate.issuerCertificate as DetailedPeerCertificate | undefined
  }
  return chain
}
