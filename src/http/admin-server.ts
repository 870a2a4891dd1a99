import { chmodSync, unlinkSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { EVENTS_PATH } from '../admin/contract/events.ts'
import type { AdminDispatcher } from '../admin/dispatch.ts'
import type { AdminEvents } from '../admin/events.ts'
import { refusedWith } from '../api/answers.ts'
import { createServer } from '../lib/plain-http.ts'
import { readBody } from '../transport/body.ts'
import { isThere } from '../lib/files.ts'

/** House files of thousands of units fit. */
export const ADMIN_BODY_BYTES_MAX = 8 * 1024 * 1024
/** A watcher that takes nothing of what is written to it is ended. */
export const UNREAD_BYTES_MAX = 1024 * 1024

/**
 * Serves the administrators' API over a socket file that only the gateway's own user may open (mode 0600, in a folder
 * of mode 0700). A file left behind by a gateway that was killed is replaced; the caller has made sure that nobody
 * answers there. Without events their path is one like the others.
 */
export async function serveAdmin(
  path: string,
  dispatcher: Pick<AdminDispatcher, 'answer'>,
  events: Pick<AdminEvents, 'watch'> | null,
): Promise<Server> {
  if (isThere(path)) unlinkSync(path)
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

/** Ends what is open and resolves when the socket file is closed. */
export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** One JSON object a line, until either side ends it. */
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
  const refused = refusedWith('overloaded', { message: 'Too many watch already. End one of the others first.' })
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
