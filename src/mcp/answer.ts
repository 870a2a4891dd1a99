import type { Answer, McpAnswer } from '../api/call.ts'

/** What is under way when the gateway stops is refused with this, and what comes then. */
export const STOPPING = { message: 'The gateway stops.', retryAfter: 5 }

/** They are the transport's own. */
const OF_THE_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade']

/** Whether a response of the library goes on after its headers; every other is there as a whole. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** A response of the library as transports carry it. */
export async function answerOf(response: Response): Promise<McpAnswer> {
  const { status, body } = response
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name)))
  if (body !== null && isEventStream(response)) return { status, headers, events: body }
  return { status, headers, body: body === null ? null : await response.text() }
}

/** A message of the protocol, which is JSON already, as a whole answer. */
export const rpcAnswer = (status: number, body: string | Buffer): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
})

/** A refusal of the protocol's own kind. */
export const rpcError = (status: number, code: number, message: string): Answer =>
  rpcAnswer(status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))

/** A message that is JSON as the only event of a stream. */
export async function asEvents(response: Response): Promise<Response> {
  const text = await response.text()
  if (text === '') return new Response(null, response)
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/event-stream')
  headers.delete('content-length')
  return new Response(`event: message\ndata: ${text}\n\n`, { status: response.status, headers })
}
