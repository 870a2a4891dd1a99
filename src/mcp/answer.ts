import type { Answer, McpAnswer } from '../api/call.ts'

/** Refusal of running and new requests while the gateway stops. */
export const STOPPING = { message: 'The gateway stops.', retryAfter: 5 }

/** They are the transport's own. */
const OF_THE_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade']

/** True for an event stream; all other responses of the library are complete. */
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

/** Complete response with a protocol message that is already JSON. */
export const rpcAnswer = (status: number, body: string | Buffer): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
})

/** Refusal in the form of the protocol. */
export const rpcError = (status: number, code: number, message: string): Answer =>
  rpcAnswer(status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))

/** Event stream with one JSON message. */
export async function asEvents(response: Response): Promise<Response> {
  const text = await response.text()
  if (text === '') return new Response(null, response)
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/event-stream')
  headers.delete('content-length')
  return new Response(`event: message\ndata: ${text}\n\n`, { status: response.status, headers })
}
