import { Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Property from which Node reads the address of a peer. */
interface PeerNames {
  _getpeername(): { readonly address?: string }
}

/**
 * Until the test ends, clients at 127.66.x.y appear as clients of 2001:db8:66::/48, each in its own /64, and those at
 * 127.67.x.y as clients of 2001:db8:67::/48. Loopback has only one IPv6 address; more need administrator rights.
 */
export function ipv6Peers(): void {
  const sockets = Socket.prototype as unknown as PeerNames
  const original = sockets._getpeername
  sockets._getpeername = function (this: PeerNames) {
    const peer = original.call(this)
    const [, site, high, low] = /^127\.(66|67)\.(\d+)\.(\d+)$/.exec(peer.address ?? '') ?? []
    if (site === undefined) return peer
    return {
      ...peer,
      address: `2001:db8:${site}:${(256 * Number(high) + Number(low)).toString(16)}::1`,
      family: 'IPv6',
    }
  }
  onTestFinished(() => {
    sockets._getpeername = original
  })
}
