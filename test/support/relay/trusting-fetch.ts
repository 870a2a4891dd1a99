import { Agent, type AgentOptions, request } from 'node:https'
import { Readable } from 'node:stream'

/**
 * A `fetch` that trusts only one CA and never follows a redirect, as programs use it with a relay.
 * @param options of its connections, such as the local address.
 */
export function trustingFetch(
  ca: string,
  options: AgentOptions & { readonly localAddress?: string } = {},
): { readonly fetch: typeof fetch; readonly agent: Agent } {
  const agent = new Agent({ ca, keepAlive: true, servername: 'localhost', ...options })
  const trusting: typeof fetch = async (input, init = {}) => {
    const request = input instanceof Request ? new Request(input, init) : null
    const body = request === null ? bodyOf(init.body) : Buffer.from(await request.arrayBuffer())
    const headers = new Headers(request?.headers ?? init.headers)
    if (init.body instanceof URLSearchParams && !headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded')
    const url = request?.url ?? new URL(input instanceof Request ? input.url : input).href
    const options = { method: request?.method ?? init.method ?? 'GET', headers: Object.fromEntries(headers), agent }
    return send(url, init.signal ? { ...options, signal: init.signal } : options, body)
  }
  return { fetch: trusting, agent }
}

type Options = Exclude<Parameters<typeof request>[1], ((...args: never[]) => void) | undefined>

function send(url: string, options: Options, body: Buffer | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const status = response.statusCode ?? 0
      const headers = new Headers()
      for (const [name, value] of Object.entries(response.headersDistinct))
        for (const item of value ?? []) headers.append(name, item)
      const isEmpty = [101, 204, 205, 304].includes(status)
      resolve(new Response(isEmpty ? null : (Readable.toWeb(response) as ReadableStream), { status, headers }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function bodyOf(body: RequestInit['body']): Buffer | undefined {
  if (body === null || body === undefined) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(String(body))
  if (body instanceof Uint8Array) return Buffer.from(body)
  throw new Error('This fetch sends text and bytes.')
}
