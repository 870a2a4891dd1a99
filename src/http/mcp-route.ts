import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type EventStream,
  MCP_METHODS,
  MCP_PATH,
  type McpAnswer,
  type McpHandler,
  type McpRequest,
  type McpSender,
} from '../api/call.ts'
import { peerOf, route, type Scope, write } from './reply.ts'
import { headOf, type ServiceRouteParts } from './service-routes.ts'
import { textOf, writeBody } from '../transport/web-body.ts'

export interface McpRouteParts extends ServiceRouteParts {
  readonly mcp: McpHandler
}

/**
 * The agents' endpoint. The MCP server checks the credential, then reads and validates the body itself. An event stream
 * ends when the client disconnects.
 */
export function registerMcpRoute(server: Scope, parts: McpRouteParts): void {
  route(server, [...MCP_METHODS], MCP_PATH, ({ raw }, reply) => {
    // Event streams bypass fastify.
    reply.hijack()
    const from = { via: parts.connections.viaOf(raw.socket), audience: 'mcp', peer: peerOf(raw) } as const
    parts.turnBatch.schedule(() => void answer(parts, from, raw, reply.raw))
  })
}

async function answer(
  { mcp, connections, dispatcher }: McpRouteParts,
  from: McpSender,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const answer = await mcp.answer(mcpRequest(request, disconnected(response)), from)
    if (isSuccess(answer)) connections.markAdmitted(request.socket)
    if ('events' in answer) await writeEvents(response, answer)
    else write(response, answer)
  } catch (error) {
    write(response, dispatcher.refused(error, headOf(request, connections)))
  }
}

/** Signal that aborts when the connection closes before the response is sent. */
function disconnected(response: ServerResponse): AbortSignal {
  const disconnect = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) disconnect.abort()
  })
  return disconnect.signal
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

const isSuccess = ({ status }: McpAnswer): boolean => status >= 200 && status < 300

async function writeEvents(response: ServerResponse, { status, headers, events }: EventStream): Promise<void> {
  response.writeHead(status, headers).flushHeaders()
  try {
    await writeBody(events, response)
  } catch (error) {
    // The headers are sent, so only closing the connection can signal an incomplete body.
    response.destroy(error instanceof Error ? error : undefined)
  }
}
