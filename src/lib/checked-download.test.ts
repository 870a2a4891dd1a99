import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { checkedDownload, DOWNLOAD_TIMEOUT_MS } from './checked-download.ts'
import type { RequestParts } from './checked-request.ts'

const BYTES_MAX = 1_048_576
let server: Server
const requests: string[] = []
const clock = new ManualClock()
const allowed: Omit<RequestParts, 'clock'> = { allowed: ['127.0.0.1'] }

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    if (path === '/hangs') return
    const moved = /^\/to\/(.*)$/.exec(path)?.[1]
    if (moved !== undefined) return void response.writeHead(302, { location: decodeURIComponent(moved) }).end()
    if (path === '/large') return void response.end('x'.repeat(BYTES_MAX + 1))
    response.writeHead(path === '/gone' ? 410 : 200).end('BEGIN:VCALENDAR')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close().closeAllConnections())

const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const read = (path: string, parts: Omit<RequestParts, 'clock'> = allowed) =>
  checkedDownload(new URL(path, base()), BYTES_MAX, { clock, ...parts })
const to = (path: string): string => `/to/${encodeURIComponent(path)}`

test('a download has the text, also behind three redirects', async () => {
  expect(await read('/a.ics')).toEqual({ ok: true, value: 'BEGIN:VCALENDAR' })
  expect(await read(to(to(to('/a.ics'))))).toEqual({ ok: true, value: 'BEGIN:VCALENDAR' })
  expect(await read(to(to(to(to('/a.ics')))))).toEqual({
    ok: false,
    error: 'it leads to another address more than 3 times',
  })
})

test('a download goes to no address of this machine, also behind a redirect', async () => {
  const refused = { ok: false, error: 'its host is this machine, or has no address in a network' }
  expect(await read('/own', {})).toEqual(refused)
  expect(requests).not.toContain('/own')
  for (const host of ['169.254.169.254', '[::1]', 'localhost'])
    expect(await read(to(`http://${host}/hidden`), { ...allowed, resolve: () => Promise.resolve([]) })).toMatchObject({
      ok: false,
    })
  expect(await read(to('http://127.8.8.8/hidden'))).toEqual(refused)
  expect(await read(to('file:///etc/passwd'))).toEqual({ ok: false, error: 'it leads to an address without https' })
})

test('a download has bounds of size and time, and tells other answers', async () => {
  expect(await read('/large')).toEqual({ ok: false, error: 'it sent more than 1 MiB' })
  expect(await read('/gone')).toEqual({ ok: false, error: 'it answered 410' })
  const late = read('/hangs')
  await expect.poll(() => requests).toContain('/hangs')
  clock.advance(DOWNLOAD_TIMEOUT_MS)
  expect(await late).toEqual({ ok: false, error: 'it did not answer within 20 seconds' })
})
