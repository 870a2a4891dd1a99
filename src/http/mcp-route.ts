import type { Server as HttpsServer } from 'node:https'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Via } from '../auth/credential.ts'
import type { Door } from '../auth/door.ts'
import type { Connections } from './connections.ts'
import { closing, isUnreadableType, peerOf } from './reply.ts'
import { webBodyOf, writeBody } from './web-body.ts'

/** What answers MCP requests, over whatever carries them. */
export interface McpHandler {
  answer(request: Request, from: { readonly via: Via; readonly door: Door; readonly peer: string }): Promise<Response>
}

/** Who the host was is decided before: what a client wrote there is no part of an address. */
const ADDRESS = 'https://localhost/mcp'
/** Headers that belong to the connection: Node writes its own. */
const OF_THE_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding']

/** Maps `/mcp` to the MCP server: a web request in, a web response out, whose stream ends when the client leaves. */
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
      const left = new AbortController()
      reply.raw.once('close', () => left.abort())
      const response = await mcp.answer(webRequest(request, left.signal), {
        via: connections.viaOf(request.socket),
        door: 'mcp',
        peer: peerOf(request),
      })
      if (response.ok) connections.admitted(request.socket)
      reply.hijack()
      await write(reply, response)
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

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  return new Request(ADDRESS, {
    method: request.method,
    headers: headersOf(request),
    signal,
    ...(request.method === 'POST' ? { body: webBodyOf(request.raw), duplex: 'half' } : {}),
  })
}

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers()
  const { rawHeaders } = request.raw
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

async function write(reply: FastifyReply, response: Response): Promise<void> {
  const { raw } = reply
  const headers = [...response.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name))
  if (response.status === 413) closing(reply)
  // As an object: beside headers that are set already Node takes no list of pairs.
  raw.writeHead(response.status, Object.fromEntries(headers))
  if (response.body === null) {
    raw.end()
    return
  }
  raw.flushHeaders()
  try {
    await writeBody(response.body, raw)
  } catch (error) {
    // The headers were sent, so only the end of the connection can tell the client that the body is not whole.
    raw.destroy(error instanceof Error ? error : undefined)
  }
}
