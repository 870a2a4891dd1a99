// @module-tag long
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { HttpCaller, type RawAnswer } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { HAS_NATS, NatsServer } from '#support/relay/nats-server.ts'
import { RelayProcess } from '#support/relay/relay-process.ts'
import { freePort } from '#support/free-port.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Kills of each of the three, in its own test; `HM_TEST_RESTARTS` sets another number. */
const RESTARTS = Number(process.env['HM_TEST_RESTARTS'] ?? 5)
/** Load: writers that make one change after another, and readers. */
const WRITERS = 3
const READERS = 3
/** Slow enough that changes continue until the last restart. */
const PACE_MS = Math.max(500, RESTARTS * 25)
/** Slow enough for the rate limit of a credential on any machine. */
const READ_EACH_MS = 150
/** Changes of one writer: an integration may save 1,000 schedules. */
const CHANGES_MAX = 320
/** Longest time between two kills. */
const APART_MS = 3_000
const BACK_MS = { median: 15_000, worst: 60_000 }
/** Longest outage of the bus. */
const AWAY_MS = 2_000
const HOUSE = { method: 'GET', path: '/v1/house' }

/** Outcome of a change as its writer knows it. `unknown`: the change may have been made. */
type Fate = 'made' | 'not made' | 'unknown'

class World {
  readonly #port: number
  readonly #relayDir = tempFolder()
  readonly #gatewayDir = tempFolder()
  readonly #env: Readonly<Record<string, string>>
  relay!: RelayProcess
  gateway!: GatewayProcess
  token = ''
  device = ''
  serial = ''

  private constructor(port: number, env: Readonly<Record<string, string>>) {
    this.#port = port
    this.#env = env
  }

  /** @param env further variables of the relay's environment. */
  static async open(env: Readonly<Record<string, string>> = {}): Promise<World> {
    const world = new World(await freePort(), env)
    await Promise.all([world.startRelay(), world.startGateway()])
    onTestFinished(async () => {
      await Promise.all([world.relay.kill(), world.gateway.kill()])
    })
    await world.relay.link(world.gateway.admin)
    const settings = { schedules: 'on' }
    const { admin } = world.gateway
    const { integration } = await admin.call<{ integration: { id: string } }>('POST', '/integrations', {
      name: 'Load',
      expose: ['all'],
      settings,
    })
    const { token } = await admin.call<{ token: string }>('POST', '/keys', { integration: integration.id })
    world.token = token
    const [, serial = ''] = /^hm_key_([^.]+)/.exec(token) ?? []
    world.device = `${serial}:${integration.id}:hall-light`
    await world.back(performance.now())
    return world
  }

