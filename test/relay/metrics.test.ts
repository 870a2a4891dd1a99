import { describe, expect } from 'vitest'
import { BusUnavailable } from '../../relay/bus/bus.ts'
import { counted } from '../../relay/model/counted.ts'
import { MemoryBus, MemoryHub } from '../../relay/bus/memory-bus.ts'
import { RelayMetrics } from '../../relay/metrics/metrics.ts'
import { SqliteStore } from '../../relay/store/sqlite-store.ts'
import { StoreUnavailable } from '../../relay/store/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }

/** Values by name and labels. */
async function read(port: number | null): Promise<Map<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const rows = (await answer.text()).split('\n').filter((row) => row !== '' && !row.startsWith('#'))
  return new Map(rows.map((row) => [row.slice(0, row.lastIndexOf(' ')), Number(row.slice(row.lastIndexOf(' ') + 1))]))
}

describe('the metrics', () => {
  proves(
    'relay.metrics',
    'count tunnels, handshakes, requests, their durations, and offline homes',
    { tags: ['long'] },
    async () => {
      const { relay, home, through } = await relayedHome({ metricsPort: 0 })
      const { metricsPort } = relay.relay
      await through.call(HOUSE)
      await through.call({ ...HOUSE, token: null })
      await through.call({ ...HOUSE, token: home.main.token.replace(/_[a-z0-9]{12}\./, '_zzzzzzzzzzzz.') })
      const now = await read(metricsPort)
      expect(Object.fromEntries(now)).toMatchObject({
        'hm_relay_tunnels{state="linked"}': 1,
        'hm_relay_tunnels{state="unlinked"}': 0,
        hm_relay_streams: 0,
        'hm_relay_handshakes_total{outcome="proved"}': 1,
        'hm_relay_requests_total{route="/v1/house",status="200"}': 1,
        'hm_relay_requests_total{route="/v1/house",status="401"}': 1,
        'hm_relay_requests_total{route="/v1/house",status="503"}': 1,
        hm_relay_offline_total: 1,
        hm_relay_timeouts_total: 0,
        hm_relay_gateway_seconds_count: 1,
        'hm_relay_gateway_seconds_bucket{le="+Inf"}': 1,
        hm_relay_store_errors_total: 0,
      })
      expect(now.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
      await home.running.admin.call('DELETE', '/relay')
      while ((await read(metricsPort)).get('hm_relay_tunnels{state="linked"}') !== 0);
      expect((await read(metricsPort)).get('hm_relay_tunnels_ended_total{reason="closed"}')).toBe(1)
    },
  )

  proves('relay.metrics', 'count the outcomes of hosted agents’ sign-ins', async () => {
    const { relay } = await relayedHome({ linked: false, metricsPort: 0 })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'grant_type=refresh_token&refresh_token=x&client_id=nobody'
    await rawRequest(relay.access(null), { method: 'POST', path: '/token', headers, body })
    const document = JSON.stringify({ redirect_uris: ['https://agents.example/'], token_endpoint_auth_method: 'none' })
    const json = { 'content-type': 'application/json' }
    await rawRequest(relay.access(null), { method: 'POST', path: '/register', headers: json, body: document })
    expect(Object.fromEntries(await read(relay.relay.metricsPort))).toMatchObject({
      'hm_relay_oauth_total{step="token",outcome="invalid_client"}': 1,
      'hm_relay_oauth_total{step="register",outcome="success"}': 1,
    })
  })

  proves('relay.metrics', 'count failures of the store and the bus, and nothing else', async () => {
    const metrics = new RelayMetrics()
    const file = new SqliteStore(':memory:', systemClock)
    const store = counted(file, () => metrics.storeErrors.add())
    await store.create('facts', 'one', {})
    await store.close()
    await expect(store.get('facts', 'one')).rejects.toThrow(StoreUnavailable)
    const hub = new MemoryHub()
    const bus = counted(new MemoryBus(hub), () => metrics.busErrors.add())
    expect(await bus.request('nobody', {})).toBeNull()
    hub.isUp = false
    await expect(bus.request('nobody', {})).rejects.toThrow(BusUnavailable)
    expect(metrics.text()).toMatch(/^hm_relay_store_errors_total 1$/m)
    expect(metrics.text()).toMatch(/^hm_relay_bus_errors_total 1$/m)
  })

  proves('relay.metrics', 'are served on loopback at one path', { tags: ['long'] }, async () => {
    const { relay } = await relayedHome({ linked: false, metricsPort: 0 })
    const at = `http://127.0.0.1:${relay.relay.metricsPort}`
    expect([(await fetch(at)).status, (await fetch(`${at}/metrics`, { method: 'POST' })).status]).toEqual([404, 404])
  })

  proves('relay.metrics', 'have a limit of labels', () => {
    const metrics = new RelayMetrics()
    for (let route = 0; route < 5_000; route += 1) metrics.requests.add({ route: `/"${route}\n\\`, status: 200 })
    const rows = metrics
      .text()
      .split('\n')
      .filter((row) => row.startsWith('hm_relay_requests_total'))
    expect(rows).toHaveLength(4_001)
    expect(rows[0]).toBe('hm_relay_requests_total{route="/\\"0\\n\\\\",status="200"} 1')
    expect(rows.at(-1)).toBe('hm_relay_requests_total 1000')
  })
})
