import { type BenchGateway, startGateway } from './gateway.ts'
import { HttpLoad, requestText } from './http-load.ts'
import { ALL_CORES, residentMiB, type ServerProcess, startServer } from './processes.ts'
import { type Load, ratioOf } from './ratio.ts'
import { median, shown } from './report.ts'
import { fetched } from './service.ts'
import { MessageLoad } from './ws-load.ts'

const UNITS = 300
const STARTS = 5
/** After this long a server that serves nothing rests. */
const SETTLE_MS = 2_000

type Served = ServerProcess<{ readonly port: number }>

/**
 * How near to its targets a gateway can come that is made of Node, fastify, ws and SQLite: the same work by these alone,
 * without tokens, exposure, history or a home. Nothing is held to it.
 */
export async function benchFloor(): Promise<void> {
  await using gateway = await startGateway(UNITS)
  const { leaf } = gateway.facts
  await atRest('node:https alone', [leaf, 'node'])
  await atRest('the libraries alone', [leaf, 'libraries'])
  await requests(gateway)
}

/** How soon it listens, and what it keeps. */
async function atRest(name: string, args: readonly string[]): Promise<void> {
  const starts: number[] = []
  let resident = 0
  for (let count = 0; count < STARTS; count += 1) {
    const begun = performance.now()
    const server: Served = await startServer('floor-server.ts', args, { core: ALL_CORES })
    starts.push(performance.now() - begun)
    if (count === STARTS - 1) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
      resident = residentMiB(server.pid)
    }
    await server.stop()
  }
  shown(`start to listening, ${name}`, `${median(starts).toFixed(0)} ms`, `median of ${STARTS}`)
  shown(`resident memory, idle, ${name}`, `${resident} MiB`, `${SETTLE_MS / 1_000} s after the start`)
}

/** Requests and a message with the gateway's bytes, by fastify and ws alone, beside the bare servers of the other sections. */
async function requests({ door, facts: { port, token, lamp, leaf } }: BenchGateway): Promise<void> {
  const { ca } = door
  const device = `/v1/devices/${encodeURIComponent(lamp)}`
  await using bare: Served = await startServer('bare-server.ts', [leaf])
  await using framework: Served = await startServer('floor-server.ts', [leaf, 'framework'])
  const body = JSON.stringify({ op: 'set_brightness', args: { bri: 50 } })
  for (const { work, method = 'GET', path, sent = '' } of [
    { work: 'read one device', path: device },
    { work: `state, ${UNITS} units`, path: '/v1/state' },
    { work: `house, ${UNITS} units`, path: '/v1/house' },
    { work: 'intents of one unit', path: `${device}/intents` },
    { work: 'control and a row of SQLite', method: 'POST', path: `${device}/control`, sent: body },
  ]) {
    const answer = await fetched(door, requestText(method, path, port, token, '', sent))
    await bare.ask({ answer: { path, status: 200, body: answer.body } })
    await framework.ask({ answer: answer.body })
    await compared(`${work}, fastify alone`, bare, framework, (server) =>
      HttpLoad.open({ port: server.facts.port, ca }, requestText(method, path, server.facts.port, token, '', sent)),
    )
  }
  const { body: shown } = await fetched(door, requestText('GET', device, port, token))
  await framework.ask({ answer: shown })
  const message = JSON.stringify({ id: '1', method: 'GET', path: device })
  await compared('WebSocket request and answer, ws alone', bare, framework, (server) =>
    MessageLoad.open({ port: server.facts.port, ca }, '/', null, message),
  )
}

async function compared(
  name: string,
  bare: Served,
  framework: Served,
  opened: (server: Served) => Promise<Load>,
): Promise<void> {
  const ratio = await ratioOf([await opened(bare), bare], [await opened(framework), framework])
  shown(name, ratio.cpu.toFixed(2), `of the bare server; ${ratio.cpuMicros.toFixed(0)} us of CPU each`)
}
