// @module-tag long
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { systemClock } from '../../src/lib/clock.ts'

/** Longer than a download may take, so that each address times out once. */
const HANG_MS = 25_000
const REQUESTS_MIN = 400
/** Names of servers on this machine, which take a connection and say nothing. */
const outsideNetwork = {
  allowed: ['127.0.0.1'],
  resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
}
const verifies = verifiesAlone(() => ({ clock: systemClock, outsideNetwork }), { over: 'http' })

verifies(
  'automations.calendar-address',
  'prints the time of requests while 18 addresses of calendars hang for 25 seconds',
  { tags: ['long'], timeout: 3 * HANG_MS },
  async (home) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { house, calendars } = home.running.gateway.home
    const hanging = Array.from({ length: 18 }, (_, index) => ({
      ...{ id: `far-${index}`, name: `Far ${index}` },
      url: `https://calendar.example:${port}/${index}.ics`,
    }))
    house.setCalendars([...house.calendars.values(), ...hanging], 'calendars added', { source: 'person', name: 'Anna' })
    await expect.poll(() => sockets.size).toBe(hanging.length)
    const taken: number[] = []
    const end = performance.now() + HANG_MS
    while (performance.now() < end) {
      const began = performance.now()
      await home.get(taken.length % 2 === 0 ? '/v1/house' : '/v1/calendars')
      taken.push(performance.now() - began)
    }
    const sorted = taken.toSorted((a, b) => a - b)
    const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? 0
    const [p50, p99, max] = [at(0.5), at(0.99), at(1)].map((ms) => ms.toFixed(1))
    console.log(`18 hanging calendars: ${taken.length} requests, p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`)
    expect(taken.length).toBeGreaterThan(REQUESTS_MIN)
    expect(at(0.99)).toBeLessThanOrEqual(100)
    expect(calendars.statusOf('far-0').problem).toContain('it did not answer within 20 seconds')
    for (const socket of sockets) socket.destroy()
    server.close()
  },
)
