import { randomUUID } from 'node:crypto'
import { connect as connectTo } from 'node:net'
import { setPriority } from 'node:os'
import { connect } from 'node:tls'
import { setTimeout as pause } from 'node:timers/promises'
import { dimmersOf, SCENE_STEPS } from './healthy-client.ts'
import { roundTrip, type Listener, openConnection, openSocket, requestText, bodyOf } from './load.ts'
import { serve } from './served.ts'

/**
 * One kind of neighbour, in a process with low priority. Argument: a task as JSON. It reports when it has started, and
 * works until its parent disconnects.
 */
export interface NeighbourTask {
  readonly kind: NeighbourKind
  readonly address: Listener
  readonly token: string
  /** Path of `lists`. */
  readonly path?: string
}
export type NeighbourKind = keyof typeof KINDS

const SCENES = 16
/** Shortest delay of a step in seconds, which makes the run stored. */
const DELAY = 0.1
const SOCKETS = 12
const REQUESTS_PER_SOCKET = 60
const IDLE = 1_000
const PAIRS_A_SECOND = 211
const PAIR_BYTES = 250 * 1024
const EXPLAINS_A_SECOND = 40
const EDITS_A_SECOND = 50
const AT_A_TIME = 16
const LISTS_A_SECOND = 200
/** Reconnections after the gateway closes a socket. */
const REOPENED_A_SECOND = 100
const LEAST_LUCK = 19
/** Some of the house's lamps. The measuring client uses another one. */
const LAMPS = 40

const KINDS = {
  none: () => Promise.resolve(),
  scenes: (task: NeighbourTask) => scenes(task, []),
  delays: (task: NeighbourTask) => scenes(task, [{ delay: DELAY }]),
  edits: (task: NeighbourTask) => edits(task, () => ({})),
  keyed: (task: NeighbourTask) => edits(task, () => ({ idempotencyKey: randomUUID() })),
  sockets,
  idle,
  pairs,
  explains,
  lists,
}

/** Runs each scene again after its end. @param last final steps, after the steps of the lamps */
async function scenes({ address, token }: NeighbourTask, last: readonly object[]): Promise<void> {
  const lamps = await lampsOf(address, token)
  const ids: string[] = []
  for (let scene = 0; scene < SCENES; scene += 1) {
    const steps = Array.from({ length: SCENE_STEPS }, (_, step) => ({
      device: lamps[(scene * SCENE_STEPS + step) % lamps.length],
      op: 'set_brightness',
      args: { bri: 10 + ((scene + step) % 80) },
    }))
    ids.push((await madeScene(address, token, { name: `Scene ${scene}`, steps: [...steps, ...last] })).id)
  }
  const stream = await openSocket(address, '/v1/stream', token)
  const run = (id: string): void =>
    stream.send(JSON.stringify({ id, method: 'POST', path: `/v1/scenes/${encodeURIComponent(id)}/run` }))
  stream.on('message', (data: Buffer) => {
    const { event, device, state } = JSON.parse(data.toString()) as Partial<SceneEvent>
    if (event === 'scene' && device !== undefined && state?.running === false) run(device)
  })
  stream.send(JSON.stringify({ id: 's', subscribe: ['scene'] }))
  for (const id of ids) run(id)
}

/**
 * Renames a scene again and again without waiting for responses.
 * @param also makes further fields of the message
 */
async function edits({ address, token }: NeighbourTask, also: () => object): Promise<void> {
  const [lamp = ''] = await lampsOf(address, token)
  const steps = [{ device: lamp, op: 'set_power', args: { on: true } }]
  const scene = await madeScene(address, token, { name: 'Edited', steps })
  const path = `/v1/scenes/${encodeURIComponent(scene.id)}`
  const stream = await openSocket(address, '/v1/stream', token)
  let ifRevision = scene.revision
  setInterval(() => {
    const body = { name: `Edited ${ifRevision}`, ifRevision }
    stream.send(JSON.stringify({ id: '1', method: 'PATCH', path, body, ...also() }))
    ifRevision += 1
  }, 1_000 / EDITS_A_SECOND)
}

