import { once } from 'node:events'
import { request, type RequestOptions } from 'node:https'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { answerOf } from './answer-of.ts'
import { type Access, type RawAnswer, trusting } from './callers.ts'

export interface RawRequestOptions {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  /** Another address of the loopback network to come from. */
  readonly from?: string
}

/**
 * One HTTPS request with any headers, on a connection of its own; nothing is checked, nothing is added but Host, and
 * gzip is read.
 */
export function rawRequest(
  door: Pick<Access, 'url' | 'ca' | 'serverName'>,
  { method = 'GET', path, headers = {}, body, from }: RawRequestOptions,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    // Of some methods Node does not frame a body by itself.
    const framed = { ...headers, ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }) }
    const options: RequestOptions = {
      method,
      headers: framed,
      ...trusting(door.ca),
      agent: false,
      ...(from === undefined ? {} : { localAddress: from }),
    }
    const sent = request(
      new URL(door.url),
      { ...options, path, servername: door.serverName ?? 'localhost' },
      (response) => void answerOf(response).then(resolve, reject),
    )
    sent.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({
        status: response.statusCode ?? 0,
        text: '',
        body: '',
        headers: response.headers as Record<string, string>,
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A TLS connection to the gateway on which anything may be said. */
export async function dial(
  door: Pick<Access, 'url' | 'ca'>,
  options: Pick<ConnectionOptions, 'ALPNProtocols'> = {},
): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(door.url).port),
    ...trusting(door.ca),
    servername: 'localhost',
    ...options,
  })
  // What the gateway does to a connection is told by its end.
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

/** Says `pieces` on a connection of its own and hears everything until the gateway ends it. */
export async function exchangeBytes(
  door: Pick<Access, 'url' | 'ca'>,
  ...pieces: readonly (string | Buffer)[]
): Promise<string> {
  const socket = await dial(door)
  const heard = readUntilClosed(socket)
  for (const piece of pieces) socket.write(piece)
  return heard
}

/** Everything that comes on a connection until it ends. */
export async function readUntilClosed(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.destroyed) await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** The status of the first answer in what was heard; 0 for none. */
export function statusOf(heard: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1] ?? 0)
}
