import type { OutgoingHttpHeaders, ClientHttp2Stream } from 'node:http2'
import type { Directory } from './directory.ts'

/** The stream of a request, and the name of the node that holds the tunnel. */
export interface OpenedStream {
  readonly stream: ClientHttp2Stream
  readonly node: string
}

export interface StreamOpening {
  readonly headers: OutgoingHttpHeaders
  readonly endStream: boolean
  /** True once the client has disconnected: finding the gateway's tunnel may take seconds. */
  readonly isCancelled: () => boolean
}

/**
 * Opens the stream of a request to a gateway. If the first tunnel has closed (`gone`), its node sent nothing, so
 * another node's tunnel is tried once. `cancelled`: the client has disconnected, and no stream was opened.
 */
export async function openStream(
  directory: Directory,
  gateway: string,
  request: StreamOpening,
  exceptNode: string | null = null,
): Promise<OpenedStream | 'gone' | 'busy' | 'cancelled'> {
  const tunnel = await directory.find(gateway, exceptNode)
  if (request.isCancelled()) return 'cancelled'
  const stream = tunnel?.open(request.headers, request.endStream) ?? 'gone'
  if (tunnel === null || stream === 'busy') return tunnel === null ? 'gone' : 'busy'
  if (stream !== 'gone') return { stream, node: tunnel.node }
  return exceptNode === null ? openStream(directory, gateway, request, tunnel.node) : 'gone'
}
