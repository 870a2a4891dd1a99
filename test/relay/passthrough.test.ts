import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'
import { Browser } from '#support/relay/browser.ts'
import { HttpCaller, TestSocket } from '#support/gateway/callers.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { proves } from '#support/gateway/verifies.ts'
import { endToEnd, ownName, reached, unreached } from '#support/relay/end-to-end.ts'
import { expectStreamUntilOff } from '#support/relay/expect-stream-until-off.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { LineBetween } from '#support/relay/line-between.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { sharedRelayedHome } from '#support/relay/relayed-home.ts'
import { severalNodes } from '#support/relay/several-nodes.ts'
import type { RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }

interface Keys {
  readonly keys: readonly { readonly integration: string; readonly lastUsed: { readonly via: string } | null }[]
}

/** The last example of docs/relay.md in this language. */
function example(language: string): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/relay.md'), 'utf8')
  return [...page.matchAll(/```(\w+)\n([\s\S]+?)```/g)].findLast(([, of]) => of === language)?.[2] ?? ''
}

/** A TLS handshake with the relay; rejects with the alert. */
function handshake({ relay }: TestRelay, options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: relay.port, ...options }, () => resolve(socket))
    socket.once('error', reject)
    onTestFinished(() => void socket.destroy())
  })
}

