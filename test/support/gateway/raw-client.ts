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
  /** Another source address of the loopback network. */
  readonly from?: string
}

/**
 * One HTTPS request with arbitrary headers, on a connection of its own. Checks nothing, adds only Host, and
 * decompresses gzip.
 */
export function rawRequest(
  door: Pick<Access, 'url' | 'ca' | 'serverName'>,
  { method = 'GET', path, headers = {}, body, from }: RawRequestOptions,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    // Node frames no body for some methods.
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

/** Opens a TLS connection to the gateway for arbitrary bytes. */
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
  // The end of the connection shows what the gateway does to it.
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

/** Sends `pieces` on a new connection and returns everything received until the gateway closes it. */
export async function exchangeBytes(
  door: Pick<Access, 'url' | 'ca'>,
  ...pieces: readonly (string | Buffer)[]
): Promise<string> {
  const socket = await dial(door)
  const received = readUntilClosed(socket)
  for (const piece of pieces) socket.write(piece)
  return received
}

/** Everything received on a connection until it closes. */
export async function readUntilClosed(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.destroyed) await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** The status of the first response in the text; 0 if there is none. */
export function statusOf(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
}
