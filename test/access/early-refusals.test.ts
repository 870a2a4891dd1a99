import { setTimeout as wait } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Dispatcher } from '../../src/api/dispatch.ts'
import { agentToken } from '#support/gateway/agents.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { recordingLog } from '#support/recording-log.ts'
import { dial, statusOf } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'

const log = recordingLog()
let home: TestHome
beforeAll(async () => {
  home = await TestHome.open('http', { log })
})
afterAll(() => home[Symbol.asyncDispose]())

/** Head of a request whose body of `bytes` follows later. */
function headOf(method: string, path: string, token: string | null, bytes: number, more = ''): string {
  const authorization = token === null ? '' : `Authorization: Bearer ${token}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${bytes}\r\n${more}\r\n`
}

/** Start of a JSON body, sent whole or in chunks. */
const BODY_BEGINS = /\r\n\r\n(?:[0-9a-f]+\r\n)?\{/

/** Reads the first response on a connection up to the start of its body. */
async function firstResponse(socket: TLSSocket): Promise<string> {
  let received = ''
  for await (const chunk of socket) {
    received += String(chunk)
    if (BODY_BEGINS.test(received)) return received
  }
  return received
}

const LARGE = 200 * 1024

describe('a request whose body has not arrived', () => {
  proves(['refusals.authentication-first'], 'is refused at once if its body cannot change the refusal', async () => {
    const narrow = await home.integrate({ expose: ['room:study'] })
    const own = home.at('study-lamp', '', narrow)
    const hidden = home.at('hall-light', '/control', narrow)
    const requests = [
      ['POST', home.at('hall-light', '/control'), null, 401],
      ['POST', '/v1/nothing', null, 401],
      ['POST', '/v1/scenes', 'hm_nobody', 401],
      ['GET', '/v1/stream', null, 401],
      ['POST', '/mcp', null, 401],
      ['POST', '/mcp', home.main.token, 401],
      ['POST', '/v1/nothing', home.main.token, 404],
      ['POST', '/v1/house', home.main.token, 405],
      ['POST', '/v1/rooms', home.main.token, 403],
      ['POST', hidden, narrow.token, 404],
      ['PATCH', own, narrow.token, 404],
      ['POST', '/v1/automations', narrow.token, 403],
    ] as const
    for (const [method, path, token, status] of requests) {
      using socket = asDisposable(await dial(home.access(null)))
      socket.write(headOf(method, path, token, LARGE))
      expect([method, path, statusOf(await firstResponse(socket))]).toEqual([method, path, status])
    }
  })

  proves(['refusals.authentication-first'], 'leaves its connection usable after the refusal', async () => {
    using socket = asDisposable(await dial(home.access(null)))
    const path = home.at('hall-light', '/control')
    socket.write(headOf('POST', path, null, LARGE))
    const about = 'GET /v1/about HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    setImmediate(() => socket.write(Buffer.concat([Buffer.alloc(LARGE, 0x20), Buffer.from(about)])))
    let received = ''
    for await (const chunk of socket) received += String(chunk)
    expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  })
})

describe('a request whose body arrives late', () => {
  const RENAME = '{"name":"Late"}'

  /** Sends a rename whose head comes before `change` and whose body after it. */
  async function rename(who: TestIntegration, change: () => Promise<void>): Promise<number> {
    using socket = asDisposable(await dial(home.access(null)))
    // The response to `Expect` shows that the gateway has read the head.
    socket.write(headOf('PATCH', home.at('hall-light', '', who), who.token, RENAME.length, 'Expect: 100-continue\r\n'))
    let received = ''
    for await (const chunk of socket) {
      received += String(chunk)
      if (received === 'HTTP/1.1 100 Continue\r\n\r\n') {
        await change()
        socket.write(RENAME)
      } else if (BODY_BEGINS.test(received)) break
    }
    return statusOf(received.replace('HTTP/1.1 100 Continue\r\n\r\n', ''))
  }

  proves(
    ['refusals.authentication-first'],
    'is checked against the permissions at the arrival of its body',
    async () => {
      const who = await home.integrate({ expose: ['room:hall'], settings: { structural: 'on' } })
      const named = async (): Promise<unknown> =>
        ((await home.get(home.at('hall-light'))) as { device: { name: unknown } }).device.name
      const before = await named()
      expect(await rename(who, () => home.change(who, { settings: { structural: 'off' } }))).toBe(403)
      await home.change(who, { settings: { structural: 'on' } })
      expect(await rename(who, () => home.change(who, { expose: ['room:study'] }))).toBe(404)
      await home.change(who, { expose: ['room:hall'] })
      expect(await rename(who, () => home.change(who, { enabled: false }))).toBe(403)
      await home.change(who, { enabled: true })
      expect(await named()).toEqual(before)
      expect(await rename(who, () => wait(1))).toBe(200)
    },
  )
})

describe('a request whose body comes with its head', () => {
  it('is admitted once', async () => {
    const admitted = vi.spyOn(Dispatcher.prototype, 'identify')
    onTestFinished(() => admitted.mockRestore())
    using socket = asDisposable(await dial(home.access(null)))
    const body = '{"name":"At once"}'
    socket.write(headOf('PATCH', home.at('hall-light'), home.main.token, body.length) + body)
    expect(statusOf(await firstResponse(socket))).toBe(200)
    expect(admitted).toHaveBeenCalledTimes(1)
  })
})

describe('a body that is cut off', () => {
  proves('requests.malformed', 'leaves no defect in the log and no open connection', async () => {
    const who = await home.integrate({ settings: { agent_access: 'on' } })
    const agent = await agentToken(home, who)
    for (const [path, token] of [
      ['/mcp', agent],
      ['/v1/scenes', who.token],
    ] as const) {
      using socket = asDisposable(await dial(home.access(null)))
      socket.write(headOf('POST', path, token, LARGE, 'Expect: 100-continue\r\n'))
      for await (const chunk of socket) if (String(chunk).includes('100 Continue')) break
      socket.destroy()
    }
    expect((await home.call({ method: 'GET', path: '/v1/integration' })).status).toBe(200)
    expect(log.sentences('error')).toEqual([])
  })
})

function asDisposable(socket: TLSSocket): TLSSocket & Disposable {
  return Object.assign(socket, { [Symbol.dispose]: () => void socket.destroy() })
}
