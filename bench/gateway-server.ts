import { join } from 'node:path'
import { prepareDataFolder } from '../src/settings/data-folder.ts'
import { readSettings } from '../src/settings/settings.ts'
import { openGateway } from '../src/gateway/gateway.ts'
import type { DeviceState } from '../src/home/model/device.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { nextTurn } from '../src/lib/next-turn.ts'
import { systemRandom } from '../src/lib/random.ts'
import { ok } from '../src/lib/result.ts'
import { simulatedHome } from '../src/gateway/simulated-home.ts'
import { memoryAfterCollection } from './collection.ts'
import { fullHome, watchingRules } from './full-home.ts'
import { HeldLoop } from './held-loop.ts'
import { scratch } from './scratch.ts'
import { serve } from './served.ts'

/** Options of a benchmark's gateway; by default it has no limits and no automations. */
export type BenchmarkMode = 'plain' | 'limited' | 'full' | 'rules'

/**
 * A gateway for the benchmarks, with a quiet simulated house. Arguments: the number of units, and a mode. `limited` has
 * the usual limits, `full` these and years of use, and `rules` a thousand automations that
 * watch its dimmers.
 */
const units = Number(process.argv[2] ?? 300)
const mode = (process.argv[3] ?? 'plain') as BenchmarkMode
const isLimited = mode === 'limited' || mode === 'full'
const folder = scratch()
const hmhc = { kind: 'sim', units, seed: 7, speed: 1 } as const
const line = simulatedHome(hmhc, systemClock, 'Europe/Berlin')
const past = Promise.withResolvers<void>()
const made = mode === 'full' ? fullHome(line.newHome.house(), past.resolve) : { past: null }
if (mode !== 'full') past.resolve()
const many = { all: 2_000, perAddress: 2_000, perCredential: 2_000 }
const gateway = await openGateway({
  settings: {
    ...readSettings({ HM_HOST: '127.0.0.1', HM_LOG_LEVEL: 'silent' }, []),
    dataDir: folder.path,
    port: 0,
    hmhc,
    rateLimit: isLimited ? { perSecond: 200, burst: 500 } : null,
  },
  folder: prepareDataFolder(folder.path),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  openPort: line.openPort,
  newHome: {
    integration: 'Bench',
    house: line.newHome.house,
    rules: () => (mode === 'rules' ? watchingRules(line.newHome.house()) : { automations: [], schedules: [] }),
    ...made,
  },
  defaultZone: 'Europe/Berlin',
  announce: false,
  ...(isLimited ? {} : { connections: many, streamLimits: many }),
})
const { house, live, bus, events } = gateway.home
await settled()
await past.promise
const lamp = [...house.devices.values()].find((device) => device.class === 'light_dimmer')
if (!lamp) throw new Error('the generated house has no dimmer')

/** Always two digits, because the load recognises a response by its length. */
let level = 10
const nextLevel = (): number => (level = 10 + ((level - 9) % 90))
const cause = { source: 'gateway', name: 'bench' } as const
const loop = new HeldLoop()

const answers = {
  /** Stops all changes of the house while reads are measured. */
  rest: () => bus.stop(),
  /** Makes units confirm at once, so that only the gateway's work is measured. */
  instantly: () => {
    bus.stop()
    Object.defineProperty(bus, 'down', { get: () => null })
    bus.control = () => Promise.resolve(ok({ on: true, bri: nextLevel(), mode: 'manual' } satisfies DeviceState))
  },
  watch: () => loop.watch(),
  held: () => loop.stop(),
  heap: memoryAfterCollection,
  /** State changes of one lamp, one per turn of the loop, as from a bus. */
  events: async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      live.confirm(lamp.key, { on: true, bri: nextLevel(), mode: 'manual' }, 'command', cause)
      await nextTurn()
    }
  },
  /** Switches all devices `times` times, once per turn of the loop. */
  rounds: async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      for (const { key } of house.devices.values()) {
        const state = live.states.get(key)?.state
        if (state && 'on' in state) live.confirm(key, { ...state, on: !state.on }, 'command', cause)
      }
      await nextTurn()
    }
  },
}

serve(
  {
    port: gateway.port,
    leaf: join(folder.path, 'tls', 'leaf.pem'),
    caFile: gateway.caFile,
    dataDir: folder.path,
    token: gateway.firstKey?.token,
    lamp: `${gateway.serial}:${gateway.firstKey?.token.split('.')[1] ?? ''}:${lamp.key}`,
  },
  answers,
  async () => {
    await gateway.stop()
    folder[Symbol.dispose]()
  },
)

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
