import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareDataFolder } from '../src/gateway/data-folder.ts'
import { openGateway } from '../src/gateway/gateway.ts'
import type { DeviceState } from '../src/home/model/state.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { ok } from '../src/lib/result.ts'
import { unitLine } from '../src/gateway/line.ts'

/** A gateway for the benchmarks: a quiet simulated house of N units, no limits. Arguments: the number of units. */
const units = Number(process.argv[2] ?? 300)
const dataDir = mkdtempSync(join(tmpdir(), 'hm-bench-'))
const line = unitLine({ kind: 'sim', units, seed: 7, speed: 1 }, systemClock, 'Europe/Berlin')
const gateway = await openGateway({
  settings: {
    dataDir,
    host: '127.0.0.1',
    port: 0,
    hmhc: { kind: 'sim', units, seed: 7, speed: 1 },
    rateLimit: null,
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
  connections: { all: 2_000, perAddress: 2_000 },
  streamLimits: { all: 2_000, perCredential: 2_000 },
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
  (message: { instantly?: true; events?: number; timeTheBus?: true; busMs?: true; rest?: true }) => {
    // The house at rest: nothing changes while reads are measured.
    if (message.rest) bus.stop()
    if (message.instantly) instantly()
    if (message.timeTheBus) timeTheBus()
    if (message.busMs) {
      process.send?.({ busMs: busMs.splice(0) })
      return
    }
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

process.send?.({
  port: gateway.port,
  leaf: join(dataDir, 'tls', 'leaf.pem'),
  caFile: gateway.caFile,
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
