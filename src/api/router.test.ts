import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Router } from './router.ts'

const ROUTER = new Router([
  { method: 'GET', path: '/v1/devices/:id', target: 'device' },
  { method: 'PATCH', path: '/v1/devices/:id', target: 'renaming' },
  { method: 'GET', path: '/v1/scenes/try', target: null },
  { method: 'GET', path: '/v1/scenes/:id', target: 'scene' },
])

it('returns the same match for a known path, separately for each method', () => {
  for (let round = 0; round < 2; round += 1) {
    expect(ROUTER.find('GET', '/v1/devices/a%3Ab')).toEqual({ target: 'device', params: { id: 'a:b' } })
    expect(ROUTER.find('PATCH', '/v1/devices/a%3Ab')).toEqual({ target: 'renaming', params: { id: 'a:b' } })
    expect(ROUTER.find('POST', '/v1/devices/a%3Ab')).toBeNull()
    expect(ROUTER.find('GET', '/v1/scenes/try')).toBeNull()
    expect(ROUTER.find('GET', `/v1/scenes/${'s'.repeat(250)}`)).toMatchObject({ target: 'scene' })
  }
})

it('caches paths up to its limits of number and length', () => {
  const router = new Router([{ method: 'GET', path: '/v1/scenes/:id', target: 'scene' }])
  const first = router.find('GET', '/v1/scenes/0')
  expect(router.find('GET', '/v1/scenes/0')).toBe(first)
  for (let scene = 1; scene <= 1_000; scene += 1)
    expect(router.find('GET', `/v1/scenes/${scene}`)).toEqual({ target: 'scene', params: { id: String(scene) } })
  const again = router.find('GET', '/v1/scenes/0')
  expect(again).toEqual(first)
  expect(again).not.toBe(first)
  const long = `/v1/scenes/${'s'.repeat(256)}`
  expect(router.find('GET', long)).not.toBe(router.find('GET', long))
})

it('keeps of an address its path alone, however long the query was that came with it', { tags: ['long'] }, () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const router = new Router([{ method: 'GET', path: '/v1/scenes/:id', target: 'scene' }])
  collect()
  const before = process.memoryUsage().heapUsed
  for (let scene = 0; scene < 1_000; scene += 1) {
    const path = `/v1/scenes/a-scene-of-some-name-${scene}`
    const url = Buffer.from(`${path}?${'q'.repeat(8_000)}`).toString('latin1')
    router.find('GET', url.slice(0, path.length))
  }
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000)
  expect(router.find('GET', '/v1/scenes/a')).toMatchObject({ target: 'scene' })
})
