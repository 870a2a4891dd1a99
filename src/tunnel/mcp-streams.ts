import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Dispatcher } from '../api/dispatch.ts'
import { type EventStream, MCP_METHODS, MCP_PATH, type McpHandler, type McpRequest } from '../api/call.ts'
import { parseMcpAudience } from '../auth/credentials/credentials.ts'
import { extraPathRefusal } from '../transport/extra-paths.ts'
import { textOf, writeBody } from '../transport/web-body.ts'
import { REQUEST_HEADERS } from '../wire/tunnel.ts'
import { refuseStream, respond, send } from './stream-responses.ts'
import { headOf } from './call-head.ts'
import type { TunnelStreamHandler } from './open-streams.ts'

export interface McpStreamsParts {
  readonly mcp: McpHandler
  readonly dispatcher: Pick<Dispatcher, 'notServed'>
}

/** Methods served at the MCP server; others are refused as over HTTPS. */
const METHODS: readonly string[] = MCP_METHODS

/** Serves agents' requests that come through a relay, in the same way as over HTTPS. */
export const mcpStreams = (parts: McpStreamsParts): TunnelStreamHandler => ({
  handle: (stream, headers) => handle(stream, headers, parts),
  end: (stream) => refuseStream(stream, constants.NGHTTP2_CANCEL),
})

/** Answers one request; never throws. */
function handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, { mcp, dispatcher }: McpStreamsParts): void {
  const head = headOf(headers)
  if (head === null || head.method === 'CONNECT') return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
  const { via, peer, path, method } = head
  const audience = parseMcpAudience(path.slice(1))
  if (audience === null) return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
  if (!METHODS.includes(method)) {
    const { refusal } = extraPathRefusal(MCP_PATH) ?? {}
    send(stream, dispatcher.notServed({ ...head, audience }, path, refusal), method !== 'HEAD')
    stream.resume()
    return
  }
  const disconnect = new AbortController()
  // A reset stream also has a finished writable side.
  stream.once('close', () => {
    if (stream.aborted || !stream.writableFinished) disconnect.abort()
  })
  mcp
    .answer(mcpRequest(stream, headers, disconnect.signal), { via, audience, peer })
    .then((answer) => ('events' in answer ? write(stream, answer) : send(stream, answer)))
    .catch(() => refuseStream(stream, constants.NGHTTP2_INTERNAL_ERROR))
}

function mcpRequest(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, signal: AbortSignal): McpRequest {
  const forwarded = REQUEST_HEADERS.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value.toString()] satisfies [string, string]]
  })
  return {
    method: headers[':method'] ?? 'GET',
    headers: new Headers(forwarded),
    signal,
    text: (bytesMax) => textOf(headers, stream, bytesMax),
  }
}

async function write(stream: ServerHttp2Stream, { status, headers, events }: EventStream): Promise<void> {
  if (respond(stream, status, headers)) await writeBody(events, stream)
  else await events.cancel()
}
