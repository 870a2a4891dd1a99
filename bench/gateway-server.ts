import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareDataFolder } from '../src/settings/data-folder.ts'
import { openGateway } from '../src/gateway/gateway.ts'
import type { DeviceState } from '../src/home/model/device.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { ok } from '../src/lib/result.ts'
import { simulatedHome } from '../src/gateway/simulated-home.ts'
import type { HouseContent } from '../src/home/ports/house-store.ts'
import { memoryAfterCollection } from './collection.ts'
import { fullHome, watchingRules } from './full-home.ts'
import { HeldLoop } from './held-loop.ts'

/**
 * A gateway for the benchmarks: a quiet simulated house of N units, no limits. Arguments: the number of units, and
 * `limited` for the limits that every gateway has, `console-off` for one without a console, or `rules` for a thousand
 * automations that watch its dimmers.
 */
const units = Number(process.argv[2] ?? 300)
const isFull = process.argv[3] === 'full'
const isLimited = process.argv[3] === 'limited' || isFull
const dataDir = mkdtempSync(join(tmpdir(), 'hm-bench-'))
const line = simulatedHome({ kind: 'sim', units, seed: 7, speed: 1 }, systemClock, 'Europe/Berlin')
const past = Promise.withResolvers<void>()
const newHome = {
  house: line.newHome.house,
  rules: () => (process.argv[3] === 'rules' ? watchingRules(line.newHome.house()) : { automations: [], schedules: [] }),
  past: null,
}
const gateway = await openGateway({
  settings: {
    dataDir,
    host: '127.0.0.1',
    port: 0,
    hmhc: { kind: 'sim', units, seed: 7, speed: 1 },
    rateLimit: isLimited ? { perSecond: 200, burst: 500 } : null,
    logLevel: 'silent',
    console: process.argv[3] === 'console-off' ? 'off' : 'on',
    setupCode: null,
    backupDir: null,
  },
  folder: prepareDataFolder(dataDir),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  openPort: line.openPort,
  newHome: {
    integration: 'Bench',
    ...(isFull ? fullOf(line.newHome.house(), past) : newHome),
  },
  defaultZone: 'Europe/Berlin',
  announce: false,
  ...(isLimited
    ? {}
    : {
        connections: { all: 2_000, perAddress: 2_000 },
        streamLimits: { all: 2_000, perCredential: 2_000 },
      }),
})
const { house, live, bus, events } = gateway.home
await settled()
if (isFull) await past.promise
const lamp = [...house.devices.values()].find((device) => device.class === 'light_dimmer')
if (!lamp) throw new Error('the generated house has no dimmer')

/** Of two digits always: the load knows an answer by its length. */
let level = 10
const nextLevel = (): number => (level = 10 + ((level - 9) % 90))
/** The unit confirms at once: what is left is the gateway's own work. */
const instantly = (): void => {
  bus.stop()
  Object.defineProperty(bus, 'down', { get: () => null })
  bus.control = () => {
    return Promise.resolve(ok({ on: true, bri: nextLevel(), mode: 'manual' } satisfies DeviceState))
  }
}

/** How long the bus itself took for each control, in milliseconds. */
const busMs: number[] = []
const timeTheBus = (): void => {
  const control = bus.control.bind(bus)
  bus.control = async (...asked) => {
    const begun = performance.now()
    const answer = await control(...asked)
    busMs.push(performance.now() - begun)
    return answer
  }
}

const loop = new HeldLoop()

process.on(
  'message',
  (message: {
    instantly?: true
    events?: number
    timeTheBus?: true
    busMs?: true
    rest?: true
    heap?: true
    rounds?: number
    watch?: true
    held?: true
  }) => {
    if (message.watch) loop.watch()
    if (message.held) return void process.send?.(loop.stop())
    // The house at rest: nothing changes while reads are measured.
    if (message.rest) bus.stop()
    if (message.instantly) instantly()
    if (message.timeTheBus) timeTheBus()
    if (message.busMs) {
      process.send?.({ busMs: busMs.splice(0) })
      return
    }
    if (message.heap) return void memoryAfterCollection().then((heap) => process.send?.(heap))
    if (message.rounds !== undefined) return changeAll(message.rounds)
    if (message.events !== undefined) return confirm(message.events)
    process.send?.({})
  },
)

/** State changes of one lamp, one a turn of the loop, as they come from a bus. */
function confirm(times: number): void {
  if (times === 0 || !lamp) {
    process.send?.({})
    return
  }
  live.confirm(lamp.key, { on: true, bri: nextLevel(), mode: 'manual' }, 'command', {
    source: 'gateway',
    name: 'bench',
  })
  setImmediate(() => confirm(times - 1))
}

/** Everything that is on or off changes, so many times, once in a turn of the loop. */
function changeAll(times: number): void {
  if (times === 0) return void process.send?.({})
  for (const { key } of house.devices.values()) {
    const state = live.states.get(key)?.state
    if (state && 'on' in state)
      live.confirm(key, { ...state, on: !state.on }, 'command', { source: 'gateway', name: 'bench' })
  }
  setImmediate(() => changeAll(times - 1))
}

process.send?.({
  port: gateway.port,
  leaf: join(dataDir, 'tls', 'leaf.pem'),
  caFile: gateway.caFile,
  dataDir,
  token: gateway.firstKey?.token,
  lamp: `${gateway.serial}:${gateway.firstKey?.token.split('.')[1] ?? ''}:${lamp.key}`,
})
process.on('SIGTERM', stop).on('disconnect', stop)

function fullOf(house: HouseContent, made: PromiseWithResolvers<void>): ReturnType<typeof fullHome> {
  const home = fullHome(house)
  return { ...home, past: async (parts) => made.resolve(await home.past?.(parts)) }
}

function stop(): void {
  void gateway.stop().then(() => {
    rmSync(dataDir, { recursive: true, force: true })
    process.exit(0)
  })
}

function settled(): Promise<void> {
  const missing = (): boolean =>
    [...house.devices.values()].some((device) => device.class !== 'gang_module' && !live.states.get(device.key))
  return new Promise((resolve) => {
    const stop = events.on(() => {
      if (missing()) return
      stop()
      resolve()
    })
  })
}
