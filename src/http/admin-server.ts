import { chmodSync, existsSync, unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Server as NetServer } from 'node:net'
import type { AdminDispatcher } from '../api/admin/dispatch.ts'
import { readBody } from './body.ts'

/** House files of thousands of units fit. */
const ADMIN_BODY_BYTES_MAX = 8 * 1024 * 1024

/**
 * Serves the administrators' API over a socket file that only the gateway's own user may open (mode 0600, in a folder of mode 0700).
 * A file left behind by a gateway that was killed is replaced; the caller has made sure that nobody answers there.
 */
export async function serveAdmin(path: string, dispatcher: AdminDispatcher): Promise<Server> {
  if (existsSync(path)) unlinkSync(path)
  const server = createServer((request, response) => {
    request.on('error', () => response.destroy())
    readBody(request.headers, request, ADMIN_BODY_BYTES_MAX, (error, body) => {
      if (error || !body) {
        response.destroy()
        return
      }
      const [pathname = '/', query = ''] = (request.url ?? '/').split('?', 2)
      const call = { method: request.method ?? 'GET', path: pathname, query: Object.fromEntries(new URLSearchParams(query)), body }
      void dispatcher.answer(call).then((answer) => {
        response.writeHead(answer.status, answer.headers).end(answer.body ?? '')
      })
    })
  })
  await listen(server, path)
  chmodSync(path, 0o600)
  return server
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
