// @module-tag long
import { expect, onTestFinished } from 'vitest'
import { TestSocket } from '#support/gateway/callers.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { proves } from '#support/gateway/verifies.ts'
import { HostedWorld } from '#support/relay/hosted-world.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'

/** Time between an administrator's action and its effect. */
const ENDS_MS = 1_000
const TIMES = 5

/** Milliseconds from the beginning of a change until the open stream has ended. */
async function endedAfter(change: () => Promise<unknown>, ended: Promise<unknown>): Promise<number> {
  const begun = performance.now()
  const ms = ended.then(() => performance.now() - begun)
  await change()
  return ms
}

function held(what: string, all: readonly number[]): void {
  const times = all.map((ms) => ms.toFixed(0)).join(', ')
  console.log(`${what}: ended after ${times} ms through the relay; ${ENDS_MS} ms at most`)
  for (const ms of all) expect(ms).toBeLessThan(ENDS_MS)
}

proves('2.1.cloud-access', 'a stream through the relay ends within a second of cloud_access going off', async () => {
  const { relay, home } = await relayedHome()
  const all: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    await home.change(home.main, { settings: { cloud_access: 'on' } })
    const socket = await TestSocket.open(relay.access(home.main.token))
    socket.hasten = (work) => home.running.hasten(work)
    expect(await socket.subscribe(['*'])).toMatchObject({ status: 200 })
    const off = (): Promise<unknown> => home.change(home.main, { settings: { cloud_access: 'off' } })
    all.push(await endedAfter(off, socket.ended))
    expect(await socket.ended).toBe(4403)
  }
  held('cloud_access off', all)
})

proves('agents.hosted-channels', 'a hosted agent’s stream ends within a second of its end at the gateway', async () => {
  const world = await HostedWorld.open()
  onTestFinished(() => world[Symbol.asyncDispose]())
  const { agent, answer } = await world.accepted()
  const { access_token: token } = await agent.redeemed(answer)
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' }
  const opened = await world.fetch(`${world.origin}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(INITIALIZE),
  })
  const session = opened.headers.get('mcp-session-id') ?? ''
  const stream = await world.fetch(`${world.origin}/mcp`, { headers: { ...headers, 'mcp-session-id': session } })
  expect(stream.status).toBe(200)
  const link = token.split('.')[2] ?? ''
  const revoked = (): Promise<unknown> => world.home.running.admin.call('DELETE', `/agents/${link}`)
  held('a hosted agent revoked', [await endedAfter(revoked, stream.text())])
})
