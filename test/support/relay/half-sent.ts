import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

/** Target of half-sent requests: the relay's port, and for end-to-end connections the gateway's name and CA. */
export interface HalfSentTarget {
  readonly port: number
  readonly ca: string
  readonly serverName?: string
}

/** A request that announces a longer body than it sends. */
export interface HalfSentRequest {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly framing: 'length' | 'chunked' | 'upgrade'
  /** Loopback address of the client. */
  readonly from: string
}

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]
const FRAMING = {
  length: ['Content-Type: application/json', 'Content-Length: 100'],
  chunked: ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
  upgrade: UPGRADE,
} as const
/** One byte of the body, or of a frame after an upgrade. */
const FIRST_BYTE = { length: '{', chunked: '1\r\n{\r\n', upgrade: '\x81' } as const

function bytesOf({ method, path, token, framing }: HalfSentRequest, host: string): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`, ...FRAMING[framing]]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${FIRST_BYTE[framing]}`, 'latin1')
}

/** Connects; null if the connection is lost before its TLS handshake, as on a machine that stalls. */
async function connected(target: HalfSentTarget, from: string): Promise<TLSSocket | null> {
  const { port, ca, serverName = 'localhost' } = target
  const local: ConnectionOptions & { localAddress: string } = { ca, servername: serverName, localAddress: from }
  const socket = connect({ host: '127.0.0.1', port, ...local })
  const { promise, resolve } = Promise.withResolvers<TLSSocket | null>()
  socket.on('error', () => {})
  socket.once('secureConnect', () => resolve(socket)).once('close', () => resolve(null))
  return promise
}

/** Sends the head and one byte; resolves with the status of the response, and leaves the connection open. */
async function send(target: HalfSentTarget, request: HalfSentRequest): Promise<{ status: number; leave: () => void }> {
  let socket: TLSSocket | null = null
  for (let tries = 0; socket === null && tries < CONNECTS_MAX; tries += 1)
    socket = await connected(target, request.from)
  if (socket === null) return { status: 0, leave: () => {} }
  const { promise, resolve } = Promise.withResolvers<number>()
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
    const status = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(received)?.[1]
    if (status !== undefined) resolve(Number(status))
  })
  socket.once('close', () => resolve(0))
  socket.write(bytesOf(request, target.serverName ?? 'localhost'))
  const leave = (): void => void socket.destroy()
  return { status: await promise, leave }
}

/** The relay's timeout of a handshake is 5 s. */
const CONNECTS_MAX = 5
/** Concurrent clients. */
const AT_ONCE = 20

/** Number of responses by status; 0 is a connection that ended without a response. */
export type Statuses = Readonly<Record<number, number>>

/**
 * Sends `count` half-sent requests. Each client disconnects as soon as its response begins, or stays connected until
 * `leave` is called.
 */
export async function sendHalf(
  target: HalfSentTarget,
  count: number,
  requestOf: (index: number) => HalfSentRequest,
  clients: 'leave' | 'stay' = 'leave',
): Promise<{ readonly statuses: Statuses; readonly leave: () => void }> {
  const statuses: Record<number, number> = {}
  const leaving: (() => void)[] = []
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) {
      const index = next
      next += 1
      const { status, leave } = await send(target, requestOf(index))
      statuses[status] = (statuses[status] ?? 0) + 1
      if (clients === 'leave') leave()
      else leaving.push(leave)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return {
    statuses,
    leave: () => {
      for (const leave of leaving) leave()
    },
  }
}
