import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { prepareDataFolder } from '../src/gateway/data-folder.ts'
import { openGateway } from '../src/gateway/gateway.ts'
import type { DeviceState } from '../src/home/model/state.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { ok } from '../src/lib/result.ts'
import { unitLine } from '../src/gateway/line.ts'

/**
 * A gateway for the benchmarks: a quiet simulated house of N units, no limits. Arguments: the number of units, and
 * `limited` for the limits that every gateway has.
 */
const units = Number(process.argv[2] ?? 300)
const isLimited = process.argv[3] === 'limited'
const dataDir = mkdtempSync(join(tmpdir(), 'hm-bench-'))
const line = unitLine({ kind: 'sim', units, seed: 7, speed: 1 }, systemClock, 'Europe/Berlin')
const gateway = await openGateway({
  settings: {
    dataDir,
    host: '127.0.0.1',
    port: 0,
    hmhc: { kind: 'sim', units, seed: 7, speed: 1 },
    rateLimit: isLimited ? { perSecond: 200, burst: 500 } : null,
    logLevel: 'silent',
  },
  folder: prepareDataFolder(dataDir),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  openPort: line.openPort,
  newHome: {
    house: line.newHome.house,
    integration: 'Bench',
    rules: () => ({ automations: [], schedules: [] }),
    past: null,
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
const lamp = [...house.devices.values()].find((device) => device.class === 'light_dimmer')
if (!lamp) throw new Error('the generated house has no dimmer')

let level = 0
/** The unit confirms at once: what is left is the gateway's own work. */
const instantly = (): void => {
  bus.stop()
  Object.defineProperty(bus, 'down', { get: () => null })
  bus.control = () => {
    level = (level + 1) % 100
    return Promise.resolve(ok({ on: true, bri: level, mode: 'manual' } satisfies DeviceState))
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
  }) => {
    // The house at rest: nothing changes while reads are measured.
    if (message.rest) bus.stop()
    if (message.instantly) instantly()
    if (message.timeTheBus) timeTheBus()
    if (message.busMs) {
      process.send?.({ busMs: busMs.splice(0) })
      return
    }
    if (message.heap) return void heapAfterCollection().then((heap) => process.send?.(heap))
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
  level = (level + 1) % 100
  live.confirm(lamp.key, { on: true, bri: level, mode: 'manual' }, 'command', { source: 'gateway', name: 'bench' })
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

/** What is left once everything is collected that nobody holds, also what waited for a turn of the loop. */
async function heapAfterCollection(): Promise<{ usedMiB: number; residentMiB: number }> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let times = 0; times < 3; times += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const mebibytes = (bytes: number): number => bytes / 1024 ** 2
  return {
    usedMiB: mebibytes(getHeapStatistics().used_heap_size),
    residentMiB: mebibytes(process.memoryUsage.rss()),
  }
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
