// @module-tag repeated
import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { describe, expect } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { dial } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'

const ROUNDS = times(2, 20)
/** Requests whose answers together far exceed the buffer of a connection. */
const HOUSES = 300

/** Statuses of so many answers, or fewer if the gateway closes the connection. */
function statuses(socket: TLSSocket, count: number): Promise<string[]> {
  const found: string[] = []
  let unread = ''
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off('data', hear).off('close', end)
      resolve(found)
    }
    const hear = (chunk: Buffer): void => {
      unread += chunk.toString('latin1')
      const ends = unread.lastIndexOf('\r\n') + 1
      found.push(...(unread.slice(0, ends).match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []))
      unread = unread.slice(ends)
      if (found.length >= count) end()
    }
    socket.on('data', hear).on('close', end)
    socket.resume()
  })
}

describe('pipelined requests', () => {
  proves('limits.pipelining', 'are all answered, in order, even if the client reads late', async () => {
    await using home = await TestHome.open('http', { settled: false })
    const get = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${home.main.token}\r\n\r\n`
    const count = times(100, 5_000)
    const expected = Array.from({ length: count }, (_, index) => (index % 50 === 49 ? '404' : '200'))
    const requests = expected.map((status) => get(status === '404' ? '/v1/nothing' : '/v1/integration')).join('')
    for (const isLate of [false, true]) {
      const socket = await dial(home.access(null))
      socket.write(requests)
      // The first answers stay unread, so the gateway has to pause.
      if (isLate) await once(socket, 'readable')
      expect(await statuses(socket, count)).toEqual(expected)
      socket.destroy()
    }
  })

  proves('limits.pipelining', 'are all answered after a change, even if the client reads late', async () => {
    await using home = await TestHome.open('http', { settled: false })
    const socket = await dial(home.access(null))
    const head = `Host: localhost\r\nAuthorization: Bearer ${home.main.token}\r\n`
    // The answer to a change comes in a later turn of the loop than an immediate answer.
    const changing = (round: number): string => {
      const body = JSON.stringify({ name: `Scene ${round}`, steps: [] })
      return `POST /v1/scenes HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    }
    const house = `GET /v1/house HTTP/1.1\r\n${head}\r\n`
    for (let round = 0; round < ROUNDS; round += 1) {
      const changed = statuses(socket, 1)
      socket.write(changing(round))
      expect(await changed).toEqual(['201'])
      const houses = house.repeat(HOUSES)
      const cut = 1 + ((round * 97) % (houses.length - 1))
      socket.write(houses.slice(0, cut))
      socket.write(houses.slice(cut))
      await once(socket, 'readable')
      expect(await statuses(socket, HOUSES)).toEqual(Array.from({ length: HOUSES }, () => '200'))
    }
    socket.destroy()
  })
})
