import { isIPv6 } from 'node:net'
import { plainAddress, siteOf } from '@hm-gateway/lib/network-of.ts'

/** A browser that signs in. */
export interface Visitor {
  readonly peer: string
  /** The `User-Agent` header. */
  readonly agent?: string
  /** Value of its device cookie, if it has one. */
  readonly device?: string | null
}

/** Loopback addresses are not personal, so they are not shortened. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/
/** The first match wins, because most browsers also send the names of older ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** Display name of a browser, `Firefox on Linux`; one of a fixed set for any header. */
export function browserWords(agent = ''): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map((all) => all.find(([known]) => known.test(agent))?.[1])
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}

/** Shortens an address so that its owner still recognises it: `203.0.113.*` or `2001:db8:7:*`. */
export function placeOf(peer: string): string {
  const address = plainAddress(peer)
  if (LOOPBACK.test(address)) return address
  return isIPv6(address) ? siteOf(address).replace('::/48', ':*') : address.replace(/\.\d+$/, '.*')
}

/** Text about a visitor for the event log. */
export const aboutOf = ({ agent, peer }: Visitor): string => `${browserWords(agent)}, ${placeOf(peer)}`
