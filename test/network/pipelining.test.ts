import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { describe, expect } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { dial } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'

/** The statuses of so many answers, or of those that came before the gateway ended the connection. */
function statuses(socket: TLSSocket, count: number): Promise<string[]> {
  const found: string[] = []
  let heard = ''
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1')
      const ends = heard.lastIndexOf('\r\n') + 1
      found.push(...(heard.slice(0, ends).match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []))
      heard = heard.slice(ends)
      if (found.length >= count) resolve(found)
    })
    socket.on('close', () => resolve(found))
    socket.resume()
  })
}

describe('requests that a client sends without waiting for answers', () => {
  proves('limits.pipelining', 'are all answered, in their order, also where the client reads late', async () => {
    await using home = await TestHome.open('http', { settled: false })
    const get = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${home.main.token}\r\n\r\n`
    const count = times(200, 5_000)
    const expected = Array.from({ length: count }, (_, index) => (index % 50 === 49 ? '404' : '200'))
    const requests = expected.map((status) => get(status === '404' ? '/v1/nothing' : '/v1/integration')).join('')
    for (const isLate of [false, true]) {
      const socket = await dial(home.access(null))
      socket.write(requests)
      // The first answers lie there unread, so the gateway has to stop.
      if (isLate) await once(socket, 'readable')
      expect(await statuses(socket, count)).toEqual(expected)
      socket.destroy()
    }
  })
})
