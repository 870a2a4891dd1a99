import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** Keys under which limits count an address. Both are equal except for IPv6 addresses. */
export interface AddressKeys {
  /** The IPv4 address itself, or the /64 network of an IPv6 address, in which one host may take any address. */
  readonly network: string
  /** The IPv4 address itself, or the /48 network of an IPv6 address, which one customer may own. */
  readonly site: string
}

/** An address in its shortest form: lower case, no zone, and IPv4 instead of IPv4-mapped IPv6. */
export function plainAddress(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%')
  if (!isIPv6(bare)) return bare
  const { address: short } = new SocketAddress({ address: bare, family: 'ipv6' })
  const mapped = short.startsWith('::ffff:') ? short.slice('::ffff:'.length) : short
  return isIPv4(mapped) ? mapped : short
}

/** The keys of every limit by address. A text that is not an address is its own key. */
export function addressKeys(address: string): AddressKeys {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) {
    const key = isIPv4(plain) ? plain : address.toLowerCase()
    return { network: key, site: key }
  }
  const groups = firstGroups(plain)
  return { network: `${groups.join(':')}::/64`, site: `${groups.slice(0, 3).join(':')}::/48` }
}

/** The network of an address, for limits without sites. */
export function networkOf(address: string): string {
  return addressKeys(address).network
}

/** The site of an address. */
export function siteOf(address: string): string {
  return addressKeys(address).site
}

/** The first four groups of an IPv6 address in its shortest form. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const width = (list: readonly string[]): number => list.reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0)
  const zeros = tail === undefined ? 0 : 8 - width(before) - width(after)
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4)
}
