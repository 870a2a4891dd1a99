import type { OutgoingHttpHeaders, ClientHttp2Stream } from 'node:http2'
import type { Directory } from './directory.ts'

/** The stream of a request, and the node that holds the tunnel. */
export interface OpenedStream {
  readonly stream: ClientHttp2Stream
  readonly node: string
}

/** How a stream begins, and whether whoever asked for it has left: to look for its gateway may take seconds. */
export interface StreamBeginning {
  readonly headers: OutgoingHttpHeaders
  readonly endStream: boolean
  readonly hasLeft: () => boolean
}

/**
 * Begins a request at its gateway; a line that takes none has carried out nothing, and another is tried. `left`: nobody
 * waits for it any more, and nothing was begun.
 */
export async function openStream(
  directory: Directory,
  gateway: string,
  begin: StreamBeginning,
  except: string | null = null,
): Promise<OpenedStream | 'gone' | 'busy' | 'left'> {
  const line = await directory.find(gateway, except)
  if (begin.hasLeft()) return 'left'
  const stream = line?.open(begin.headers, begin.endStream) ?? 'gone'
  if (line === null || stream === 'busy') return line === null ? 'gone' : 'busy'
  if (stream !== 'gone') return { stream, node: line.node }
  return except === null ? openStream(directory, gateway, begin, line.node) : 'gone'
}
