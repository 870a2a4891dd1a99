import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import type { AdminEvent } from '../admin/contract/events.ts'
import { EVENTS_PATH } from '../admin/contract/events.ts'
import { ADMIN_BODY_BYTES_MAX, closeServer, serveAdmin, UNREAD_BYTES_MAX } from './admin-server.ts'

type Watcher = (event: AdminEvent) => void

/** A server that answers with the kind of the request's body. */
async function served() {
  const path = join(tempFolder(), 'admin.sock')
  const watchers = new Set<Watcher>()
  const server = await serveAdmin(
    path,
    { answer: ({ body }) => Promise.resolve({ status: 200, headers: {}, body: body.kind }) },
    {
      watch: (listener: Watcher) => {
        watchers.add(listener)
        listener({ kind: 'watching' })
        return () => void watchers.delete(listener)
      },
    },
  )
  onTestFinished(() => closeServer(server))
  const ask = (method: string, url: string): ClientRequest =>
    request({ socketPath: path, method, path: url, agent: false }).on('error', () => {})
  return { ask, watchers }
}

async function answered(sent: ClientRequest): Promise<string> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return String(Buffer.concat(await response.toArray()))
}

test('a body of the maximal size is accepted, and one byte more is too large', async () => {
  const { ask } = await served()
  for (const [bytes, kind] of [
    [ADMIN_BODY_BYTES_MAX, 'bytes'],
    [ADMIN_BODY_BYTES_MAX + 1, 'too_large'],
  ] as const) {
    const sent = ask('POST', '/')
    const answer = answered(sent)
    sent.end(Buffer.alloc(bytes))
    expect(await answer).toBe(kind)
  }
})

test('a watcher that reads nothing is closed, and the others go on', async () => {
  const { ask, watchers } = await served()
  const responses = await Promise.all(
    [ask('GET', EVENTS_PATH), ask('GET', EVENTS_PATH)].map(async (sent) => {
      const response = once(sent, 'response')
      sent.end()
      return (await response)[0] as IncomingMessage
    }),
  )
  responses[0]?.pause()
  responses[1]?.resume()
  const event = { kind: 'watching', filler: 'x'.repeat(64 * 1024) } as AdminEvent
  // Bytes in the system's socket buffers do not count.
  for (let sent = 0; sent < 64 * UNREAD_BYTES_MAX && watchers.size === 2; sent += 64 * 1024) {
    for (const watcher of watchers) watcher(event)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(watchers.size).toBe(1)
})
