import type { Server as HttpsServer } from 'node:https'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EventStream, McpAnswer, McpHandler, McpRequest } from '../api/mcp-call.ts'
import type { Connections } from './connections.ts'
import { isUnreadableType, peerOf, sendRaw } from './reply.ts'
import { textOf, writeBody } from './web-body.ts'

/** Maps `/mcp` to the MCP server; a stream that it answers with ends when the client leaves. */
export async function mcpRoute(
  server: FastifyInstance<HttpsServer>,
  mcp: McpHandler,
  connections: Connections,
): Promise<void> {
  await server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    // The MCP server reads the body itself, once it has checked the credential.
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const answer = await mcp.answer(mcpRequest(request, leaving(reply.raw)), {
        via: connections.viaOf(request.socket),
        door: 'mcp',
        peer: peerOf(request),
      })
      if (isGood(answer)) connections.admitted(request.socket)
      if (!('events' in answer)) return sendRaw(reply, answer)
      reply.hijack()
      await write(reply, answer)
      return reply
    }
    // A media type that fastify cannot read is refused by the MCP server, as every other that is not JSON.
    scope.setErrorHandler((error, request, reply) => {
      if (!isUnreadableType(error)) throw error
      return handler(request, reply)
    })
    scope.route({ method: ['GET', 'POST', 'DELETE'], url: '/mcp', handler })
    done()
  })
}

/** Aborted when the connection of an answer closes before it was sent. */
function leaving(raw: FastifyReply['raw']): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort()
  })
  return left.signal
}

function mcpRequest(request: FastifyRequest, signal: AbortSignal): McpRequest {
  const { raw, method } = request
  return { method, headers: headersOf(request), signal, text: (bytesMax) => textOf(raw.headers, raw, bytesMax) }
}

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers()
  const { rawHeaders } = request.raw
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

const isGood = ({ status }: McpAnswer): boolean => status >= 200 && status < 300

async function write({ raw }: FastifyReply, { status, headers, events }: EventStream): Promise<void> {
  raw.writeHead(status, headers).flushHeaders()
  try {
    await writeBody(events, raw)
  } catch (error) {
    // The headers were sent, so only the end of the connection can tell the client that the body is not whole.
    raw.destroy(error instanceof Error ? error : undefined)
  }
}
