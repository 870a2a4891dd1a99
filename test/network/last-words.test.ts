// @module-tag repeated
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { trusting } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { dial } from '#support/gateway/raw-client.ts'
import { casesOf } from '#support/long.ts'

/** Far more clients than the gateway answers at once. */
const CLIENTS = 12
const NAME = JSON.stringify({ name: 'Lantern' })

it('clients that close their side right after their request are all served', async () => {
  await using home = await TestHome.open('http')
  const head = `Host: localhost\r\nAuthorization: Bearer ${home.main.token}\r\n`
  const get = `GET ${home.at('hall-light')} HTTP/1.1\r\n${head}\r\n`
  const rename = `PATCH ${home.at('hall-light')} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${NAME.length}\r\n\r\n${NAME}`
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => dial(home.access(null))))
  const statusLines = sockets.map(async (socket) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    return Buffer.concat(chunks).toString().slice(0, 'HTTP/1.1 200'.length)
  })
  // The last client makes a change, which takes effect although its answer is lost.
  for (const [index, socket] of sockets.entries()) socket.end(index === CLIENTS - 1 ? rename : get)
  expect((await Promise.all(statusLines)).slice(0, -1)).toEqual(Array(CLIENTS - 1).fill('HTTP/1.1 200'))
  expect(await home.get(home.at('hall-light'))).toMatchObject({ device: { name: 'Lantern' } })
})

/** Ways in which a stream client closes its socket after its messages. */
const FAREWELLS: Readonly<Record<string, (socket: WebSocket, carrier: Duplex) => void>> = {
  'with a close frame': (socket) => socket.close(),
  'without a close frame': (_socket, carrier) => carrier.end(),
  'with an invalid frame': (_socket, carrier) => carrier.write(Buffer.from([0xff, 0xff])),
}

it.for(casesOf(Object.entries(FAREWELLS), 3, 1))(
  'messages of a stream client that leaves %s all take effect',
  async ([, go]) => {
    await using home = await TestHome.open('http')
    const { url, ca, token } = home.access(home.main.token)
    const socket = new WebSocket(`${url.replace('https', 'wss')}/v1/stream`, {
      ...trusting(ca),
      headers: { authorization: `Bearer ${token}` },
    })
    socket.on('error', () => {})
    await once(socket, 'open')
    const { _socket: carrier } = socket as unknown as { readonly _socket: Duplex }
    // All messages go out in one write.
    carrier.cork()
    for (let id = 0; id < CLIENTS; id += 1)
      socket.send(JSON.stringify({ id: String(id), method: 'GET', path: '/v1/about' }))
    socket.send(JSON.stringify({ method: 'PATCH', path: home.at('hall-light'), body: { name: 'Lantern' } }))
    go(socket, carrier)
    carrier.uncork()
    await once(socket, 'close')
    expect(await home.get(home.at('hall-light'))).toMatchObject({ device: { name: 'Lantern' } })
  },
)
