import {
  isJSONRPCRequest,
  type McpHandlerRequestOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Answer } from '../api/call.ts'
import type { Accepts } from './accepts.ts'
import { rpcAnswer } from './answer.ts'
import { askedBy, listedJson, mcpServer } from './server.ts'

/** As nginx writes down a request whose client has left; nobody reads it. */
const CLIENT_CLOSED_REQUEST = 499
const BEHIND = Buffer.from('}')

/**
 * Answers one request of a client of 2025 outside a session. The answer is one piece if the client takes JSON: no tool
 * sends anything before its result, and a stream is more work than most tools are. Ends with `signal`, without an
 * answer.
 */
export async function answerStateless(
  request: Request,
  signal: AbortSignal,
  options: McpHandlerRequestOptions,
  { json }: Pick<Accepts, 'json'>,
): Promise<Response> {
  const server = mcpServer({ asked: askedBy(options.parsedBody) })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: json })
  await server.connect(transport)
  // A transport that is closed never answers what it was asked.
  const ended = new Promise<Response>((resolve) => {
    const end = (): void => {
      resolve(new Response(null, { status: CLIENT_CLOSED_REQUEST }))
      void server.close().catch(() => {})
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  return Promise.race([transport.handleRequest(request, options), ended])
}

/**
 * The list of tools for a client of 2025 without a session, of which only the id differs from one answer to the next.
 * Null for whatever is not exactly a request for it: that the library answers or refuses.
 */
export function preparedList(headers: Headers, message: unknown): Answer | null {
  if (askedBy(message).kind !== 'list' || !isJSONRPCRequest(message)) return null
  // With a cursor, or with the envelope of a newer client, it is another request.
  if (Object.keys(message.params ?? {}).length > 0) return null
  const version = headers.get('mcp-protocol-version')
  if (headers.has('mcp-session-id')) return null
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return null
  const before = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`)
  return rpcAnswer(200, Buffer.concat([before, listedJson(), BEHIND]))
}
