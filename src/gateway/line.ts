import { readFileSync } from 'node:fs'
import { SerialLine } from '../hmhc/port/serial-port.ts'
import { TcpPort } from '../hmhc/port/tcp-port.ts'
import { DEMO_PLAN } from '../demo/demo-plan.ts'
import { generateHouse } from '../demo/generate-house.ts'
import { makePast } from '../demo/past.ts'
import { type HomeFile, readHomeFile } from '../home/home-file.ts'
import type { Clock } from '../lib/clock.ts'
import { writeYaml } from '../lib/yaml.ts'
import type { GatewayOptions, NewHome } from './options.ts'
import type { HmhcSetting } from './settings.ts'
import { createSimulatedHouse } from '../sim/simulated-house.ts'
import { SimulatedLine } from './simulated-line.ts'

/** How the gateway reaches its units, and what a new home behind that line begins with. */
export interface UnitLine extends Pick<GatewayOptions, 'openPort' | 'newHome'> {
  /** For the banner. */
  readonly text: string
}

const DEMO_HOUSE = new URL('../demo/demo-house.yaml', import.meta.url)

export function unitLine(setting: HmhcSetting, clock: Clock, timeZone: string): UnitLine {
  switch (setting.kind) {
    case 'sim':
      return simulated(setting, clock, timeZone)
    case 'serial':
      return {
        openPort: () => new SerialLine(setting.path),
        newHome: emptyHome(timeZone),
        text: setting.path,
      }
    case 'tcp':
      return {
        openPort: () => new TcpPort(setting.host, setting.port),
        newHome: emptyHome(timeZone),
        text: `tcp://${setting.host}:${setting.port}`,
      }
  }
}

function simulated(
  { units, seed, speed }: Extract<HmhcSetting, { kind: 'sim' }>,
  clock: Clock,
  timeZone: string,
): UnitLine {
  const generated = units === null ? null : generateHouse(units, seed)
  const house = createSimulatedHouse({ clock, seed, speed, plan: generated?.plan ?? DEMO_PLAN })
  const file = (): HomeFile =>
    readFile(generated ? writeYaml(generated.file) : readFileSync(DEMO_HOUSE, 'utf8'), timeZone)
  return {
    openPort: () => new SimulatedLine(house),
    newHome: {
      house: () => file().house,
      rules: () => file().rules,
      integration: 'Demo',
      past: (parts) =>
        makePast(parts, 'demo', ({ unit, gang }) =>
          house.house
            .unit(unit.address)
            ?.device(gang?.gang ?? null)
            ?.state(),
        ),
    },
    text: `a simulated house of ${house.house.units.length} units${speed === 1 ? '' : `, ${speed} times as fast`}`,
  }
}

function readFile(text: string, timeZone: string): HomeFile {
  const read = readHomeFile(text, timeZone)
  if (!read.ok) throw new Error(`The house file that comes with the gateway is wrong: ${read.error}`)
  return read.value
}

/** A real home begins empty: its administrators set it up. */
function emptyHome(timeZone: string): NewHome {
  const info = { name: 'Home', timeZone, latitude: null, longitude: null, currency: 'EUR' }
  return {
    house: () => ({ info, floors: [], rooms: [], units: [], scenes: [] }),
    rules: () => ({ automations: [], schedules: [] }),
    integration: null,
    past: null,
  }
}
