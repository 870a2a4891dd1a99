import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { browserTransport, connect } from '../../client/src/browser.ts'
import { proves } from '#support/gateway/verifies.ts'

proves('client.browser', 'a page sends its header with each request, and its protocols with the stream', async () => {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.setHeader('content-type', 'application/json').end('{"house":"Elm","devices":[]}')
  })
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false })
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    requests.push(request)
    socket.on('message', () =>
      socket.send(JSON.stringify({ id: 'subscribe', status: 200, body: { house: 'Elm', subscribed: [], seq: 1 } })),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close().closeAllConnections()
  })

  let half = 'first'
  const client = connect({
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/admin/home`,
    stream: '/admin/v1/stream',
    headers: () => ({ 'X-HM-Session': half }),
    protocols: () => ['hm', `hm-session.${half}`],
  })
  expect(await client.state()).toEqual({ house: 'Elm', devices: [] })
  half = 'second'
  await client.state()
  const following = client.follow(['*', 'approvals'])
  expect((await following.next()).value).toMatchObject({ event: 'connection', connected: true })
  await following.return()
  expect(requests.map(({ url, headers }) => [url, headers['x-hm-session'], headers['sec-websocket-protocol']])).toEqual(
    [
      ['/admin/home/v1/state', 'first', undefined],
      ['/admin/home/v1/state', 'second', undefined],
      ['/admin/v1/stream', undefined, 'hm, hm-session.second'],
    ],
  )
})

proves('client.browser', 'a request says itself how long its answer is waited for', async () => {
  const server = createServer(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  const { request } = browserTransport({ base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  await expect(
    request({ method: 'POST', path: '/', headers: {}, body: null, signal: undefined, waitMs: 20 }),
  ).rejects.toMatchObject({ name: 'ConnectionError', isSent: true })
})

proves(
  'client.package',
  'a browser refuses a connection code and its parts, and never asks its own origin instead',
  () => {
    const withoutTypes = connect as (target: unknown) => unknown
    for (const target of ['hmc1_code', 7, null])
      expect(() => withoutTypes(target)).toThrow('does not take a connection code')
    for (const target of [{ url: 'https://localhost:8490', token: 't' }, { fingerprint: 'AB' }, ['hmc1_code']])
      expect(() => withoutTypes(target)).toThrow('Connect in Node by a connection code or its parts.')
    expect(() => connect()).not.toThrow()
  },
)
