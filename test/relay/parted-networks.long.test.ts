// @module-tag long
import type { ChildProcess } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { HttpCaller } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { noNetworks, PartedNetworks } from '#support/relay/parted-networks.ts'
import { logged, RelayProcess } from '#support/relay/relay-process.ts'
import { tempFolder } from '#support/temp-folder.ts'

const PORT = 8_443
const HOUSE = { method: 'GET', path: '/v1/house' }
/** Both ends detect a dead connection within this time. */
const FOUND_MS = 30_000
const AT_GATEWAY = 'A connection to the relay ended.'
const AT_RELAY = 'A gateway has disconnected.'

interface World {
  readonly networks: PartedNetworks
  readonly relay: RelayProcess
  readonly gateway: GatewayProcess
  readonly caller: HttpCaller
}

/** A linked relay and gateway in their own networks; the test sends requests from the relay's network. */
async function world(): Promise<World> {
  const networks = await PartedNetworks.make()
  const origin = `https://localhost:${await networks.portTo(PORT)}`
  const relay = await RelayProcess.start({ dataDir: tempFolder(), port: PORT, origin, within: networks.relay })
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const env = { HM_LOG_LEVEL: 'info' }
  const gateway = await GatewayProcess.start({ dataDir: tempFolder(), env, within: networks.home })
  onTestFinished(() => gateway[Symbol.asyncDispose]())
  await relay.link(gateway.admin, networks.relayAddress(PORT))
  const access = { url: origin.replace('localhost', '127.0.0.1'), ca: relay.ca, token: gateway.token }
  const caller = new HttpCaller(access)
  onTestFinished(() => caller[Symbol.asyncDispose]())
  await answered(caller)
  return { networks, relay, gateway, caller }
}

/** Repeats a request until the home is reachable. */
async function answered(caller: HttpCaller): Promise<void> {
  let status = 503
  while (status === 503) ({ status } = await caller.call(HOUSE))
  expect(status).toBe(200)
}

/** Time until a process logs the end of its connection. */
async function foundBy(process: ChildProcess, words: string): Promise<number> {
  const begun = performance.now()
  await logged(process, words)
  return performance.now() - begun
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

test('silent packet loss is detected by both ends within 30 s, and the gateway reconnects by itself', async (context) => {
  const reason = await noNetworks()
  if (reason !== null) return context.skip(reason)
  const { networks, relay, gateway, caller } = await world()
  const report: string[] = []
  const mended = async (mend: () => Promise<void> | void, welcomed: Promise<unknown>): Promise<void> => {
    await mend()
    await welcomed
    await answered(caller)
  }
  for (const [fault, part] of [
    ['everything is lost', () => networks.drop()],
    ['the link is down', () => networks.unplug()],
  ] as const) {
    const both = Promise.all([foundBy(relay.child, AT_RELAY), foundBy(gateway.child, AT_GATEWAY)])
    const mend = await part()
    const found = await both
    report.push(`${fault}: found by the relay after ${seconds(found[0])}, by the gateway after ${seconds(found[1])}`)
    for (const ms of found) expect(ms).toBeLessThan(FOUND_MS)
    expect((await caller.call(HOUSE)).status).toBe(503)
    await mended(mend, logged(gateway.child, 'The relay is connected.'))
  }
  for (const [fault, stopped, other, words] of [
    ['the relay stands', relay.child, gateway.child, AT_GATEWAY],
    ['the gateway stands', gateway.child, relay.child, AT_RELAY],
  ] as const) {
    const one = foundBy(other, words)
    stopped.kill('SIGSTOP')
    const ms = await one
    report.push(`${fault}: found after ${seconds(ms)}`)
    expect(ms).toBeLessThan(FOUND_MS)
    const welcomed = logged(gateway.child, 'The relay is connected.')
    await mended(() => void stopped.kill('SIGCONT'), welcomed)
  }
  const mend = await networks.drop()
  const begun = performance.now()
  const { status } = await caller.call(HOUSE)
  const ms = performance.now() - begun
  report.push(`a request when everything is lost: ${status} after ${seconds(ms)}`)
  expect(status).toBe(504)
  expect(ms).toBeLessThan(FOUND_MS)
  await mend()
  console.log(report.join('\n'))
})

const LOST_PERCENT = 20
const REQUESTS = 100

test(`every request over a line that loses ${LOST_PERCENT} % is served, and both ends keep working`, async (context) => {
  const reason = await noNetworks()
  if (reason !== null) return context.skip(reason)
  const { networks, relay, gateway, caller } = await world()
  if (!(await networks.lose(LOST_PERCENT))) return context.skip('this machine loses no part of what passes (tc netem)')
  const took: number[] = []
  const statuses = new Map<number, number>()
  for (let count = 0; count < REQUESTS; count += 1) {
    const begun = performance.now()
    const { status } = await caller.call(HOUSE)
    took.push(performance.now() - begun)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  took.sort((a, b) => a - b)
  const at = (share: number): string => seconds(took[Math.floor(share * (REQUESTS - 1))] ?? 0)
  const summary = [...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')
  console.log(`${LOST_PERCENT} % lost each way: ${summary}; median ${at(0.5)}, worst ${at(1)}`)
  // A tunnel may be lost and replaced; requests in between are asked to retry.
  expect([...statuses.keys()].filter((status) => ![200, 503, 504].includes(status))).toEqual([])
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2)
  for (const ms of took) expect(ms).toBeLessThan(2 * FOUND_MS)
  expect([relay.child.exitCode, gateway.child.exitCode]).toEqual([null, null])
})
