import type { TLSSocket } from 'node:tls'
import type { WebSocket } from 'ws'
import type { Memory } from './collection.ts'
import { answerLength, opened, requestText } from './http-load.ts'
import type { RelayedGateway } from './relayed-gateway.ts'
import { atMost, median, percentile } from './report.ts'
import { openSocket } from './ws-load.ts'

const SOCKETS = 200
/** As many as a gateway lets each have. */
const SOCKETS_OF_KEY = 32
const EVENTS_PER_SECOND = 100
const SECONDS = 10
/** Stalled readers: so many that read no answer, and so many sockets that read no event. */
const STALLED = 40
/** As many as the relay takes of one connection. */
const PIPELINED = 16
const ASKED = 400
const STALLED_MIB_MAX = 2

/** Many who listen through the relay, and some who do not read what they asked for. */
export async function benchReaders(world: RelayedGateway): Promise<void> {
  await listeners(world)
  await stalled(world)
}

/** 200 sockets of one home, each with every event. */
async function listeners(world: RelayedGateway): Promise<void> {
  const { gateway, relay } = world
  const sockets = await subscribed(world, SOCKETS)
  const wanted = SOCKETS * SECONDS * EVENTS_PER_SECOND
  const sentAt: number[] = []
  const tookMs: number[] = []
  const all = new Promise<void>((resolve) => {
    for (const socket of sockets) {
      let seen = 0
      socket.on('message', () => {
        tookMs.push(performance.now() - (sentAt[seen] ?? 0))
        seen += 1
        if (tookMs.length === wanted) resolve()
      })
    }
  })
  const before = relay.cpuNs()
  const begun = performance.now()
  for (let count = 0; count < SECONDS * EVENTS_PER_SECOND; count += 1) {
    const due = begun + (count * 1_000) / EVENTS_PER_SECOND
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    sentAt.push(performance.now())
    await gateway.ask({ events: 1 })
  }
  await all
  const took = performance.now() - begun
  const micros = (relay.cpuNs() - before) / wanted / 1_000
  for (const socket of sockets) socket.terminate()
  const late = percentile(tookMs, 0.99)
  atMost(`${SOCKETS} sockets at ${EVENTS_PER_SECOND} events/s`, micros, {
    most: 50,
    unit: 'us',
    digits: 1,
    detail: `of the relay's processor time for each of ${Math.round((wanted * 1_000) / took).toLocaleString('en')}/s; p50 ${median(tookMs).toFixed(1)} ms, p99 ${late.toFixed(1)} ms from the change`,
  })
}

async function subscribed(world: RelayedGateway, count: number): Promise<readonly WebSocket[]> {
  const { relayed } = world
  const sockets: WebSocket[] = []
  const keys = await world.keys(Math.ceil(count / SOCKETS_OF_KEY))
  for (let index = 0; index < count; index += 1) {
    const socket = await openSocket(relayed, '/v1/stream', keys[Math.floor(index / SOCKETS_OF_KEY)] ?? '')
    const answered = new Promise((resolve) => socket.once('message', resolve))
    socket.send(JSON.stringify({ id: '1', subscribe: ['*'] }))
    await answered
    sockets.push(socket)
  }
  return sockets
}

async function stalled(world: RelayedGateway): Promise<void> {
  const { gateway, relay, relayed } = world
  const [token = ''] = await world.keys(1)
  const house = Buffer.from(requestText('GET', '/v1/house', relayed.port, token))
  const before = await relay.ask<Memory>({ memory: true })
  const alone = median(await answers(world))
  const readers: TLSSocket[] = []
  for (let index = 0; index < STALLED; index += 1) {
    const socket = await opened(relayed)
    socket.pause()
    socket.write(Buffer.concat(Array.from({ length: PIPELINED }, () => house)))
    readers.push(socket)
  }
  const sockets = await subscribed(world, STALLED)
  for (const socket of sockets) socket.pause()
  await gateway.ask({ rounds: 40 })
  const beside = median(await answers(world))
  const now = await relay.ask<Memory>({ memory: true })
  const each = (now.residentMiB - before.residentMiB) / (STALLED * 2)
  for (const socket of readers) socket.destroy()
  for (const socket of sockets) socket.terminate()
  const inAll = `each at the relay, ${now.residentMiB.toFixed(0)} MiB in all`
  const bound = { most: STALLED_MIB_MAX, unit: 'MiB', digits: 2, detail: inAll }
  atMost(`${STALLED * 2} stalled readers of one home`, each, bound)
  const detail = `${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside them`
  atMost('an answer of the same home beside them, p50', beside / alone, { most: 2, unit: 'x', digits: 2, detail })
}

/** How long a small answer of the home takes, so many times. */
async function answers({ gateway, relayed }: RelayedGateway): Promise<readonly number[]> {
  const { lamp, token } = gateway.facts
  const request = Buffer.from(requestText('GET', `/v1/devices/${encodeURIComponent(lamp)}`, relayed.port, token))
  const socket = await opened(relayed)
  const tookMs: number[] = []
  for (let count = 0; count < ASKED; count += 1) {
    const begun = performance.now()
    await answerLength(socket, request, 200)
    tookMs.push(performance.now() - begun)
  }
  socket.destroy()
  return tookMs
}
