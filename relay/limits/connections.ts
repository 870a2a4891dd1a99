import type { Server, Socket } from 'node:net'
import { type AddressLimits, SITE_SHARE } from '@hm-gateway/lib/address-limits.ts'
import { addressKeys, plainAddress } from '@hm-gateway/lib/network-of.ts'
import { Counts } from './counts.ts'

/** Address of the peer; an IPv4 address stays one on a dual-stack socket. */
export function peerOf({ socket }: { readonly socket: Pick<Socket, 'remoteAddress'> }): string {
  return plainAddress(socket.remoteAddress ?? '::')
}

/**
 * Closes connections beyond `max` per address, or beyond `SITE_SHARE * max` per /48, before reading from them.
 * @param newConnections rate limit of new connections, because a TLS handshake is expensive.
 */
export function boundConnections(server: Server, max: number, newConnections: AddressLimits | null = null): void {
  const ofNetwork = new Counts()
  const ofSite = new Counts()
  server.prependListener('connection', (socket: Socket) => {
    const peer = peerOf({ socket })
    const { network, site } = addressKeys(peer)
    if (ofNetwork.of(network) >= max || ofSite.of(site) >= SITE_SHARE * max) return void socket.destroy()
    if (newConnections !== null && newConnections.take(peer) > 0) return void socket.destroy()
    for (const leave of [ofNetwork.add(network), ofSite.add(site)]) socket.once('close', leave)
  })
}
