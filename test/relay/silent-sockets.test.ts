import { once } from 'node:events'
import { describe, expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type Access, TestSocket, trusting, UpgradeRefused } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'

/** Limits of docs/limits.md#stream. */
const SOCKETS_OF_ONE = 32
const SOCKETS_MAX = 256

/** Opens a socket whose client answers no ping, like one that left the network. */
async function silentSocket({ url, ca, token }: Access): Promise<WebSocket> {
  const address = `${url.replace('https', 'wss')}/v1/stream`
  const socket = new WebSocket(address, {
    ...trusting(ca),
    headers: { authorization: `Bearer ${token}` },
    autoPong: false,
    perMessageDeflate: false,
  })
  socket.on('error', () => {})
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

const openSockets = (sockets: readonly WebSocket[]): readonly WebSocket[] =>
  sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)

async function connected(access: Access): Promise<TestSocket> {
  const socket = await TestSocket.open(access)
  onTestFinished(() => socket.close())
  return socket
}

/** Takes all places of a credential: one responsive client, and silent ones. */
async function full(access: Access): Promise<{ readonly live: TestSocket; readonly silent: readonly WebSocket[] }> {
  const live = await connected(access)
  const silent: WebSocket[] = []
  while (silent.length < SOCKETS_OF_ONE - 1) silent.push(await silentSocket(access))
  return { live, silent }
}

/** Expects that a newcomer is served, and that the oldest silent socket has ended. */
async function expectRoom(access: Access): Promise<void> {
  const { live, silent } = await full(access)
  const [oldest] = silent as [WebSocket]
  const ended = once(oldest, 'close')
  const newcomer = await connected(access)
  expect(await newcomer.subscribe(['*'])).toMatchObject({ status: 200 })
  await ended
  expect(openSockets(silent)).toHaveLength(SOCKETS_OF_ONE - 2)
  expect(await live.subscribe(['*'])).toMatchObject({ status: 200 })
}

async function refused(access: Access): Promise<number> {
  const answer = await TestSocket.open(access).catch((error: unknown) => error)
  return answer instanceof UpgradeRefused ? answer.answer.status : 0
}

describe('if all places are taken, a newcomer', () => {
  proves('stream.newcomer', 'takes the place of a silent socket at home', async () => {
    const home = await TestHome.open('http')
    onTestFinished(() => home[Symbol.asyncDispose]())
    await home.running.hasten(expectRoom(home.access(home.main.token)))
  })

  proves('stream.newcomer', 'takes the place of a silent socket through the relay', { tags: ['long'] }, async () => {
    const { relay, home } = await relayedHome()
    await home.running.hasten(expectRoom(relay.access(home.main.token)))
  })

  proves('stream.newcomer', 'is refused at once while every client answers', { tags: ['long'] }, async () => {
    const home = await TestHome.open('http')
    onTestFinished(() => home[Symbol.asyncDispose]())
    const access = home.access(home.main.token)
    for (let count = 0; count < SOCKETS_OF_ONE; count += 1) await connected(access)
    await home.running.still(async () => expect(await refused(access)).toBe(429))
  })

  proves(
    'stream.newcomer',
    'of another credential takes the place of a silent socket among all',
    { tags: ['long'] },
    async () => {
      const home = await TestHome.open('http')
      onTestFinished(() => home[Symbol.asyncDispose]())
      const silent: WebSocket[] = []
      for (let program = 0; program < SOCKETS_MAX / SOCKETS_OF_ONE; program += 1) {
        const access = home.access((await home.integrate({})).token)
        for (let count = 0; count < SOCKETS_OF_ONE; count += 1) silent.push(await silentSocket(access))
      }
      const access = home.access(home.main.token)
      const newcomers = await home.running.hasten(Promise.all([connected(access), connected(access)]))
      for (const newcomer of newcomers) expect(await newcomer.subscribe(['*'])).toMatchObject({ status: 200 })
      await expect.poll(() => openSockets(silent).length).toBe(SOCKETS_MAX - 2)
    },
  )
})
