import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { checkedPost, POST_TIMEOUT_MS } from './checked-post.ts'
import { isRefusedAddress, type RequestParts } from './checked-request.ts'

test.each([
  ...['127.0.0.1', '127.8.9.10', '0.0.0.0', '169.254.169.254', '224.0.0.251', '255.255.255.255', 'no address'],
  ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'ff02::fb', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  ...['::127.0.0.1', '64:ff9b::7f00:1', '::ffff:169.254.1.1', '::ffff:0.0.0.0'],
])('no request goes to %s', (address) => expect(isRefusedAddress(address)).toBe(true))

test.each(['192.168.1.5', '10.0.0.1', '8.8.8.8', 'fd00::1', '2001:db8::1', '::ffff:192.168.1.5', '64:ff9b::808:808'])(
  'requests may go to %s',
  (address) => expect(isRefusedAddress(address)).toBe(false),
)

describe('a request', () => {
  let server: Server
  const requests: string[] = []
  const clock = new ManualClock()
  const allowed: Omit<RequestParts, 'clock'> = { allowed: ['127.0.0.1'] }
  const post = (path: string, parts: Omit<RequestParts, 'clock'> = allowed, host = '127.0.0.1') => {
    const url = new URL(`http://${host}:${(server.address() as AddressInfo).port}${path}`)
    return checkedPost({ url, headers: { 'content-type': 'text/plain' }, body: 'smoke' }, { clock, ...parts })
  }

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request.url ?? '')
      if (request.url === '/hangs') return
      response.writeHead(request.url === '/moved' ? 302 : 204, { location: '/elsewhere' }).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => void server.close())

  test('is refused to this machine, whatever its name, before any connection', async () => {
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    for (const [parts, host] of [
      [{}, '127.0.0.1'],
      [{}, '2130706433'],
      [{}, 'localhost'],
      [{ resolve }, 'hook.example'],
    ] as const)
      expect(await post('/', parts, host)).toMatchObject({ kind: 'failed' })
    expect(requests).toEqual([])
  })

  test('goes to the address that was checked', async () => {
    const resolve = () =>
      Promise.resolve([
        { address: '169.254.1.1', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])
    expect(await post('/named', { ...allowed, resolve }, 'hook.example')).toEqual({ kind: 'answered', status: 204 })
  })

  test('follows no redirect', async () => {
    expect(await post('/moved')).toEqual({ kind: 'answered', status: 302 })
    expect(requests).not.toContain('/elsewhere')
  })

  test('ends after ten seconds', async () => {
    const result = post('/hangs')
    await expect.poll(() => requests).toContain('/hangs')
    clock.advance(POST_TIMEOUT_MS)
    expect(await result).toEqual({ kind: 'failed', reason: 'it did not answer within 10 seconds' })
  })

  test('reports a host that does not exist, or refuses', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))
    expect(await post('/', { resolve }, 'hook.example')).toEqual({ kind: 'failed', reason: 'its host was not found' })
    const url = new URL('http://127.0.0.1:9')
    expect(await checkedPost({ url, headers: {}, body: '' }, { clock, ...allowed })).toMatchObject({ kind: 'failed' })
  })
})
