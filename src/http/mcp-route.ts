import type { Server as HttpsServer } from 'node:https'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Body } from '../api/call.ts'
import { refusalAnswer } from '../api/answers.ts'
import { Refusal } from '../api/errors.ts'
import type { Via } from '../auth/credential.ts'

/** What answers MCP requests, over whatever carries them. */
export interface McpHandler {
  answer(request: Request, from: { readonly via: Via; readonly peer: string }): Promise<Response>
}

/** Headers that belong to the connection: Node writes its own. */
const OF_THE_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding']

/** Maps `/mcp` to the MCP server: a web request in, a web response out, whose stream ends when the client leaves. */
export function mcpRoute(server: FastifyInstance<HttpsServer>, mcp: McpHandler): void {
  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    handler: async (request, reply) => {
      const left = new AbortController()
      reply.raw.once('close', () => left.abort())
      const body = request.body as Body | undefined
      const response = await answerOf(mcp, request, body, left.signal)
      reply.hijack()
      await write(reply, response)
      return reply
    },
  })
}

async function answerOf(
  mcp: McpHandler,
  request: FastifyRequest,
  body: Body | undefined,
  signal: AbortSignal,
): Promise<Response> {
  if (body?.kind === 'too_large') {
    const refused = refusalAnswer(new Refusal('payload_too_large'), { connection: 'close' })
    return new Response(String(refused.body), { status: refused.status, headers: refused.headers })
  }
  const bytes = request.method === 'POST' && body?.kind === 'bytes' ? { body: new Uint8Array(body.bytes) } : {}
  return mcp.answer(
    new Request(`https://${request.headers.host ?? 'localhost'}/mcp`, {
      method: request.method,
      headers: headersOf(request),
      signal,
      ...bytes,
    }),
    { via: 'home', peer: request.ip },
  )
}

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers()
  const { rawHeaders } = request.raw
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

async function write({ raw }: FastifyReply, response: Response): Promise<void> {
  const headers = [...response.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name))
  const close: [string, string][] = response.status === 413 ? [['connection', 'close']] : []
  raw.writeHead(response.status, [...headers, ...close])
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
