import type { Socket } from 'node:net'

/** Whom a request comes from: an IPv4 address stands there as such, also where the socket takes both kinds. */
export function peerOf({ socket }: { readonly socket: Pick<Socket, 'remoteAddress'> }): string {
  return (socket.remoteAddress ?? '::').replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')
}
