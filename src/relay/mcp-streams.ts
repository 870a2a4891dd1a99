import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Dispatcher } from '../api/dispatch.ts'
import { mcpDoorOf } from '../auth/door.ts'
import { refusalBeside } from '../http/beside-service.ts'
import type { McpHandler } from '../http/mcp-route.ts'
import { webBodyOf, writeBody } from '../http/web-body.ts'
import { REQUEST_HEADERS } from '../wire/tunnel.ts'
import { refuseStream, respond, send } from './answering.ts'
import { headOf } from './call-head.ts'

export interface McpStreamsParts {
  readonly mcp: McpHandler
  readonly dispatcher: Pick<Dispatcher, 'notServed'>
}

const MCP_PATH = '/mcp'
/** Any other is refused as it is over HTTPS. */
const METHODS: readonly string[] = ['GET', 'POST', 'DELETE']

/** Requests of agents that come through a relay: a web request in, a web response out, as over HTTPS. */
export class McpStreams {
  readonly #parts: McpStreamsParts

  constructor(parts: McpStreamsParts) {
    this.#parts = parts
  }

  /** Answers one request; never throws. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const head = headOf(headers)
    if (head === null || head.method === 'CONNECT') return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    const { via, peer, path, method } = head
    const door = mcpDoorOf(path.slice(1))
    if (door === null) return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (!METHODS.includes(method)) {
      const { refusal } = refusalBeside(MCP_PATH) ?? {}
      send(stream, this.#parts.dispatcher.notServed({ ...head, door }, path, refusal), method !== 'HEAD')
      stream.resume()
      return
    }
    const left = new AbortController()
    stream.once('close', () => left.abort())
    this.#parts.mcp
      .answer(webRequest(stream, headers, left.signal), { via, door, peer })
      .then((response) => write(stream, response))
      .catch(() => refuseStream(stream, constants.NGHTTP2_INTERNAL_ERROR))
  }

  end(stream: ServerHttp2Stream): void {
    refuseStream(stream, constants.NGHTTP2_CANCEL)
  }
}

function webRequest(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, signal: AbortSignal): Request {
  const method = headers[':method'] ?? 'GET'
  const passed = REQUEST_HEADERS.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value.toString()] satisfies [string, string]]
  })
  return new Request('https://relay/mcp', {
    method,
    headers: passed,
    signal,
    ...(method === 'POST' ? { body: webBodyOf(stream), duplex: 'half' } : {}),
  })
}

async function write(stream: ServerHttp2Stream, response: Response): Promise<void> {
  const isEmpty = response.body === null
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name)))
  if (!respond(stream, response.status, headers, isEmpty)) {
    await response.body?.cancel()
    return
  }
  if (response.body === null) return
  await writeBody(response.body, stream)
}

/** HTTP/2 knows none of these. */
const OF_THE_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade']
