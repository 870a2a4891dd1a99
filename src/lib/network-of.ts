import { isIPv4, isIPv6 } from 'node:net'

/** An address in one form: in small letters and without its zone; of an IPv4 address within IPv6, that one. */
export function plainAddress(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%')
  const mapped = bare.startsWith('::ffff:') ? bare.slice('::ffff:'.length) : bare
  return isIPv4(mapped) ? mapped : bare
}

/**
 * Whom an address belongs to: an IPv4 address itself, or the /64 network of an IPv6 one, within which anybody takes
 * addresses freely. What is no address stays as it is, in small letters.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return address.toLowerCase()
  return `${prefixOf(plain, 4)}::/64`
}

/** Of an IPv6 address the /48 network, which one customer may have whole; of any other as `networkOf`. */
export function siteOf(address: string): string {
  const network = networkOf(address)
  return network.endsWith('::/64') ? `${prefixOf(network.slice(0, -'/64'.length), 3)}::/48` : network
}

/** The first groups of an IPv6 address. */
function prefixOf(address: string, groups: number): string {
  return firstGroups(address, groups)
    .map((group) => group.toString(16))
    .join(':')
}

function firstGroups(address: string, count: number): number[] {
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const width = (list: readonly string[]): number => list.reduce((sum, each) => sum + (each.includes('.') ? 2 : 1), 0)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - width(before) - width(after))
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16))
}
