import { describe, expect } from 'vitest'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'

type Found =
  | 'home'
  | 'device'
  | 'no such path'
  | 'no such thing'
  | 'allow GET, HEAD'
  | 'allow GET, HEAD, PATCH'
  | 'allow POST'

const A_DEVICE = 'SERIAL:INTEGRATION:hall-light'
const LONG = 'a'.repeat(256)

/**
 * Results of different spellings of a path. `SERIAL:INTEGRATION` stands for the gateway and the integration of the
 * test.
 */
const PATHS: readonly (readonly [method: string, path: string, found: Found])[] = [
  ['GET', '/v1/integration', 'home'],
  ['GET', '/v1/%69ntegration', 'home'],
  ['GET', '/%76%31/%69ntegration', 'home'],
  ['GET', '/v1/integration?', 'home'],
  ['GET', '/v1/Integration', 'no such path'],
  ['GET', '/V1/integration', 'no such path'],
  ['GET', '/v1/integration/', 'no such path'],
  ['GET', '/v1//integration', 'no such path'],
  ['GET', '//v1/integration', 'no such path'],
  ['GET', '/v1/integration//', 'no such path'],
  ['GET', '/v1/./integration', 'no such path'],
  ['GET', '/v1/../v1/integration', 'no such path'],
  ['GET', '/v1/integration%2f', 'no such path'],
  ['GET', '/v1%2fintegration', 'no such path'],
  ['GET', '/v1/integration;x=1', 'no such path'],
  ['GET', '/v1/integration#x', 'no such path'],
  ['GET', '/v1/integration%23x', 'no such path'],
  ['GET', '/v1/integration%3fx', 'no such path'],
  ['GET', '/v1/integration%', 'no such path'],
  ['GET', '/v1/%zz', 'no such path'],
  ['GET', '/%zz', 'no such path'],
  ['GET', '/', 'no such path'],
  ['GET', '/v1', 'no such path'],
  ['GET', '/v1/', 'no such path'],
  ['GET', '/v1/*', 'no such path'],
  ['GET', '/v1/:id', 'no such path'],
  ['GET', '/v1/stream/', 'no such path'],
  ['POST', '/v1/integration', 'allow GET, HEAD'],
  ['POST', '/v1/%69ntegration', 'allow GET, HEAD'],
  ['OPTIONS', '/v1/integration', 'allow GET, HEAD'],
  ['POST', '/v1/integration/', 'no such path'],
  // No scene, automation or schedule has such an id.
  ['GET', '/v1/scenes/try', 'allow POST'],
  ['PATCH', '/v1/scenes/%74ry', 'allow POST'],
  ['DELETE', '/v1/automations/try', 'allow POST'],
  ['OPTIONS', '/v1/schedules/try', 'allow POST'],
  ['GET', '/v1/scenes/try/', 'no such path'],

  ['GET', `/v1/devices/${A_DEVICE}`, 'device'],
  ['GET', `/v1/devices/${A_DEVICE.replaceAll(':', '%3A')}`, 'device'],
  ['GET', `/v1/devices/${A_DEVICE.replaceAll(':', '%3a')}`, 'device'],
  ['GET', `/v1/devices/${A_DEVICE.replace('hall', '%68all')}`, 'device'],
  ['GET', `/v1/devices/${A_DEVICE.replaceAll(':', '%253A')}`, 'no such thing'],
  ['GET', `/v1/devices/${A_DEVICE}#x`, 'no such thing'],
  ['GET', `/v1/devices/${A_DEVICE};x`, 'no such thing'],
  ['GET', `/v1/devices/${A_DEVICE}%00`, 'no such thing'],
  ['GET', `/v1/devices/${A_DEVICE}%20`, 'no such thing'],
  ['GET', `/v1/devices/${A_DEVICE}%2f`, 'no such thing'],
  ['GET', `/v1/devices/${A_DEVICE.toUpperCase()}`, 'no such thing'],
  ['GET', `/v1/devices/${A_DEVICE}/`, 'no such path'],
  ['GET', '/v1/devices/', 'no such path'],
  ['GET', '/v1/devices//explain', 'no such path'],
  ['GET', '/v1/devices/%', 'no such thing'],
  ['GET', '/v1/devices/%zz', 'no such thing'],
  ['GET', '/v1/devices/%ff%fe', 'no such thing'],
  ['GET', '/v1/devices/%ed%a0%80', 'no such thing'],
  ['GET', '/v1/devices/%zz/explain', 'no such thing'],
  ['GET', '/v1/devices/%zz/nothing', 'no such path'],
  ['GET', '/v1/devices/%C3%A9', 'no such thing'],
  ['GET', '/v1/devices/%00', 'no such thing'],
  ['GET', '/v1/devices/%25', 'no such thing'],
  ['GET', '/v1/devices/-', 'no such thing'],
  ['GET', '/v1/devices/..', 'no such thing'],
  ['GET', '/v1/devices/..%2f..%2fetc%2fpasswd', 'no such thing'],
  ['GET', '/v1/devices/__proto__', 'no such thing'],
  ['GET', '/v1/devices/constructor', 'no such thing'],
  ['GET', `/v1/devices/${LONG}`, 'no such thing'],
  ['GET', `/v1/devices/${LONG}a`, 'no such thing'],
  ['GET', `/v1/devices/${LONG}a/explain`, 'no such thing'],
  ['GET', `/v1/devices/${LONG.replaceAll('a', '%61')}`, 'no such thing'],
  ['GET', `/v1/devices/${'%41'.repeat(600)}`, 'no such thing'],
  ['GET', `/v1/devices/${'a'.repeat(1_900)}`, 'no such thing'],
  ['GET', `/v1/${'a'.repeat(1_900)}`, 'no such path'],
  ['POST', '/v1/devices/%zz', 'allow GET, HEAD, PATCH'],
  ['POST', `/v1/devices/${LONG}a`, 'allow GET, HEAD, PATCH'],
  ['POST', '/v1/devices/', 'no such path'],
  ['DELETE', '/v1/devices/%zz', 'no such thing'],
  ['DELETE', `/v1/devices/${LONG}a`, 'no such thing'],
]

