import { performServerHandshake } from 'node:http2'
import { once } from 'node:events'
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Account } from '../../relay/accounts/account.ts'
import { TunnelUp } from '../../relay/nodes/node-messages.ts'
import { StoreUnavailable } from '../../relay/store/store.ts'
import { TUNNEL_PROTOCOL } from '../../src/wire/tunnel.ts'
import { relayedHome, type RelayedHome } from '#support/relay/relayed-home.ts'
import { freePort } from '#support/free-port.ts'
import { type RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { HttpCaller, TestSocket } from '#support/gateway/callers.ts'
import { proves } from '#support/gateway/verifies.ts'
import { hm } from '#support/gateway/cli.ts'
import { tempFolder } from '#support/temp-folder.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }

/** Repeats a request until its response has this status. */
async function until(through: HttpCaller, status: number): Promise<void> {
  while ((await through.call(HOUSE)).status !== status);
}

/** Opens a TLS connection with the protocol of tunnels. */
async function connectAsGateway({ relay, ca }: TestRelay): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: relay.port, ca, ALPNProtocols: [TUNNEL_PROTOCOL] })
  onTestFinished(() => void socket.destroy())
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  socket.once('error', reject)
  socket.once('secureConnect', () => resolve(socket))
  return promise
}

async function signedUp({ relay }: TestRelay, email: string): Promise<Account> {
  const made = await relay.accounts.signUp(
    { email, password: 'correct horse battery', invite: '' },
    { peer: '10.8.8.8' },
  )
  if (!made.ok) throw new Error(made.error.kind)
  return made.value.account
}

