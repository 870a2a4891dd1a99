import { openGateway } from '../../src/gateway/gateway.ts'
import { simulatedHome } from '../../src/gateway/simulated-home.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { ok } from '../../src/lib/result.ts'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { readSettings } from '../../src/settings/settings.ts'

/**
 * A gateway in a process that the test kills. Its units confirm at once, so that a kill meets many controls. Prints its
 * port, its first start's key and its dimmers.
 */
const [dataDir = ''] = process.argv.slice(2)
const hmhc = { kind: 'sim', units: 30, seed: 7, speed: 1 } as const
const line = simulatedHome(hmhc, systemClock, 'Europe/Berlin')
const gateway = await openGateway({
  settings: {
    ...readSettings({ HM_HOST: '127.0.0.1', HM_LOG_LEVEL: 'silent' }, []),
    ...{ dataDir, port: 0, hmhc, rateLimit: null, console: 'off' as const },
  },
  folder: prepareDataFolder(dataDir),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  openPort: line.openPort,
  newHome: {
    integration: 'Killed',
    house: line.newHome.house,
    rules: () => ({ automations: [], schedules: [] }),
    past: null,
  },
  defaultZone: 'Europe/Berlin',
  announce: false,
})
const { house, bus } = gateway.home
bus.stop()
Object.defineProperty(bus, 'down', { get: () => null })
bus.control = (_unit, command) =>
  Promise.resolve(
    ok({ on: true, bri: command.op === 'set_brightness' ? command.args.bri : 0, mode: 'manual' as const }),
  )
const dimmers = [...house.devices.values()].filter((device) => device.class === 'light_dimmer').map(({ key }) => key)
const { port, serial, caFile, firstKey } = gateway
process.stdout.write(`${JSON.stringify({ port, serial, caFile, token: firstKey?.token ?? null, dimmers })}\n`)
