import { setPriority } from 'node:os'
import { type Door, opened, requestText } from './http-load.ts'

/**
 * A neighbour that asks for the same sixteen times at a time, as often as its rate lets it, in a process that gives way
 * to the client that measures. Argument: a task as JSON.
 */
export interface ListTask {
  readonly door: Door
  readonly token: string
  readonly path: string
}

const AT_A_TIME = 16
const ASKS_A_SECOND = 200
const LEAST_LUCK = 19

process.on('disconnect', () => process.exit(0))
setPriority(LEAST_LUCK)
const { door, token, path } = JSON.parse(process.argv[2] ?? '') as ListTask
const request = requestText('GET', path, door.port, token)
const sockets = await Promise.all(Array.from({ length: AT_A_TIME }, () => opened(door)))
let statuses: Record<string, number> = {}
const idle = new Set(sockets)
for (const socket of sockets) {
  /** Bytes of an answer that are still to come; null for one that comes in chunks. */
  let left: number | null = 0
  socket.on('data', (chunk: Buffer) => {
    const text = chunk.toString('latin1')
    if (left === 0) {
      const status = text.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      left = length === undefined ? null : text.indexOf('\r\n\r\n') + 4 + Number(length)
    }
    if (left !== null) left -= chunk.length
    else if (text.endsWith('0\r\n\r\n')) left = 0
    if (left === 0) idle.add(socket)
  })
}
setInterval(
  () => {
    for (const socket of idle) {
      idle.delete(socket)
      socket.write(request)
    }
  },
  (1_000 * AT_A_TIME) / ASKS_A_SECOND,
)
process.on('message', () => {
  process.send?.({ statuses })
  statuses = {}
})
process.send?.({})
