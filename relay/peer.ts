import type { Socket } from 'node:net'
import { plainAddress } from '@hm-gateway/lib/network-of.ts'

/** Address of a request's sender: an IPv4 address as such, even if the socket takes both kinds. */
export function peerOf({ socket }: { readonly socket: Pick<Socket, 'remoteAddress'> }): string {
  return plainAddress(socket.remoteAddress ?? '::')
}
