import { createServer } from 'node:https'
import { type WebSocket, WebSocketServer } from 'ws'
import { textFrame } from '../src/ws/frame.ts'
import { bareTls, serveBare } from './bare-https.ts'

/**
 * The measure: a bare node:https server with the gateway's own certificate that answers the same bytes, and a bare ws
 * server on it. Arguments: the leaf file (certificate and key in one).
 */
const [leaf = ''] = process.argv.slice(2)
const answers = new Map<string, { readonly status: number; readonly body: Buffer }>()

const server = createServer(bareTls(leaf), (request, response) => {
  const answer = answers.get(request.url ?? '') ?? { status: 404, body: Buffer.from('{}') }
  const reply = (): void => {
    response
      .writeHead(answer.status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': answer.body.length,
      })
      .end(answer.body)
  }
  if (request.method === 'GET') reply()
  else request.resume().on('end', reply)
})

const clients = new Set<WebSocket>()
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket) => {
  clients.add(socket)
  socket.on('error', () => socket.terminate())
  socket.on('close', () => clients.delete(socket))
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
})

interface Raw {
  readonly _socket: { cork(): void; write(bytes: Buffer): void; uncork(): void }
}

process.on(
  'message',
  (message: {
    answer?: { path: string; status: number; body: string }
    broadcast?: { text: string; times: number }
  }) => {
    if (message.answer)
      answers.set(message.answer.path, { status: message.answer.status, body: Buffer.from(message.answer.body) })
    if (message.broadcast) {
      // A frame prepared once, written raw to every socket: what a broadcast can cost at the least.
      broadcast(textFrame(message.broadcast.text), message.broadcast.times)
      return
    }
    process.send?.({})
  },
)

/** One event a turn of the loop, as they come from a bus. */
function broadcast(frame: Buffer, times: number): void {
  if (times === 0) {
    process.send?.({})
    return
  }
  for (const client of clients) (client as unknown as Raw)._socket.write(frame)
  setImmediate(() => broadcast(frame, times - 1))
}

serveBare(server)
