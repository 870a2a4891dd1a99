import { once } from 'node:events'
import { expect, it } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { dial } from '#support/gateway/raw-client.ts'

/** Many more than are answered at once. */
const CLIENTS = 12
const NAME = JSON.stringify({ name: 'Lantern' })

it('clients that end their side with their request are all heard', async () => {
  await using home = await TestHome.open('http')
  const head = `Host: localhost\r\nAuthorization: Bearer ${home.main.token}\r\n`
  const get = `GET ${home.at('hall-light')} HTTP/1.1\r\n${head}\r\n`
  const rename = `PATCH ${home.at('hall-light')} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${NAME.length}\r\n\r\n${NAME}`
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => dial(home.access(null))))
  const heard = sockets.map(async (socket) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    return Buffer.concat(chunks).toString().slice(0, 'HTTP/1.1 200'.length)
  })
  // The last of them changes something: nobody hears the answer, but it is made.
  for (const [index, socket] of sockets.entries()) socket.end(index === CLIENTS - 1 ? rename : get)
  expect((await Promise.all(heard)).slice(0, -1)).toEqual(Array(CLIENTS - 1).fill('HTTP/1.1 200'))
  expect(await home.get(home.at('hall-light'))).toMatchObject({ device: { name: 'Lantern' } })
})
