import type { WebSocket } from 'ws'
import { httpLoad, type Listener, type LoadRun, openConnection, openSocket, requestText, roundTrip } from '../load.ts'

/** A request that is compared. */
export type PeerWork = 'read' | 'state' | 'set'

/** A comparable home server. */
export interface Peer {
  readonly name: string
  /** Work of the gateway that the peer does not do, and other differences. */
  readonly note: string
  /** Maximum number of devices of its home. */
  readonly devicesMax: number
  /** @throws Error with the reason if it cannot be installed or started */
  start(devices: number): Promise<RunningPeer>
}

/** Calls back with the value of the first switch. */
export type Seen = (value: unknown) => void

/** Switches the first switch. Resolves after the response. */
export type Change = (on: boolean) => Promise<unknown>

/** A peer with a home of switches. */
export interface RunningPeer extends AsyncDisposable {
  readonly pid: number
  /** Time until it answers about its last device, in milliseconds. */
  readonly startMs: number
  /** One connection that repeats a request, or null if the peer has no such request. */
  open(work: PeerWork): Promise<LoadRun> | null
  listen(seen: Seen): Promise<void>
  changer(): Promise<Change>
}

/** Connections of a peer's load, as few as in a home. */
export const PEER_CONNECTIONS = 1

interface Sent {
  readonly extra?: string
  readonly body?: string
  readonly expect?: number
}

export const plainAt = (port: number): Listener => ({ port, ca: '', plain: true })

export function plainLoad(port: number, method: string, path: string, sent: Sent = {}): Promise<LoadRun> {
  const { extra = '', body = '', expect = 200 } = sent
  return httpLoad(plainAt(port), requestText(method, path, port, null, extra, body), expect, PEER_CONNECTIONS)
}

/** Switches by a request over one connection. */
export async function plainChanger(
  port: number,
  request: (on: boolean) => readonly [method: string, path: string, extra: string, body: string],
): Promise<Change> {
  const socket = await openConnection(plainAt(port))
  return (on) => {
    const [method, path, extra, body] = request(on)
    return roundTrip(socket, requestText(method, path, port, null, extra, body))
  }
}

export const plainSocket = (port: number, path: string): Promise<WebSocket> => openSocket(plainAt(port), path, null)

/** Sends a message. Resolves with the first message that contains the text. */
export function exchange(socket: WebSocket, message: unknown, answer: string): Promise<string> {
  return new Promise((resolve) => {
    const take = (data: Buffer): void => {
      const text = data.toString()
      if (!text.includes(answer)) return
      socket.off('message', take)
      resolve(text)
    }
    socket.on('message', take)
    socket.send(JSON.stringify(message))
  })
}

/** Calls back for each message with a value. */
export function watch(socket: WebSocket, valueOf: (message: never) => unknown, seen: Seen): void {
  socket.on('message', (data: Buffer) => {
    const value = valueOf(JSON.parse(data.toString()) as never)
    if (value !== undefined) seen(value)
  })
}
