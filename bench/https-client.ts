import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Door } from './http-load.ts'

export interface Exchanged {
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Sent {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Keeps connections; without one each request has a connection of its own. */
  readonly agent?: Agent
}

/** One request by Node's own client. @throws Error for a status from 300 on. */
export async function exchanged(
  { port, ca }: Door,
  method: string,
  path: string,
  { body, headers = {}, agent }: Sent,
): Promise<Exchanged> {
  const payload = body === undefined ? '' : JSON.stringify(body)
  const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
  const sent = request({
    host: '127.0.0.1',
    port,
    servername: 'localhost',
    ca,
    method,
    path,
    headers: { ...(body === undefined ? {} : content), ...headers },
    agent: agent ?? false,
  })
  sent.end(payload)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const whole = await text(response)
  if ((response.statusCode ?? 0) >= 300) throw new Error(`${method} ${path} answered ${response.statusCode}: ${whole}`)
  return { headers: response.headers, text: whole }
}
