import type { Server as HttpsServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../api/errors.ts'
import type { Via } from '../auth/credential.ts'
import type { Connections } from './connections.ts'
import { closing, peerOf } from './reply.ts'

/** What answers MCP requests, over whatever carries them. */
export interface McpHandler {
  answer(request: Request, from: { readonly via: Via; readonly peer: string }): Promise<Response>
}

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
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      handler: async (request, reply) => {
        const left = new AbortController()
        reply.raw.once('close', () => left.abort())
        const response = await mcp.answer(webRequest(request, left.signal), { via: 'home', peer: peerOf(request) })
        if (response.ok) connections.admitted(request.socket)
        reply.hijack()
        await write(reply, response)
        return reply
      },
    })
    done()
  })
}

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  return new Request(`https://${request.headers.host ?? 'localhost'}/mcp`, {
    method: request.method,
    headers: headersOf(request),
    signal,
    ...(request.method === 'POST' ? { body: bodyOf(request.raw), duplex: 'half' } : {}),
  })
}

/** The body as a web stream that takes nothing from the connection until it is read. */
function bodyOf(raw: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = raw.iterator({ destroyOnReturn: false })
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = (await chunks.next()) as IteratorResult<Buffer, undefined>
      if (done === true) controller.close()
      else controller.enqueue(value)
    } catch {
      controller.error(new Refusal('validation', { message: 'The body was cut off.' }))
    }
  }
  // What is left of a body that was refused is dropped, so that the answer can leave.
  const cancel = async (): Promise<void> => {
    await chunks.return?.(undefined)
    raw.resume()
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
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
  const reader = response.body.getReader()
  raw.once('close', () => void reader.cancel().catch(() => {}))
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (!raw.write(piece.value)) await drained(raw)
    }
    raw.end()
  } catch (error) {
    // The headers were sent, so only the end of the connection can tell the client that the body is not whole.
    raw.destroy(error instanceof Error ? error : undefined)
  }
}

/** Waits until a slow reader has taken what was written, or has left. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    raw.once('drain', resolve)
    raw.once('close', resolve)
  })
}
