import { lookup, Resolver } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from './plain-http.ts'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net'
import type { Clock } from './clock.ts'
import { errorCode } from './files.ts'

/** An address of a host. */
export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** The network of requests to other machines. */
export interface RequestParts {
  /** Counts the timeout. */
  readonly clock: Pick<Clock, 'after'>
  /** Finds the addresses of a host; default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly HostAddress[]>
  /** Addresses that are allowed although they are of this machine: for tests. */
  readonly allowed?: readonly string[]
  /** True refuses addresses of private networks too. */
  readonly isPublic?: boolean
  /** CA of servers, for tests; default: the system's. */
  readonly ca?: string
}

interface CheckedRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Addresses of this machine or of no single machine: loopback, link-local, unspecified, multicast, reserved. */
const REFUSED_IPV4 = networks('ipv4', [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])
const REFUSED_IPV6 = networks('ipv6', [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
])
/** Addresses of home and provider networks, of tests, and of tunnels to IPv4 (RFC 6890). */
const PRIVATE_IPV4 = networks('ipv4', [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
])
const PRIVATE_IPV6 = networks('ipv6', [
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fec0::', 10],
])
/** Networks whose addresses end with an IPv4 address: mapped, compatible, and translated ones. */
const EMBEDDING = networks('ipv6', [
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
])

function networks(
  family: 'ipv4' | 'ipv6',
  subnets: readonly (readonly [network: string, prefix: number])[],
): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

/** True if no request may go to this address; with `isPublic` also for an address of a private network. */
export function isRefusedAddress(address: string, isPublic = false): boolean {
  const isRefused = (ipv4: string): boolean =>
    REFUSED_IPV4.check(ipv4, 'ipv4') || (isPublic && PRIVATE_IPV4.check(ipv4, 'ipv4'))
  if (isIPv4(address)) return isRefused(address)
  if (isIP(address) === 0) return true
  const plain = address.split('%')[0] ?? ''
  if (REFUSED_IPV6.check(plain, 'ipv6') || (isPublic && PRIVATE_IPV6.check(plain, 'ipv6'))) return true
  return EMBEDDING.check(plain, 'ipv6') && isRefused(embeddedIpv4(plain))
}

/** Names that every system resolves to itself, also below `localhost` (RFC 6761). */
const OWN_NAME = /^(?:(?:.+\.)?localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)\.?$/i

/**
 * True for the host of a URL that is such an address, or a name of this machine. Other host names are looked up with
 * each request.
 */
export function isRefusedHost(hostname: string, isPublic = false): boolean {
  if (OWN_NAME.test(hostname)) return true
  const address = withoutBrackets(hostname)
  return isIP(address) !== 0 && isRefusedAddress(address, isPublic)
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** The last 32 bits of an IPv6 address as IPv4. */
function embeddedIpv4(address: string): string {
  const { hostname } = new URL(`http://[${address}]/`)
  const last = hostname.slice(1, -1).split(':').slice(-2)
  const bits = last.map((part) => Number.parseInt(part === '' ? '0' : part, 16))
  return bits.flatMap((word) => [word >> 8, word & 255]).join('.')
}

/**
 * Sends a request to an address that was checked: never to this machine, and to no other address than the checked one.
 * It follows no redirect.
 * @throws RefusedHost, and errors of the network
 */
export async function checkedRequest(
  { method, url, headers, body }: CheckedRequest,
  { resolve = resolved, allowed = [], isPublic = false, ca }: Omit<RequestParts, 'clock'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = withoutBrackets(url.hostname)
  const addresses = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }]
  const open = addresses.filter(({ address }) => allowed.includes(address) || !isRefusedAddress(address, isPublic))
  const [first] = open
  if (first === undefined) throw new RefusedHost(addresses.length === 0)
  const chosen: LookupFunction = (_host, options, done) =>
    options.all === true ? done(null, [...open]) : done(null, first.address, first.family)
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((answer, reject) => {
    const trusted = ca === undefined ? {} : { ca }
    const sent = request(url, { method, headers, lookup: chosen, agent: false, signal, ...trusted }, (response) => {
      response.on('error', () => {})
      answer(response)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A host to which no request goes. The message is the end of a sentence. */
class RefusedHost extends Error {
  constructor(hasNone: boolean) {
    super(hasNone ? 'its host has no address' : 'its host is this machine, or has no address in a network')
  }
}

const resolved = (host: string): Promise<readonly HostAddress[]> => lookup(host, { all: true })

/**
 * Addresses of a host by DNS alone. A look-up that hangs occupies no thread, unlike one by the system's resolver: many
 * hanging ones delay no look-up of a host in the home.
 */
export async function resolvedByDns(host: string): Promise<readonly HostAddress[]> {
  const dns = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 })
  const found = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)])
  const addresses = found.flatMap((answer, index) =>
    answer.status === 'rejected' ? [] : answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  )
  if (addresses.length === 0) throw Object.assign(new Error(`No address of ${host} was found.`), { code: 'ENOTFOUND' })
  return addresses
}

const DNS_TIMEOUT_MS = 3_000

/** Runs `act` for at most `timeoutMs`; the signal aborts it then. */
export async function within<T>(
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Pick<Clock, 'after'> },
  act: (signal: AbortSignal) => Promise<T>,
  failed: (reason: string) => T,
): Promise<T> {
  const abort = new AbortController()
  const cancel = clock.after(timeoutMs, () => abort.abort())
  try {
    return await Promise.race([aborted(abort.signal), act(abort.signal)])
  } catch (error) {
    return failed(abort.signal.aborted ? `it did not answer within ${timeoutMs / 1_000} seconds` : reasonOf(error))
  } finally {
    cancel()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('timeout')), { once: true }),
  )
}

function reasonOf(error: unknown): string {
  if (error instanceof RefusedHost) return error.message
  const code = errorCode(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host was not found'
  if (code === 'ECONNREFUSED') return 'its host refused the connection'
  return `the connection failed (${code ?? 'unknown reason'})`
}
