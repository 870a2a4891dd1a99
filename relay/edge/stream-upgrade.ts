import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServerResponse as PlainResponse } from '@hm-gateway/lib/plain-http.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'
import { openStream } from '../tunnels/open-stream.ts'
import { busy, type Destination, type ForwardParts, offline, passAnswer, relayedHeaders } from './forward.ts'

/** RFC 6455 section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** An answer in place of an upgrade; the connection ends with it. */
export function answerInstead(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new PlainResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
  response.once('finish', () => hangUp(socket))
  return response
}

/** A connection that a client wants to be a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** What came behind the head already. */
  readonly head: Buffer
  /** The answer where it becomes none. */
  readonly instead: () => ServerResponse
  /** It has become one. */
  readonly connected: () => void
}

/**
 * Connects a client's WebSocket to the gateway's end of it: the gateway says whether the client may connect, and what
 * follows are the frames of both, as they are.
 */
export async function connectStream(
  upgrade: Upgrade,
  destination: Destination,
  parts: ForwardParts,
  failed: string | null = null,
): Promise<void> {
  const { request, socket, head, connected } = upgrade
  const answered = endsWithClient(socket)
  const instead = (): ServerResponse => {
    answered()
    return upgrade.instead()
  }
  const headers = {
    ...relayedHeaders(request, destination, parts.random),
    ':method': 'CONNECT',
    ':protocol': 'websocket',
  }
  const begin = { headers, endStream: false, isCancelled: () => socket.destroyed }
  const opened = await openStream(parts.directory, destination.gateway, begin, failed)
  if (opened === 'cancelled') return
  if (opened === 'gone') return offline(instead(), parts)
  if (opened === 'busy') return busy(instead())
  const { stream, node } = opened
  socket.once('close', () => abandon(stream))
  passAnswer({
    request,
    stream,
    parts,
    destination,
    responseTo: (status) => {
      if (status !== 200) return instead()
      connected()
      answered()
      socket.write(switching(request))
      if (head.length > 0) stream.write(head)
      socket.pipe(stream)
      stream.pipe(socket)
      // A tunnel that is lost ends no stream in order, and a client that reads late would never be told.
      stream.once('close', () => {
        if (stream.readableEnded) hangUp(socket)
        else socket.destroy()
      })
      return null
    },
    again: () => {
      if (socket.destroyed || failed !== null) return false
      answered()
      connectStream(upgrade, destination, parts, node).catch(() => offline(instead(), parts))
      return true
    },
  })
}

/**
 * Ends a connection once all is written. What its client sends meanwhile is read: behind it the client's own end would
 * never be seen, and the connection be kept for good.
 */
function hangUp(socket: Duplex): void {
  socket.resume()
  socket.end(() => void socket.destroy())
}

/** Nothing is read of a client that waits for its answer, so that nothing else would tell that it has left. */
function endsWithClient(socket: Duplex): () => void {
  const look = (): void => void socket.read(0)
  const left = (): void => void socket.destroy()
  socket.on('readable', look).once('end', left)
  return () => void socket.off('readable', look).off('end', left)
}

function switching({ headers }: IncomingMessage): string {
  const key = headers['sec-websocket-key'] ?? ''
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64')
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
}
