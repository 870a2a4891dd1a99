import { once } from 'node:events'
import { describe, expect } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { dial } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'

const NAME = JSON.stringify({ name: 'Lantern' })

describe('a stopping gateway', () => {
  proves('administration.stop', 'answers the requests that have arrived, then closes the connection', async () => {
    await using home = await TestHome.open('http')
    const head = `Host: localhost\r\nAuthorization: Bearer ${home.main.token}\r\n`
    const json = `Content-Type: application/json\r\nContent-Length: ${NAME.length}\r\n`
    const socket = await dial(home.access(null))
    socket.write(`PATCH ${home.at('hall-light')} HTTP/1.1\r\n${head}Expect: 100-continue\r\n${json}\r\n`)
    const [goOn] = (await once(socket, 'data')) as [Buffer]
    expect(goOn.toString()).toContain('100 Continue')
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    const ended = once(socket, 'close')
    const stopped = home.running.gateway.stop()
    socket.write(`${NAME}GET /v1/integration HTTP/1.1\r\n${head}\r\n`)
    await ended
    const [renamed = '', read = ''] = received.split(/(?=HTTP\/1\.1 )/)
    expect(renamed).toMatch(/^HTTP\/1\.1 200 [\s\S]*"name":"Lantern"/)
    expect(read).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n[\s\S]*"house":/)
    await stopped
  })
})
