import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServerResponse as PlainResponse } from '@hm-gateway/lib/plain-http.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'
import { openStream } from '../tunnels/open-stream.ts'
import { busy, type Destination, type ForwardParts, offline, relayedHeaders, relayResponse } from './forward.ts'

/** RFC 6455 section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** A response to a refused upgrade; the connection closes after it. */
export function refusalResponse(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new PlainResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
  response.once('finish', () => hangUp(socket))
  return response
}

/** A client's request for a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** Bytes received after the request's head. */
  readonly head: Buffer
  /** Creates the response to a refused upgrade. */
  readonly refusal: () => ServerResponse
  readonly onConnected: () => void
}

/** Asks the gateway whether it accepts a WebSocket, and then copies the frames in both directions. */
export async function connectStream(
  upgrade: Upgrade,
  destination: Destination,
  parts: ForwardParts,
  failedNode: string | null = null,
): Promise<void> {
  const { request, socket, head, onConnected } = upgrade
  const stopWatching = watchDisconnect(socket)
  const refusal = (): ServerResponse => {
    stopWatching()
    return upgrade.refusal()
  }
  const headers = {
    ...relayedHeaders(request, destination, parts.random),
    ':method': 'CONNECT',
    ':protocol': 'websocket',
  }
  const streamRequest = { headers, endStream: false, isCancelled: () => socket.destroyed }
  const opened = await openStream(parts.directory, destination.gateway, streamRequest, failedNode)
  if (opened === 'cancelled') return
  if (opened === 'gone') return offline(refusal(), parts)
  if (opened === 'busy') return busy(refusal())
  const { stream, node } = opened
  socket.once('close', () => abandon(stream))
  relayResponse({
    request,
    stream,
    parts,
    destination,
    responseFor: (status) => {
      if (status !== 200) return refusal()
      onConnected()
      stopWatching()
      socket.write(switching(request))
      if (head.length > 0) stream.write(head)
      socket.pipe(stream)
      stream.pipe(socket)
      // A lost tunnel does not end its streams, and a slow client would never notice the end.
      stream.once('close', () => {
        if (stream.readableEnded) hangUp(socket)
        else socket.destroy()
      })
      return null
    },
    retry: () => {
      if (socket.destroyed || failedNode !== null) return false
      stopWatching()
      connectStream(upgrade, destination, parts, node).catch(() => offline(refusal(), parts))
      return true
    },
  })
}

/** Closes a connection after its last write. It keeps reading, because unread bytes would hide the client's end. */
function hangUp(socket: Duplex): void {
  socket.resume()
  socket.end(() => void socket.destroy())
}

/** Destroys the socket if the client disconnects while it waits for a response. Returns a function that stops this. */
function watchDisconnect(socket: Duplex): () => void {
  const read = (): void => void socket.read(0)
  const onEnd = (): void => void socket.destroy()
  socket.on('readable', read).once('end', onEnd)
  return () => void socket.off('readable', read).off('end', onEnd)
}

function switching({ headers }: IncomingMessage): string {
  const key = headers['sec-websocket-key'] ?? ''
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64')
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
}
