// @module-tag long
import { readdirSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, createSecureContext, type TLSSocket } from 'node:tls'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HttpCaller } from '#support/gateway/callers.ts'
import { helloOf } from '#support/relay/client-hello.ts'
import { conversation, hostile } from '#support/relay/hostile-bytes.ts'
import { hostileRelay } from '#support/relay/hostile-relay.ts'
import { freePort } from '#support/free-port.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { madeUpToken } from '../../bench/made-up-home.ts'
import { startServer } from '../../bench/processes.ts'
import { homesFrom, linkHomes, startRelay } from '../../bench/relayed-gateway.ts'
import { TUNNEL_PROTOCOL } from '../../src/wire/tunnel.ts'

/** HM_TEST_CONNECTIONS=20000 runs all of them, which takes half an hour on a busy machine. */
const CONNECTIONS = Number(process.env['HM_TEST_CONNECTIONS'] ?? 2_000)
/** This many of them speak valid TLS with hostile bytes inside. */
const INSIDE = Math.round(CONNECTIONS * 0.75)
const LANES = 64
const GATEWAYS = 16
/** A relay accepts 300 new tunnels a second (relay/tunnels/handshake-limit.ts) and closes further ones unread. */
const EACH_MS = 1_000 / 250
const SEED = Number(process.env['HM_TEST_SEED'] ?? Date.now() % 1e9)

/** Sends the bytes and reads until the other end closes the connection. */
function sendBytes(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.once('close', () => resolve())
    socket.resume()
    socket.end(bytes)
  })
}

/** Runs all items with limited concurrency, and at most one per `EACH_MS`. */
async function inLanes(count: number, run: (index: number) => Promise<void>): Promise<void> {
  const begun = performance.now()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      await pause(Math.max(0, begun + index * EACH_MS - performance.now()))
      await run(index)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Resolves when the process has no more open files and sockets than these. */
async function backTo(pid: number, count: number): Promise<void> {
  while (descriptors(pid) > count) await new Promise((resolve) => setTimeout(resolve, 100))
}

describe(`hostile bytes, seed ${SEED}`, () => {
  test('from thousands of connections: the relay works, and closes all of them', async () => {
    console.info(`HM_TEST_SEED=${SEED}`)
    const [port, data] = [await freePort(), tempFolder()]
    await linkHomes(data, 1)
    const relay = await startRelay(port, data)
    const [home] = await homesFrom(0, 1, relay.facts)
    onTestFinished(async () => {
      await home?.stop()
      await relay.stop()
    })
    const secureContext = createSecureContext({ ca: relay.facts.ca })
    const { ofGateway } = await conversation()
    const hello = await helloOf({ servername: 'hm-00000000000a.local' })
    const inside = fc.sample(hostile(ofGateway), { numRuns: INSIDE, seed: SEED })
    const outside = fc.sample(hostile([hello]), { numRuns: CONNECTIONS - INSIDE, seed: SEED })
    const options = {
      host: '127.0.0.1',
      port,
      secureContext,
      ALPNProtocols: [TUNNEL_PROTOCOL],
      servername: 'localhost',
    }
    const tunnel = (): Promise<TLSSocket | null> =>
      new Promise((resolve) => {
        const socket = connect(options, () => resolve(socket)).once('error', () => resolve(null))
      })
    const before = descriptors(relay.pid)
    let taken = 0
    await inLanes(INSIDE, async (index) => {
      const socket = await tunnel()
      if (socket === null) return
      taken += 1
      await sendBytes(socket, inside[index]!)
    })
    // Connections that a busy machine delayed too long are not counted.
    expect(taken).toBeGreaterThan(INSIDE * 0.95)
    await inLanes(outside.length, (index) => sendBytes(connectTcp(port, '127.0.0.1'), outside[index]!))
    await backTo(relay.pid, before)
    await using through = new HttpCaller({
      url: `https://localhost:${port}`,
      ca: relay.facts.ca,
      token: madeUpToken(0),
    })
    expect(await through.send('GET', '/v1/house', { body: undefined })).toMatchObject({ status: 200 })
  })

  test('from a relay to thousands of tunnels: gateways work, and close all of them', async () => {
    console.info(`HM_TEST_SEED=${SEED}`)
    const { ofRelay } = await conversation()
    const samples = fc.sample(hostile(ofRelay), { numRuns: CONNECTIONS, seed: SEED })
    let taken = 0
    const quiet = Promise.withResolvers<void>()
    // Further tunnels receive no bytes, and time out one after the other.
    const { port, ca } = await hostileRelay((socket) => {
      const bytes = samples[taken]
      taken += 1
      if (taken === CONNECTIONS + GATEWAYS) quiet.resolve()
      if (bytes !== undefined) void sendBytes(socket, bytes)
    })
    const args = ['--folder', tempFolder(), '--gateways', String(GATEWAYS), '--url', `https://localhost:${port}`]
    const gateways = await startServer<object>('../test/support/relay/attacked-gateways.ts', [...args, `--ca=${ca}`])
    onTestFinished(() => gateways.stop())
    const before = descriptors(gateways.pid)
    await quiet.promise
    // Gateways may not have had a tunnel yet when files were counted first.
    await backTo(gateways.pid, before + GATEWAYS)
    console.info(
      `${taken} tunnels were opened; ${before} files were open before, ${descriptors(gateways.pid)} are now.`,
    )
    expect(taken).toBeGreaterThanOrEqual(CONNECTIONS + GATEWAYS)
  })
})
