import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from '../api/dispatch.ts'
import {
  type EventStream,
  MCP_METHODS,
  MCP_PATH,
  type McpAnswer,
  type McpHandler,
  type McpRequest,
  type McpSender,
  withoutMcpSlash,
} from '../api/mcp-call.ts'
import { Router } from '../api/router.ts'
import type { Arrivals } from '../lib/arrivals.ts'
import type { Connections } from './connections.ts'
import { peerOf, write } from './reply.ts'
import { headOf, pathOf } from './service-requests.ts'
import { textOf, writeBody } from './web-body.ts'

const DOOR = 'mcp'
const ROUTER = new Router(MCP_METHODS.map((method) => ({ method, path: MCP_PATH, target: DOOR }) as const))

export interface McpRequestsParts {
  readonly mcp: McpHandler
  readonly dispatcher: Pick<Dispatcher, 'refused'>
  readonly connections: Connections
  readonly arrivals: Arrivals
}

/**
 * Requests to `/mcp`, as they come from Node, for the MCP server: it checks the credential, and then reads and judges
 * the body itself. A stream that it answers with ends when the client leaves.
 */
export class McpRequests {
  readonly #parts: McpRequestsParts

  constructor(parts: McpRequestsParts) {
    this.#parts = parts
  }

  /** Answers what is one, to a host of the gateway's own; false for every other request, of which nothing was taken. */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const { method = 'GET', url = '/' } = request
    if (ROUTER.find(method, withoutMcpSlash(pathOf(url))) === null) return false
    const from = { via: this.#parts.connections.viaOf(request.socket), door: DOOR, peer: peerOf(request) } as const
    this.#parts.arrivals.take(() => void this.#answer(from, request, response))
    return true
  }

  async #answer(from: McpSender, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { mcp, connections, dispatcher } = this.#parts
    try {
      const answer = await mcp.answer(mcpRequest(request, leaving(response)), from)
      if (isGood(answer)) connections.admitted(request.socket)
      if ('events' in answer) await writeEvents(response, answer)
      else write(response, answer)
    } catch (error) {
      write(response, dispatcher.refused(error, headOf(request, connections)))
    }
  }
}

/** Aborted when the connection of an answer closes before it was sent. */
function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) left.abort()
  })
  return left.signal
}

function mcpRequest(request: IncomingMessage, signal: AbortSignal): McpRequest {
  const { method = 'GET', headers } = request
  return { method, headers: headersOf(request), signal, text: (bytesMax) => textOf(headers, request, bytesMax) }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

const isGood = ({ status }: McpAnswer): boolean => status >= 200 && status < 300

async function writeEvents(response: ServerResponse, { status, headers, events }: EventStream): Promise<void> {
  response.writeHead(status, headers).flushHeaders()
  try {
    await writeBody(events, response)
  } catch (error) {
    // The headers were sent, so only the end of the connection can tell the client that the body is not whole.
    response.destroy(error instanceof Error ? error : undefined)
  }
}
