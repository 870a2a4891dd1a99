import { isIP, SocketAddress } from 'node:net'
import type { X509Certificate } from 'node:crypto'

/** Host name that stays when addresses change. */
export function hostName(serial: string): string {
  return `hm-${serial.toLowerCase()}.local`
}

/** DNS names of every leaf, the only ones that the CA may sign. */
export function dnsNames(serial: string): readonly string[] {
  return [hostName(serial), `hm-${serial.toLowerCase()}`, 'localhost']
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1']

/** All names of a leaf: DNS names, loopback, then the addresses in a fixed order. Invalid addresses are left out. */
export function leafNames(serial: string, addresses: readonly string[]): readonly string[] {
  const own = addresses.map(canonicalAddress).filter((address) => address !== null)
  return [...new Set([...dnsNames(serial), ...LOOPBACK, ...own.sort()])]
}

/** Names in a certificate, in the form of `leafNames`. */
export function namesOf(certificate: X509Certificate): readonly string[] {
  const entries = (certificate.subjectAltName ?? '').split(', ')
  return entries.map((entry) => {
    const text = entry.slice(entry.indexOf(':') + 1)
    return entry.startsWith('IP Address:') ? (canonicalAddress(text) ?? text) : text
  })
}

export function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name))
}

/** Canonical text of an address (IPv6 has many) without a zone; null for an invalid one. */
function canonicalAddress(text: string): string | null {
  const address = text.replace(/%.*$/, '')
  const family = isIP(address)
  if (family === 0) return null
  return family === 4 ? address : new SocketAddress({ address, family: 'ipv6' }).address
}