  async startRelay(): Promise<void> {
    this.relay = await RelayProcess.start({ dataDir: this.#relayDir, port: this.#port, env: this.#env })
  }

  async startGateway(): Promise<void> {
    this.gateway = await GatewayProcess.start({ dataDir: this.#gatewayDir })
  }

  caller(): HttpCaller {
    return new HttpCaller({ url: `https://127.0.0.1:${this.#port}`, ca: this.relay.ca, token: this.token })
  }

  /** Milliseconds until a request is served through the relay. */
  back(since: number): Promise<number> {
    return this.#until(since, this.token, ({ status }) => status === 200)
  }

  /** Milliseconds until the relay knows that a home is not connected, for which it asks the bus. */
  busBack(since: number): Promise<number> {
    const nobody = this.token.replace(/_[a-z0-9]{12}\./, '_zzzzzzzzzzzz.')
    return this.#until(since, nobody, ({ text }) => text.includes('gateway_offline'))
  }

  async #until(since: number, token: string, isSo: (answer: RawAnswer) => boolean): Promise<number> {
    await using caller = this.caller()
    for (;;) {
      const answer = await caller.call({ ...HOUSE, token }).catch(() => null)
      if (answer !== null && isSo(answer)) return performance.now() - since
      await pause(50)
    }
  }
}

/**
 * Saves schedules with unique names and notes their outcomes. Half of them use a key and are repeated until saved or
 * refused with `outcome_unknown`, when the gateway was killed between storing the key and the schedule.
 */
async function write(world: World, writer: number, fates: Map<string, Fate>, isOver: () => boolean): Promise<void> {
  await using caller = world.caller()
  for (let number = 0; !isOver() && number < CHANGES_MAX; number += 1) {
    const name = `W${writer}-${number}`
    const isRepeated = number % 2 === 0
    const then = [{ device: world.device, op: 'set_power', args: { on: true } }]
    const body = { name, at: { time: '03:00' }, then, enabled: false }
    const request = { method: 'POST', path: '/v1/schedules', body, ...(isRepeated ? { key: `key-${name}` } : {}) }
    const isKnown = (answered: number | undefined): boolean => !isRepeated || answered === 201 || answered === 409
    let status: number | undefined
    do {
      status = (await caller.call(request).catch(() => null))?.status
      if (isRefused(status)) throw new Error(`${name} is refused with ${status}, and would be for ever.`)
      fates.set(name, fateOf(status))
      await pause(PACE_MS)
    } while (!isKnown(status))
  }
}

/** True if a repeated request would be refused again. */
function isRefused(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status < 500 && status !== 409 && status !== 429
}

function fateOf(status: number | undefined): Fate {
  if (status === 201) return 'made'
  return status === 503 ? 'not made' : 'unknown'
}

/** Returns the number of failed reads. */
async function read(world: World, isOver: () => boolean): Promise<number> {
  await using caller = world.caller()
  let failed = 0
  while (!isOver()) {
    const answer = await caller.call(HOUSE).catch(() => null)
    if (answer?.status !== 200) failed += 1
    await pause(READ_EACH_MS)
  }
  return failed
}

/** Milliseconds until requests were served again, from the kill and from the end of the new start. */
interface Back {
  readonly killedMs: number
  readonly startedMs: number
}

/** Kills and restarts one process repeatedly under load. */
async function killed(
  killAndStart: () => Promise<void>,
  back: (since: number) => Promise<number>,
): Promise<readonly Back[]> {
  const times: Back[] = []
  for (let count = 0; count < RESTARTS; count += 1) {
    await pause(randomInt(APART_MS))
    const since = performance.now()
    await killAndStart()
    const startMs = performance.now() - since
    const killedMs = await back(since)
    times.push({ killedMs, startedMs: killedMs - startMs })
  }
  return times
}

/** Outcome of the load during the kills. */
interface Outcome {
  readonly times: readonly Back[]
  readonly fates: ReadonlyMap<string, Fate>
  readonly failedReads: number
}

/** Kills under load; no acknowledged change is lost or made twice. */
async function underLoad(world: World, run: () => Promise<readonly Back[]>): Promise<Outcome> {
  const fates = new Map<string, Fate>()
  let isOver = false
  const writing = Array.from({ length: WRITERS }, (_, writer) => write(world, writer, fates, () => isOver))
  const reading = Array.from({ length: READERS }, () => read(world, () => isOver))
  const times = await run()
  isOver = true
  await Promise.all(writing)
  const failedReads = (await Promise.all(reading)).reduce((sum, count) => sum + count, 0)
  await using caller = world.caller()
  const { body } = await caller.call({ method: 'GET', path: '/v1/schedules' })
  const { schedules } = body as { readonly schedules: readonly { readonly name: string }[] }
  const made = [...fates.values()].filter((fate) => fate === 'made').length
  console.log(`${made} changes were acknowledged, ${fates.size - made} were not, ${schedules.length} are there`)
  const names = schedules.map(({ name }) => name)
  expect(wrongWith(fates, names)).toEqual([])
  expect(made).toBeGreaterThan(RESTARTS)
  return { times, fates, failedReads }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

function medianAndWorst(times: readonly number[]): readonly [number, number] {
  const sorted = times.toSorted((a, b) => a - b)
  return [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0]
}

function expectBack(what: string, times: readonly Back[]): void {
  const [median, worst] = medianAndWorst(times.map(({ killedMs }) => killedMs))
  const ofStarted = medianAndWorst(times.map(({ startedMs }) => startedMs))
  const report = `back after ${seconds(median)} (median), ${seconds(worst)} (worst)`
  console.log(
    `${what} killed ${times.length} times: ${report}; once it had started ${ofStarted.map(seconds).join(', ')}`,
  )
  expect(median).toBeLessThanOrEqual(BACK_MS.median)
  expect(worst).toBeLessThanOrEqual(BACK_MS.worst)
}

/** Changes that exist twice, or differ from their writer's knowledge. */
function wrongWith(fates: ReadonlyMap<string, Fate>, names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isWrong = (name: string, fate: Fate): boolean => {
    const count = counts.get(name) ?? 0
    return count > 1 || (fate === 'made' && count === 0) || (fate === 'not made' && count > 0)
  }
  return [...fates].filter(([name, fate]) => isWrong(name, fate)).map(([name, fate]) => `${name}: ${fate}`)
}

test.each([
  ['relay', (world: World) => world.relay.kill(), (world: World) => world.startRelay()],
  ['gateway', (world: World) => world.gateway.kill().then(() => undefined), (world: World) => world.startGateway()],
] as const)(
  `the %s, killed ${RESTARTS} times under load, recovers; no change is lost or made twice`,
  async (which, kill, start) => {
    const world = await World.open()
    const killAndStart = async (): Promise<void> => {
      await kill(world)
      await start(world)
    }
    const { times } = await underLoad(world, () => killed(killAndStart, (since) => world.back(since)))
    expectBack(`The ${which}`, times)
  },
  RESTARTS * 2 * BACK_MS.worst,
)

test.skipIf(!HAS_NATS)(
  `the bus, killed ${RESTARTS} times under load, recovers, and the home is served all the time (needs nats-server)`,
  async () => {
    const nats = await NatsServer.start()
    onTestFinished(() => nats[Symbol.asyncDispose]())
    const world = await World.open({ HM_RELAY_NATS: nats.url, HM_RELAY_NATS_REPLICAS: '1' })
    const killAndStart = async (): Promise<void> => {
      await nats.kill()
      await pause(randomInt(AWAY_MS))
      await nats.start()
    }
    const { times, fates, failedReads } = await underLoad(world, () =>
      killed(killAndStart, (since) => world.busBack(since)),
    )
    expect([failedReads, [...fates.values()].filter((fate) => fate !== 'made')]).toEqual([0, []])
    expectBack('The bus', times)
  },
  RESTARTS * 2 * BACK_MS.worst,
)
