import type { Server, Socket } from 'node:net'
import { type AddressLimits, SITE_SHARE } from '@hm-gateway/lib/address-limits.ts'
import { addressKeys, plainAddress } from '@hm-gateway/lib/network-of.ts'
import { Counts } from './counts.ts'

/** Address of a request's sender: an IPv4 address as such, even if the socket takes both kinds. */
export function peerOf({ socket }: { readonly socket: Pick<Socket, 'remoteAddress'> }): string {
  return plainAddress(socket.remoteAddress ?? '::')
}

/**
 * Ends each connection beyond `max` of one address, or beyond `SITE_SHARE` times as many of one /48, before anything is
 * read of it.
 * @param begun how often connections may begin; they are a handshake's work each.
 */
export function boundConnections(server: Server, max: number, begun: AddressLimits | null = null): void {
  const ofNetwork = new Counts()
  const ofSite = new Counts()
  server.prependListener('connection', (socket: Socket) => {
    const peer = peerOf({ socket })
    const { network, site } = addressKeys(peer)
    if (ofNetwork.of(network) >= max || ofSite.of(site) >= SITE_SHARE * max) return void socket.destroy()
    if (begun !== null && begun.take(peer) > 0) return void socket.destroy()
    for (const leave of [ofNetwork.add(network), ofSite.add(site)]) socket.once('close', leave)
  })
}
