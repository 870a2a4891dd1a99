import { lookup } from 'node:dns/promises'
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

export interface PostParts {
  /** Counts the timeout. */
  readonly clock: Pick<Clock, 'after'>
  /** Finds the addresses of a host; default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly HostAddress[]>
  /** Addresses that are allowed although they are of this machine: for tests. */
  readonly allowed?: readonly string[]
}

export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Result of a request: its status, or the reason without one as the end of a sentence. */
export type PostResult =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string }

/** Longest time of one request, with the look-up of its host. */
export const POST_TIMEOUT_MS = 10_000

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

/** True if no request may go to this address. */
export function isRefusedAddress(address: string): boolean {
  if (isIPv4(address)) return REFUSED_IPV4.check(address, 'ipv4')
  if (isIP(address) === 0) return true
  const plain = address.split('%')[0] ?? ''
  if (REFUSED_IPV6.check(plain, 'ipv6')) return true
  return EMBEDDING.check(plain, 'ipv6') && REFUSED_IPV4.check(embeddedIpv4(plain), 'ipv4')
}

/** True for the host of a URL that is such an address. A host name is looked up with each request. */
export function isRefusedHost(hostname: string): boolean {
  const address = withoutBrackets(hostname)
  return isIP(address) !== 0 && isRefusedAddress(address)
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
 * Sends a POST request to an address that was checked: never to this machine, and to no other address than the checked
 * one. It follows no redirect and ignores the body of the response. Never rejects.
 */
export async function checkedPost(post: Post, parts: PostParts): Promise<PostResult> {
  const abort = new AbortController()
  const cancel = parts.clock.after(POST_TIMEOUT_MS, () => abort.abort())
  try {
    return await Promise.race([aborted(abort.signal), send(post, parts, abort.signal)])
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error, abort.signal) }
  } finally {
    cancel()
  }
}

async function send({ url, headers, body }: Post, parts: PostParts, signal: AbortSignal): Promise<PostResult> {
  const { resolve = resolved, allowed = [] } = parts
  const host = withoutBrackets(url.hostname)
  const addresses = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }]
  const open = addresses.filter(({ address }) => allowed.includes(address) || !isRefusedAddress(address))
  const [first] = open
  if (first === undefined) {
    const reason =
      addresses.length === 0 ? 'its host has no address' : 'its host is this machine, or has no address in a network'
    return { kind: 'failed', reason }
  }
  const chosen: LookupFunction = (_host, options, done) =>
    options.all === true ? done(null, [...open]) : done(null, first.address, first.family)
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((answer, reject) => {
    const sent = request(url, { method: 'POST', headers, lookup: chosen, agent: false, signal }, (response) => {
      response.on('error', () => {})
      response.resume()
      answer({ kind: 'answered', status: response.statusCode ?? 0 })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const resolved = (host: string): Promise<readonly HostAddress[]> => lookup(host, { all: true })

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('timeout')), { once: true }),
  )
}

function reasonOf(error: unknown, { aborted: isLate }: AbortSignal): string {
  if (isLate) return `it did not answer within ${POST_TIMEOUT_MS / 1_000} seconds`
  const code = errorCode(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host was not found'
  if (code === 'ECONNREFUSED') return 'its host refused the connection'
  return `the connection failed (${code ?? 'unknown reason'})`
}