describe('a path', () => {
  verifies(
    ['requests.unknown-path', '7.not-found'],
    'leads to the same endpoint in every spelling and over every transport',
    { tags: ['long'] },
    async (home) => {
      const found: unknown[] = []
      // At the relay this path is the first page.
      const isPage = (path: string): boolean => home.isRelayed && home.transport === 'http' && path === '/'
      const paths = PATHS.filter(([, path]) => !isPage(path))
      for (const [method, path] of paths) found.push([method, path, await lead(home, method, path)])
      // The stream has no headers, so it cannot list the methods.
      const reported = (what: Found): string =>
        home.transport === 'stream' ? what.replace(/^allow .*/, 'allow') : what
      expect(found).toEqual(paths.map(([method, path, what]) => [method, path, reported(what)]))
    },
  )

  verifies(['requests.unknown-path'], 'that does not begin with a slash leads nowhere', async (home) => {
    // Over HTTP this is the absolute form of an address: test/relay/request-lines.test.ts.
    if (home.transport === 'http') return
    for (const path of ['https://localhost/v1/integration', 'v1/integration', '*'])
      expect(await lead(home, 'GET', path)).toBe('no such path')
  })
})

/** Destination of a path, derived only from the response. */
async function lead(home: TestHome, method: string, path: string): Promise<string> {
  const own = path
    .replaceAll('SERIAL:INTEGRATION', home.id('').slice(0, -1))
    .replaceAll(/SERIAL(%3A|%3a|%253A)INTEGRATION/g, `${home.running.gateway.serial}$1${home.main.id}`)
  const { status, body, allow } = await rawAnswer(home, method, own)
  const { error, device } = body as { error?: { message: string }; device?: { name: string } }
  if (status === 200) return device ? 'device' : 'home'
  if (status === 405) return allow === undefined ? 'allow' : `allow ${allow}`
  if (status !== 404) return `${status}`
  return error?.message.startsWith('There is no such path') ? 'no such path' : 'no such thing'
}

async function rawAnswer(
  home: TestHome,
  method: string,
  path: string,
): Promise<{ status: number; body: unknown; allow?: string | undefined }> {
  if (home.transport === 'http') {
    const headers = { authorization: `Bearer ${home.main.token}` }
    const answer = await rawRequest(home.access(null), { method, path, headers })
    return { ...answer, allow: answer.headers?.['allow'] }
  }
  const socket = await home.socket()
  const answer = JSON.parse(await socket.ask('odd', { id: 'odd', method, path })) as { status: number; body: unknown }
  socket.close()
  return answer
}
