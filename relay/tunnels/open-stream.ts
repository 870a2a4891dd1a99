import type { OutgoingHttpHeaders, ClientHttp2Stream } from 'node:http2'
import type { Directory } from './directory.ts'

/** The stream of a request, and the node that holds the tunnel. */
export interface OpenedStream {
  readonly stream: ClientHttp2Stream
  readonly node: string
}

/** Begins a request at its gateway; a line that takes none has carried out nothing, and another is tried. */
export async function openStream(
  directory: Directory,
  gateway: string,
  begin: { readonly headers: OutgoingHttpHeaders; readonly endStream: boolean },
  except: string | null = null,
): Promise<OpenedStream | 'gone' | 'busy'> {
  const line = await directory.find(gateway, except)
  const stream = line?.open(begin.headers, begin.endStream) ?? 'gone'
  if (line === null || stream === 'busy') return line === null ? 'gone' : 'busy'
  if (stream !== 'gone') return { stream, node: line.node }
  return except === null ? openStream(directory, gateway, begin, line.node) : 'gone'
}
