import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Memory } from './collection.ts'
import { newKeyOf } from './gateway.ts'
import { roundTrip, openConnection, requestText, openSubscribers } from './load.ts'
import type { RelayedGateway } from './relayed-gateway.ts'
import { atMost, median, percentile } from './report.ts'

const SOCKETS = 200
/** The gateway's limit for a key. */
const SOCKETS_OF_KEY = 32
const EVENTS_PER_SECOND = 100
const SECONDS = 10
/** Number of connections that read no response, and of sockets that read no event. */
const STALLED = 40
/** The relay's limit for one connection. */
const PIPELINED = 16
const REQUESTS = 400
const STALLED_MIB_MAX = 2

/** Many listeners through the relay, and stalled readers. */
export async function benchReaders(world: RelayedGateway): Promise<void> {
  await listeners(world)
  await stalled(world)
}

/** 200 sockets of one home that receive every event. */
async function listeners(world: RelayedGateway): Promise<void> {
  const { gateway, relay } = world
  const sockets = await listening(world, SOCKETS)
  const wanted = SOCKETS * SECONDS * EVENTS_PER_SECOND
  const sentAt: number[] = []
  const tookMs: number[] = []
  const all = Promise.withResolvers<void>()
  for (const socket of sockets) {
    let seen = 0
    socket.on('message', () => {
      tookMs.push(performance.now() - (sentAt[seen] ?? 0))
      seen += 1
      if (tookMs.length === wanted) all.resolve()
    })
  }
  const before = relay.cpuNs()
  const begun = performance.now()
  for (let count = 0; count < SECONDS * EVENTS_PER_SECOND; count += 1) {
    const due = begun + (count * 1_000) / EVENTS_PER_SECOND
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    sentAt.push(performance.now())
    await gateway.ask({ events: 1 })
  }
  await all.promise
  const perSecond = Math.round((wanted * 1_000) / (performance.now() - begun)).toLocaleString('en')
  const micros = (relay.cpuNs() - before) / wanted / 1_000
  for (const socket of sockets) socket.terminate()
  const late = `p50 ${median(tookMs).toFixed(1)} ms, p99 ${percentile(tookMs, 0.99).toFixed(1)} ms from the change`
  const detail = `of the relay's processor time for each of ${perSecond}/s; ${late}`
  const bound = { most: 50, unit: 'us', digits: 1, detail }
  atMost(`${SOCKETS} sockets at ${EVENTS_PER_SECOND} events/s`, micros, bound)
}

async function listening({ gateway, relayed }: RelayedGateway, count: number): Promise<readonly WebSocket[]> {
  const tokens: string[] = []
  while (tokens.length < count) {
    const key = await newKeyOf(gateway, gateway.facts.token.split('.')[1] ?? '')
    tokens.push(...Array.from({ length: Math.min(SOCKETS_OF_KEY, count - tokens.length) }, () => key))
  }
  return openSubscribers(relayed, tokens)
}

async function stalled(world: RelayedGateway): Promise<void> {
  const { gateway, relay, relayed } = world
  const house = requestText('GET', '/v1/house', relayed.port, gateway.facts.token)
  const before = await relay.ask<Memory>({ memory: true })
  const alone = median(await answers(world))
  const readers: Socket[] = []
  for (let index = 0; index < STALLED; index += 1) {
    const socket = await openConnection(relayed)
    socket.pause()
    socket.write(house.repeat(PIPELINED))
    readers.push(socket)
  }
  const sockets = await listening(world, STALLED)
  for (const socket of sockets) socket.pause()
  await gateway.ask({ rounds: 40 })
  const besideMs = median(await answers(world))
  const now = await relay.ask<Memory>({ memory: true })
  const mibPerReader = (now.residentMiB - before.residentMiB) / (STALLED * 2)
  for (const socket of readers) socket.destroy()
  for (const socket of sockets) socket.terminate()
  const inAll = `each at the relay, ${now.residentMiB.toFixed(0)} MiB in all`
  const bound = { most: STALLED_MIB_MAX, unit: 'MiB', digits: 2, detail: inAll }
  atMost(`${STALLED * 2} stalled readers of one home`, mibPerReader, bound)
  const detail = `${alone.toFixed(2)} ms alone, ${besideMs.toFixed(2)} ms beside them`
  atMost('an answer of the same home beside them, p50', besideMs / alone, { most: 2, unit: 'x', digits: 2, detail })
}

/** Durations of small responses of the home. */
async function answers({ gateway, relayed }: RelayedGateway): Promise<readonly number[]> {
  const { lamp, token } = gateway.facts
  const request = requestText('GET', `/v1/devices/${encodeURIComponent(lamp)}`, relayed.port, token)
  const socket = await openConnection(relayed)
  const tookMs: number[] = []
  for (let count = 0; count < REQUESTS; count += 1) {
    const begun = performance.now()
    await roundTrip(socket, request)
    tookMs.push(performance.now() - begun)
  }
  socket.destroy()
  return tookMs
}