describe('a gateway at a relay', () => {
  test('is reachable only while an account is linked', { tags: ['long'] }, async () => {
    const { relay, home, through } = await relayedHome({ linked: false })
    const { link, state } = await relay.connect(home.running)
    expect([state, link?.url]).toEqual(['unlinked', `${relay.relay.url}/link`])
    expect((await through.call(HOUSE)).status).toBe(503)
    await relay.confirm(link?.code ?? '')
    expect(await home.running.admin.call<RelayAnswer>('GET', '/relay')).toMatchObject({
      state: 'linked',
      accounts: ['olga@example.org'],
      link: null,
    })
    expect((await through.call(HOUSE)).status).toBe(200)
    expect(await home.running.admin.call<RelayAnswer>('POST', '/relay/link')).toMatchObject({
      state: 'linked',
      link: { code: expect.stringMatching(/^\w{4}-\w{4}$/) as string },
    })
    expect(await home.running.admin.call<RelayAnswer>('POST', '/relay/unlink')).toMatchObject({
      state: 'unlinked',
      accounts: [],
    })
    expect((await through.call(HOUSE)).status).toBe(503)
  })

  test('reconnects by itself after a restart of the relay, and stays linked', { tags: ['long'] }, async () => {
    const [dataDir, port] = [tempFolder(), await freePort()]
    const first = await TestRelay.open({ dataDir, port })
    const home = await TestHome.open('http')
    onTestFinished(() => home[Symbol.asyncDispose]())
    await first.serve(home.running)
    await first[Symbol.asyncDispose]()
    const second = await TestRelay.open({ dataDir, port })
    onTestFinished(() => second[Symbol.asyncDispose]())
    const through = new HttpCaller(second.access(home.main.token))
    onTestFinished(() => through[Symbol.asyncDispose]())
    await home.running.hasten(until(through, 200))
    expect(await home.running.admin.call<RelayAnswer>('GET', '/relay')).toMatchObject({ state: 'linked' })
  })

  test('does not connect to a relay with another CA', { tags: ['long'] }, async () => {
    const { relay, home } = await relayedHome({ linked: false })
    const fingerprint = 'AB:'.repeat(31) + 'AB'
    await expect(home.running.admin.call('POST', '/relay', { url: relay.relay.url, fingerprint })).rejects.toThrow(
      'cannot prove that it is this relay',
    )
    await expect(home.running.admin.call('POST', '/relay', { url: relay.relay.url })).rejects.toThrow(
      'cannot prove that it is this relay',
    )
    expect(await home.running.admin.call<RelayAnswer>('GET', '/relay')).toMatchObject({ state: 'off' })
  })

  proves(
    'console.thrown-out',
    'does not connect if the session that requested it ends meanwhile',
    { tags: ['long'] },
    async () => {
      const { relay, home } = await relayedHome({ linked: false })
      using visitor = new ConsoleVisitor(home.running)
      const thief = await visitor.signInByLink()
      const [reached, sessionEnded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const line = createServer((from) => {
        const to = connectPlain(relay.relay.port, '127.0.0.1')
        for (const socket of [from, to]) socket.on('error', () => {})
        reached.resolve()
        void sessionEnded.promise.then(() => from.pipe(to).pipe(from))
      })
      onTestFinished(() => void line.close())
      await once(line.listen(0, '127.0.0.1'), 'listening')
      const url = `https://localhost:${(line.address() as AddressInfo).port}`
      const { fingerprint = null } = relay.relay.authority ?? {}
      const connecting = visitor.as(thief, 'POST', '/admin/v1/relay', { url, fingerprint })
      await reached.promise
      await home.running.admin.call('DELETE', `/sessions/${thief.session}`)
      sessionEnded.resolve()
      expect(await connecting).toMatchObject({ status: 401 })
      expect(await home.running.admin.call<RelayAnswer>('GET', '/relay')).toMatchObject({ state: 'off', url: null })
    },
  )

  test(
    'is unreachable once it disconnects, and linked again when it returns with its key',
    { tags: ['long'] },
    async () => {
      const { relay, home, through } = await relayedHome()
      await home.running.admin.call('DELETE', '/relay')
      await until(through, 503)
      expect(await relay.connect(home.running)).toMatchObject({ state: 'linked' })
      expect((await through.call(HOUSE)).status).toBe(200)
    },
  )

  proves(
    'relay.accounts',
    'knows its linked accounts, also after a reconnection and after an account left meanwhile',
    async () => {
      const { relay, home } = await relayedHome()
      const { enrolment, accounts } = relay.relay
      const before = await relay.connect(home.running)
      expect(before).toMatchObject({ state: 'linked', accounts: ['olga@example.org'] })
      const tom = await signedUp(relay, 'tom@example.org')
      const { link } = await home.running.admin.call<RelayAnswer>('POST', '/relay/link')
      expect((await enrolment.confirm(link?.code ?? '', tom, '10.9.9.9')).ok).toBe(true)
      await relay.relay.tunnels.settled()
      expect(await home.running.admin.call<RelayAnswer>('GET', '/relay')).toMatchObject({
        accounts: ['olga@example.org', 'tom@example.org'],
        link: null,
      })
      await home.running.admin.call('DELETE', '/relay')
      expect(await enrolment.unlink(home.running.gateway.serial, (await accounts.get(tom.id))!)).toBe(true)
      expect(await relay.connect(home.running)).toMatchObject({ state: 'linked', accounts: ['olga@example.org'] })
    },
  )

  proves('relay.counted', 'that disconnects during a welcome message is no longer counted', async () => {
    const { relay, home } = await relayedHome()
    const { enrolment, tunnels } = relay.relay
    const storeAnswers = Promise.withResolvers<void>()
    const standing = enrolment.standing.bind(enrolment)
    const standingSpy = vi.spyOn(enrolment, 'standing').mockImplementation(async (...home) => {
      await storeAnswers.promise
      return standing(...home)
    })
    const { serial } = home.running.gateway
    await enrolment.unlinkAll(serial)
    expect(standingSpy).toHaveBeenCalled()
    await home.running.admin.call('DELETE', '/relay')
    while (tunnels.counts().linked > 0) await new Promise(setImmediate)
    storeAnswers.resolve()
    await Promise.all(standingSpy.mock.results.map(({ value }) => value))
    await new Promise(setImmediate)
    expect(tunnels.counts()).toEqual({ linked: 0, unlinked: 0, streams: 0 })
  })

  proves('relay.store-away', 'stays reachable while the store is unavailable', async () => {
    const { relay, home, through } = await relayedHome()
    const { enrolment, tunnels } = relay.relay
    const unavailable = new StoreUnavailable('The store is unavailable.')
    const standingSpy = vi.spyOn(enrolment, 'standing').mockRejectedValue(unavailable)
    tunnels.linkChanged({ gateway: home.running.gateway.serial })
    await tunnels.settled()
    expect(standingSpy).toHaveBeenCalledOnce()
    expect(tunnels.counts()).toMatchObject({ linked: 1 })
    expect((await through.call(HOUSE)).status).toBe(200)
  })

  proves(
    'relay.any-node',
    'keeps its tunnel when a node announces another one without a key',
    { tags: ['long'] },
    async () => {
      const { relay, home, through } = await relayedHome()
      const { tunnels } = relay.relay
      const up = TunnelUp.parse({ node: 'other', slot: 0, epoch: Number.MAX_SAFE_INTEGER })
      expect(tunnels.resolveConflict(home.running.gateway.serial, up)).toBeNull()
      await tunnels.settled()
      expect((await through.call(HOUSE)).status).toBe(200)
    },
  )

  proves('relay.apart', 'counts failed tries through the relay apart from tries of addresses at home', async () => {
    const { home, through } = await relayedHome()
    const token = home.main.token.replace(/[^.]+$/, 'A'.repeat(43))
    while ((await through.call({ ...HOUSE, token })).status === 401);
    expect((await through.call({ ...HOUSE, token })).status).toBe(429)
    expect((await home.call({ ...HOUSE, token })).status).toBe(401)
  })

  proves('relay.serial', 'shows its serial next to the code, for its owner to compare', async () => {
    const { relay, home } = await relayedHome({ linked: false })
    const cli = async (...args: string[]): Promise<string> => (await hm(home.running.dataDir, 'relay', ...args)).out
    const { serial } = home.running.gateway
    await relay.connect(home.running)
    for (const output of [await cli('status'), await cli('link')]) expect(output).toContain(`serial       ${serial}`)
  })

  const unlinked = async (unlink: (world: RelayedHome) => Promise<unknown>): Promise<void> => {
    const world = await relayedHome()
    const socket = await TestSocket.open(world.relay.access(world.home.main.token))
    await socket.subscribe(['*'])
    await unlink(world)
    expect(await socket.ended).toBe(1001)
    expect((await world.through.call(HOUSE)).status).toBe(503)
  }

  proves('relay.unlinked', 'ends its open sockets when its administrator unlinks all accounts', () =>
    unlinked(({ home }) => home.running.admin.call('POST', '/relay/unlink')),
  )

  proves('relay.unlinked', 'ends its open sockets when the last account leaves', { tags: ['long'] }, () =>
    unlinked(async ({ relay, home }) =>
      relay.relay.enrolment.unlink(home.running.gateway.serial, (await relay.account())!),
    ),
  )

  test('is refused without the key of its serial', { tags: ['long'] }, async () => {
    const { relay, home, through } = await relayedHome()
    const socket = await connectAsGateway(relay)
    const closed = new Promise((resolve) => {
      socket.once('close', resolve)
    })
    const session = performServerHandshake(socket)
    session.on('error', () => {})
    session.on('stream', (stream) => {
      stream.on('error', () => {})
      stream.respond({ ':status': 200 })
      stream.end(
        JSON.stringify({
          serial: home.running.gateway.serial,
          publicKey: 'A'.repeat(43),
          signature: 'A'.repeat(86),
          slot: 0,
          epoch: Number.MAX_SAFE_INTEGER,
          passthrough: 'off',
          wants: null,
        }),
      )
    })
    await closed
    expect((await through.call(HOUSE)).status).toBe(200)
  })
})