describe('a client whose TLS ends at the gateway', () => {
  const shared = sharedRelayedHome()

  proves(['end-to-end.served', 'end-to-end.cloud'], 'is served as at home, as a client from outside', async () => {
    const { home, inside, access } = await endToEnd('on', shared)
    await home.running.still(async () => expect((await inside.call(HOUSE)).text).toBe((await home.call(HOUSE)).text))
    expect(await inside.send('GET', '/v1/gateway/tls', { body: undefined })).toMatchObject({ status: 404 })
    await inside.call(HOUSE)
    const { keys } = await home.running.admin.call<Keys>('GET', '/keys')
    expect(keys.find(({ integration }) => integration === home.main.id)?.lastUsed?.via).toBe('cloud')
    await expectStreamUntilOff(home, access)
    expect(await inside.call(HOUSE)).toMatchObject({ status: 403, body: { error: { code: 'cloud_access_disabled' } } })
    expect((await home.call(HOUSE)).status).toBe(200)
  })

  proves('end-to-end.unread', 'shows the relay only the name of the gateway', async () => {
    const { relay, home, access } = await endToEnd('on', shared)
    const line = await LineBetween.to(relay.relay.port)
    const inside = new HttpCaller({ ...access, url: `https://127.0.0.1:${line.port}` })
    onTestFinished(() => inside[Symbol.asyncDispose]())
    const { text } = await inside.send('GET', '/v1/house', { body: undefined, accept: 'c0ffee' })
    expect(text).toContain('Living room')
    const passed = Buffer.concat(line.passed)
    expect(passed.length).toBeGreaterThan(text.length)
    const seen = (what: string): boolean => passed.includes(what)
    expect(seen(ownName(home))).toBe(true)
    expect([home.main.token, 'Bearer', 'GET /', 'c0ffee', 'Living room'].filter(seen)).toEqual([])
  })

  test('gets the same from the console as from an unknown path, whatever the relay says of its address', async () => {
    const { home, inside } = await endToEnd('on', shared)
    const invented = await inside.send('GET', '/nowhere', { body: undefined })
    expect(invented).toMatchObject({ status: 404 })
    for (const path of ['/console/', '/console', '/console/session', '/admin/v1/status', '/admin/home/v1/house']) {
      const { status, text } = await inside.send('GET', path, { body: undefined, accept: 'text/html' })
      expect([status, text], path).toEqual([404, invented.text])
    }
    const atHome = new HttpCaller(home.access(null))
    onTestFinished(() => atHome[Symbol.asyncDispose]())
    expect(await atHome.send('GET', '/console', { body: undefined })).toMatchObject({ status: 303 })
  })

  proves('console.at-home', 'has no access to the console, even with a valid session', async () => {
    const { relay, home } = await endToEnd('on', shared)
    using visitor = new ConsoleVisitor(home.running)
    const { cookie, half } = await visitor.signInByLink()
    const host = ownName(home)
    const { ca } = home.access(null)
    const secrets = { host, origin: `https://${host}`, cookie: `${visitor.cookieName}=${cookie}`, 'x-hm-session': half }
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': `hm, hm-session.${half}`,
    }
    for (const [path, headers] of [
      ['/admin/v1/session', secrets],
      ['/admin/home/v1/house', secrets],
      ['/admin/v1/stream', { ...secrets, ...upgrade }],
    ] as const) {
      const socket = await handshake(relay, { ca, servername: host })
      const lines = Object.entries({ ...headers, ...('upgrade' in headers ? {} : { connection: 'close' }) })
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
      const [head] = (await once(socket, 'data')) as [Buffer]
      expect([path, head.toString().split(' ')[1]]).toEqual([path, '401'])
    }
    expect((await visitor.as({ cookie, half, session: '' }, 'GET', '/admin/v1/session')).status).toBe(200)
  })

  test('gets only TLS 1.3, and only from the gateway', async () => {
    const { relay, home } = await endToEnd('on', shared)
    const { ca } = home.access(null)
    const servername = ownName(home)
    await expect(handshake(relay, { ca, servername, maxVersion: 'TLSv1.2' })).rejects.toThrow('protocol version')
    await expect(handshake(relay, { ca: relay.ca, servername })).rejects.toThrow('certificate')
    const socket = await handshake(relay, { ca, servername: servername.toUpperCase(), ALPNProtocols: ['http/1.1'] })
    expect([socket.getProtocol(), socket.authorized, socket.alpnProtocol]).toEqual(['TLSv1.3', true, 'http/1.1'])
    const older = await handshake(relay, { ca, servername, ALPNProtocols: ['http/1.0'] })
    expect(older.alpnProtocol).toBe('http/1.0')
  })

  test('gets the gateway’s renewed certificate at once', async () => {
    const { relay, home } = await endToEnd('on', shared)
    const { ca } = home.access(null)
    const certificateSerial = async () =>
      (await handshake(relay, { ca, servername: ownName(home) })).getPeerCertificate().fingerprint256
    const before = await certificateSerial()
    expect(await certificateSerial()).toBe(before)
    await home.running.admin.call('POST', '/tls/renew')
    expect(await certificateSerial()).not.toBe(before)
  })

  test('needs only curl or a few lines of code, as the page says', { tags: ['long'] }, async () => {
    const { relay, home } = await endToEnd('on', shared)
    const dir = tempFolder()
    writeFileSync(join(dir, 'ca.pem'), home.access(null).ca)
    writeFileSync(join(dir, 'client.mjs'), example('js'))
    const RELAY = `127.0.0.1:${relay.relay.port}`
    const env = { ...process.env, RELAY, GATEWAY: `https://${ownName(home)}:8490`, TOKEN: home.main.token }
    const follow = async (program: string, ...args: string[]): Promise<string> =>
      (await promisify(execFile)(program, args, { cwd: dir, env: { ...env, NO_PROXY: '*', no_proxy: '*' } })).stdout
    const isThere = await follow('curl', '--version').then(
      () => true,
      () => false,
    )
    // The house does not change between the responses, even if a program takes long to start.
    await home.running.still(async () => {
      const { text } = await home.call(HOUSE)
      expect(await follow(process.execPath, 'client.mjs')).toBe(text)
      if (isThere) expect(await follow('sh', '-c', example('sh'))).toBe(text)
    })
  })

  proves(
    'end-to-end.refused',
    'gets the same alert for a home that refuses it, is offline or does not exist',
    async () => {
      const { relay, home, set, inside } = await endToEnd('on')
      const knock = (servername: string): Promise<unknown> =>
        expect(handshake(relay, { ca: relay.ca, servername })).rejects.toThrow('unrecognized name')
      await set('off')
      await unreached(inside)
      await knock(ownName(home))
      await knock('hm-zzzzzzzzzzzz.local')
      await home.running.admin.call('DELETE', '/relay')
      await knock(ownName(home))
    },
  )
})