async function madeScene(address: Listener, token: string, scene: object): Promise<{ id: string; revision: number }> {
  const socket = await openConnection(address)
  const request = requestText('POST', '/v1/scenes', address.port, token, '', JSON.stringify(scene))
  const made = JSON.parse(await bodyOf(socket, request)) as { scene: { id: string; revision: number } }
  socket.destroy()
  return made.scene
}

interface SceneEvent {
  readonly event: string
  readonly device: string
  readonly state: { readonly running?: boolean }
}

/** Each socket sends 60 requests at once, and again after all responses, whatever their status. */
async function sockets({ address, token }: NeighbourTask): Promise<void> {
  const [lamp = ''] = await lampsOf(address, token)
  const message = JSON.stringify({ id: '1', method: 'GET', path: `/v1/devices/${encodeURIComponent(lamp)}` })
  // All sockets open before the first request, because a credential over its rate limit opens none.
  const opening = Array.from({ length: SOCKETS }, () => openSocket(address, '/v1/stream', token))
  for (const socket of await Promise.all(opening)) {
    let left = 0
    const ask = (): void => {
      left = REQUESTS_PER_SOCKET
      for (let request = 0; request < REQUESTS_PER_SOCKET; request += 1) socket.send(message)
    }
    socket.on('message', () => {
      left -= 1
      if (left === 0) ask()
    })
    ask()
  }
}

async function idle({ address }: NeighbourTask): Promise<void> {
  const open = (index: number): void => {
    // Forty addresses, so that no single one reaches its limit.
    const localAddress = `127.0.1.${1 + (index % 40)}`
    const line = connectTo({ host: '127.0.0.1', port: address.port, localAddress })
    const socket = connect({ socket: line, ca: address.ca, servername: 'localhost' })
    line.on('error', () => socket.destroy())
    socket.on('error', () => {})
    socket.once('close', () => closed.push(index))
  }
  const closed = Array.from({ length: IDLE }, (_, index) => index)
  const some = (): void => closed.splice(0, REOPENED_A_SECOND / 10).forEach(open)
  for (let turn = 0; turn < (10 * IDLE) / REOPENED_A_SECOND; turn += 1) {
    some()
    await pause(100)
  }
  setInterval(some, 100)
}

function pairs({ address }: NeighbourTask): Promise<void> {
  const body = JSON.stringify({ name: 'x'.repeat(PAIR_BYTES) })
  const request = requestText('POST', '/v1/pair', address.port, null, '', body)
  const ask = (): void => {
    const socket = connect({ host: '127.0.0.1', port: address.port, ca: address.ca, servername: 'localhost' })
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
    socket.write(request)
  }
  setInterval(ask, 1_000 / PAIRS_A_SECOND)
  return Promise.resolve()
}

async function explains({ address, token }: NeighbourTask): Promise<void> {
  const lamps = await lampsOf(address, token)
  const stream = await openSocket(address, '/v1/stream', token)
  let turn = 0
  setInterval(() => {
    turn += 1
    const path = `/v1/devices/${encodeURIComponent(lamps[turn % lamps.length] ?? '')}/explain`
    stream.send(JSON.stringify({ id: '1', method: 'GET', path }))
  }, 1_000 / EXPLAINS_A_SECOND)
}

/** Number of responses to `lists` by status. */
const statuses: Record<string, number> = {}

/** Sends the same request, sixteen at a time and within its rate limit. */
async function lists({ address, token, path = '' }: NeighbourTask): Promise<void> {
  const request = requestText('GET', path, address.port, token)
  const idle = new Set(await Promise.all(Array.from({ length: AT_A_TIME }, () => openConnection(address))))
  const ask = (): void => {
    for (const socket of idle) {
      idle.delete(socket)
      void roundTrip(socket, request).then(({ status }) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        idle.add(socket)
      })
    }
  }
  setInterval(ask, (1_000 * AT_A_TIME) / LISTS_A_SECOND)
}

async function lampsOf(address: Listener, token: string): Promise<readonly string[]> {
  return (await dimmersOf(address, token)).slice(0, LAMPS)
}

setPriority(LEAST_LUCK)
const task = JSON.parse(process.argv[2] ?? '') as NeighbourTask
await KINDS[task.kind](task)
serve({}, { statuses: () => statuses })
