import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const SHARE = 320

test('one address has its share of the connections, and what it opens beyond is closed at once', async () => {
  await using running = await TestGateway.open()
  const port = Number(new URL(running.url).port)
  const made = Array.from({ length: SHARE + 20 }, () => connect({ host: '127.0.0.1', port }).on('error', () => {}))
  let closed = 0
  const beyond = new Promise<void>((resolve) => {
    for (const socket of made)
      socket
        .on('close', () => {
          if (++closed === 20) resolve()
        })
        .resume()
  })
  await beyond
  expect(made.filter((socket) => !socket.closed)).toHaveLength(SHARE)
  const gone = made.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'))
  for (const socket of made) socket.destroy()
  await Promise.all(gone)
  // Once they are gone there is room again.
  const again = connect({ host: '127.0.0.1', port }).on('error', () => {})
  await once(again, 'connect')
  again.destroy()
})