describe('a home with end-to-end connections', () => {
  proves(
    'end-to-end.only',
    'and no others refuses requests that the relay could read, and ends open ones',
    async () => {
      const { relay, home, through, inside, set } = await endToEnd('on')
      expect((await through.call(HOUSE)).status).toBe(200)
      const readable = await TestSocket.open(relay.access(home.main.token))
      expect(await set('only')).toMatchObject({ state: 'linked', passthrough: 'only' })
      expect(await readable.ended).toBe(1001)
      const refused = { status: 421, body: { error: { code: 'misdirected_request' } } }
      expect(await through.send('GET', '/v1/house', { body: undefined })).toMatchObject(refused)
      expect(await through.send('POST', '/mcp', { body: {} })).toMatchObject(refused)
      await expect(TestSocket.open(relay.access(home.main.token))).rejects.toMatchObject({ answer: refused })
      expect((await inside.call(HOUSE)).status).toBe(200)
    },
  )

  proves('end-to-end.no-name', 'and no others does not tell the relay its name', async () => {
    const { relay, set } = await endToEnd('on')
    const { fetch, agent } = trustingFetch(relay.ca)
    onTestFinished(() => agent.destroy())
    const olga = new Browser(relay.relay.url, fetch)
    const form = { email: 'olga@example.org', password: 'correct horse battery' }
    const homes = await olga.submit(await olga.open('/signin'), 'Sign in', form)
    expect(homes.text).not.toContain('End-to-end connections only')
    await set('only')
    expect((await olga.open('/')).text).toContain('End-to-end connections only')
  })

  proves('end-to-end.kept', 'and no others keeps that setting at the next relay', { tags: ['long'] }, async () => {
    const { relay, home, through } = await endToEnd('only')
    const off = { state: 'off', url: null, passthrough: 'only' }
    expect(await home.running.admin.call<RelayAnswer>('DELETE', '/relay')).toMatchObject(off)
    expect(await relay.connect(home.running)).toMatchObject({ state: 'linked', passthrough: 'only' })
    expect((await through.call(HOUSE)).status).toBe(421)
  })

  test('that are switched off ends the open ones', { tags: ['long'] }, async () => {
    const { home, access, inside, through, set } = await endToEnd('only')
    const socket = await TestSocket.open(access)
    expect(await set('off')).toMatchObject({ passthrough: 'off' })
    expect(await socket.ended).toBe(1006)
    await unreached(inside)
    expect((await through.call(HOUSE)).status).toBe(200)
    await set('on')
    await reached(inside)
    expect(await home.running.admin.call<RelayAnswer>('GET', '/relay')).toMatchObject({ passthrough: 'on' })
  })
})

describe.skipIf(!HAS_NATS)('a relay of several nodes (needs nats-server)', () => {
  proves(
    'end-to-end.served',
    'carries a client’s own TLS to the home, even at a node without its tunnel',
    { tags: ['long'] },
    async () => {
      const { home, nodes, balancer } = await severalNodes(2)
      const [holder, other] = nodes as [TestRelay, TestRelay]
      balancer.ports = [holder.relay.port]
      await holder.serve(home.running)
      await home.running.admin.call('PUT', '/relay/passthrough', { mode: 'on' })
      const inside = new HttpCaller({ ...home.access(home.main.token), url: other.url, serverName: ownName(home) })
      onTestFinished(() => inside[Symbol.asyncDispose]())
      await reached(inside)
      expect((await inside.call(HOUSE)).text).toBe((await home.call(HOUSE)).text)
    },
  )
})
