import { chmodSync, unlinkSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { EVENTS_PATH } from '../admin/contract/events.ts'
import type { AdminDispatcher } from '../admin/dispatch.ts'
import type { AdminEvents } from '../admin/events.ts'
import { refusedWith } from '../api/answers.ts'
import { createServer } from '../lib/plain-http.ts'
import { readBody } from '../transport/body.ts'
import { pathExists } from '../lib/files.ts'

/** Longest body; fits house files of thousands of units. */
export const ADMIN_BODY_BYTES_MAX = 8 * 1024 * 1024
/** Most unread bytes of a client that watches events; more close its connection. */
export const UNREAD_BYTES_MAX = 1024 * 1024

/**
 * Serves the administrators' API over a socket file that only the gateway's own user may open (mode 0600, in a folder
 * of mode 0700). A file left by a killed gateway is replaced; the caller has checked that no process listens on it. If
 * `events` is null, the dispatcher answers their path like every other.
 */
export async function serveAdmin(
  path: string,
  dispatcher: Pick<AdminDispatcher, 'answer'>,
  events: Pick<AdminEvents, 'watch'> | null,
): Promise<Server> {
  if (pathExists(path)) unlinkSync(path)
  const server = createServer((request, response) => {
    request.on('error', () => response.destroy())
    const [pathname = '/', query = ''] = (request.url ?? '/').split('?', 2)
    if (events && request.method === 'GET' && pathname === EVENTS_PATH) {
      streamEvents(events, request, response)
      return
    }
    readBody(request.headers, request, ADMIN_BODY_BYTES_MAX, (error, body) => {
      if (error || !body) {
        response.destroy()
        return
      }
      const call = {
        method: request.method ?? 'GET',
        path: pathname,
        query: Object.fromEntries(new URLSearchParams(query)),
        body,
      }
      void dispatcher.answer(call).then((answer) => {
        response.writeHead(answer.status, answer.headers).end(answer.body ?? '')
      })
    })
  })
  await listen(server, path)
  chmodSync(path, 0o600)
  return server
}

/** Closes all connections and resolves when the socket file is closed. */
export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** Streams events as one JSON object a line until either side closes. */
function streamEvents(events: Pick<AdminEvents, 'watch'>, request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.on('error', () => response.destroy())
  const stop = events.watch((event) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
    response.write(`${JSON.stringify(event)}\n`)
    if (response.writableLength > UNREAD_BYTES_MAX) response.destroy()
  })
  if (stop) {
    response.on('close', stop)
    return
  }
  const refused = refusedWith('overloaded', { message: 'Too many clients are watching. Close one of them first.' })
  response.writeHead(refused.status, refused.headers).end(refused.body)
}

function listen(server: NetServer, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      server.on('error', () => server.close())
      resolve()
    })
  })
}
