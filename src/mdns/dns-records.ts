import { SocketAddress } from 'node:net'
import type { LanAddress } from '../lib/lan-addresses.ts'

/** The announced service; addresses differ per network. */
export interface Service {
  /** The gateway's id. */
  readonly serial: string
  /** The interface's version. */
  readonly version: string
  readonly port: number
  /** The CA's fingerprint, as everywhere. */
  readonly fingerprint: string
}

interface SrvData {
  readonly priority?: number
  readonly weight?: number
  readonly port: number
  readonly target: string
}

interface Common {
  readonly name: string
  /** Time to live in seconds. */
  readonly ttl: number
  /** True for a unique record, whose announcement replaces cached ones (the cache-flush bit). */
  readonly flush: boolean
}

/** The record types that the gateway announces. */
export type OwnRecord = Common &
  (
    | { readonly type: 'A' | 'AAAA' | 'PTR'; readonly data: string }
    | { readonly type: 'SRV'; readonly data: SrvData }
    | { readonly type: 'TXT'; readonly data: Buffer[] }
    | { readonly type: 'NSEC'; readonly data: { nextDomain: string; rrtypes: string[] } }
  )

/** A record of another program, not validated yet. */
export interface HeardRecord {
  readonly type: string
  readonly name: string
  readonly ttl?: number | undefined
  readonly data?: unknown
}

export const SERVICE_TYPE = '_hm-api._tcp.local'
/** Name for listing all services (RFC 6763 section 9). */
export const SERVICE_LIST = '_services._dns-sd._udp.local'

/** Times to live (RFC 6762 section 10): two minutes for host-dependent records, 75 minutes for the others. */
const HOST_TTL_S = 120
const OTHER_TTL_S = 4500

/** Most addresses, so that a response fits one packet; more than any interface has. */
const ADDRESSES_MAX = 12

export function instanceName(serial: string): string {
  return `hm-${serial.toLowerCase()}.${SERVICE_TYPE}`
}

export function hostName(serial: string): string {
  return `hm-${serial.toLowerCase()}.local`
}

/** All records for one network, with the addresses reachable from it. */
export function recordsFor(service: Service, addresses: readonly LanAddress[]): readonly OwnRecord[] {
  const { serial, version, port, fingerprint } = service
  const [instance, host] = [instanceName(serial), hostName(serial)]
  const text = [`v=${version}`, `gw=${serial}`, 'path=/v1', `fp=${fingerprint}`].map((pair) => Buffer.from(pair))
  const own = addresses.slice(0, ADDRESSES_MAX).map((address): OwnRecord => ({
    name: host,
    type: address.family === 4 ? 'A' : 'AAAA',
    ttl: HOST_TTL_S,
    flush: true,
    data: canonical(address.address),
  }))
  return [
    { name: SERVICE_LIST, type: 'PTR', ttl: OTHER_TTL_S, flush: false, data: SERVICE_TYPE },
    { name: SERVICE_TYPE, type: 'PTR', ttl: OTHER_TTL_S, flush: false, data: instance },
    { name: instance, type: 'SRV', ttl: HOST_TTL_S, flush: true, data: { priority: 0, weight: 0, port, target: host } },
    { name: instance, type: 'TXT', ttl: OTHER_TTL_S, flush: true, data: text },
    ...own,
    // Denies other types, so that a client on an IPv4 network does not wait for an AAAA record.
    denial(instance, ['SRV', 'TXT']),
    denial(host, [...new Set(own.map((record) => record.type))]),
  ]
}

function denial(name: string, rrtypes: string[]): OwnRecord {
  return { name, type: 'NSEC', ttl: HOST_TTL_S, flush: true, data: { nextDomain: name, rrtypes } }
}

/** Records that answer a question; NSEC answers for missing types. */
export function answersTo(
  question: { readonly name: string; readonly type: string },
  records: readonly OwnRecord[],
): readonly OwnRecord[] {
  const name = question.name.toLowerCase()
  const named = records.filter((record) => record.name === name)
  if (question.type === 'ANY') return named
  const found = named.filter((record) => record.type === question.type)
  return found.length > 0 ? found : named.filter((record) => record.type === 'NSEC')
}

/** Additional records that a client would query next (RFC 6763 section 12). */
export function additionsFor(answers: readonly OwnRecord[], records: readonly OwnRecord[]): readonly OwnRecord[] {
  const added = new Set<OwnRecord>()
  const add = (name: string): void => {
    for (const record of records) if (record.name === name && !answers.includes(record)) added.add(record)
  }
  for (const answer of answers) {
    if (answer.type === 'PTR') add(answer.data)
    if (answer.type === 'A' || answer.type === 'AAAA') add(answer.name)
  }
  for (const record of [...answers, ...added]) if (record.type === 'SRV') add(record.data.target)
  return [...added]
}

/**
 * Key that is equal for records with the same content, ignoring the time to live; null for types not used by the
 * gateway.
 */
export function recordKey(record: HeardRecord): string | null {
  const data = dataKey(record.type, record.data)
  return data === null ? null : `${record.name.toLowerCase()} ${record.type} ${data}`
}

function dataKey(type: string, data: unknown): string | null {
  switch (type) {
    case 'A':
    case 'AAAA':
      return typeof data === 'string' ? canonical(data) : null
    case 'PTR':
      return typeof data === 'string' ? data.toLowerCase() : null
    case 'SRV':
      return isSrv(data) ? `${data.priority ?? 0} ${data.weight ?? 0} ${data.port} ${data.target.toLowerCase()}` : null
    case 'TXT':
      return textKey(data)
    case 'NSEC':
      return 'denial'
    default:
      return null
  }
}

function textKey(data: unknown): string | null {
  const parts: unknown[] = Array.isArray(data) ? data : [data]
  return parts.every((part) => Buffer.isBuffer(part) || typeof part === 'string')
    ? parts.map((part) => Buffer.from(part).toString('hex')).join('.')
    : null
}

function isSrv(data: unknown): data is SrvData {
  return (
    typeof data === 'object' && data !== null && 'port' in data && 'target' in data && typeof data.target === 'string'
  )
}

function canonical(address: string): string {
  if (!address.includes(':')) return address
  try {
    return new SocketAddress({ address, family: 'ipv6' }).address
  } catch {
    // Records of other programs are compared unchanged.
    return address
  }
}
