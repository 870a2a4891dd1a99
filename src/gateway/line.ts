import { readFileSync } from 'node:fs'
import type { Port } from '../hmhc/port/port.ts'
import { SerialLine } from '../hmhc/port/serial-port.ts'
import { TcpPort } from '../hmhc/port/tcp-port.ts'
import { readHouseFile } from '../home/house/house-file.ts'
import type { HouseContent } from '../home/ports/house-store.ts'
import type { Clock } from '../lib/clock.ts'
import { writeYaml } from '../lib/yaml.ts'
import type { HmhcSetting } from './settings.ts'
import { generateHouse } from '../sim/houses/generate-house.ts'
import { createSimulatedHouse, type SimulatedHouse } from '../sim/simulated-house.ts'
import { SimulatedLine } from './simulated-line.ts'

/** How the gateway reaches its units, and what a new home behind that line looks like. */
export interface UnitLine {
  readonly openPort: () => Port
  readonly firstHouse: () => HouseContent
  /** For the banner. */
  readonly text: string
  /** The simulated house, where it is inside. */
  readonly simulated: SimulatedHouse | null
}

const DEMO_HOUSE = new URL('../home/demo/demo-house.yaml', import.meta.url)

export function unitLine(setting: HmhcSetting, clock: Clock, timeZone: string): UnitLine {
  switch (setting.kind) {
    case 'sim':
      return simulated(setting, clock, timeZone)
    case 'serial':
      return {
        openPort: () => new SerialLine(setting.path),
        firstHouse: () => emptyHouse(timeZone),
        text: setting.path,
        simulated: null,
      }
    case 'tcp':
      return {
        openPort: () => new TcpPort(setting.host, setting.port),
        firstHouse: () => emptyHouse(timeZone),
        text: `tcp://${setting.host}:${setting.port}`,
        simulated: null,
      }
  }
}

function simulated(
  { units, seed, speed }: Extract<HmhcSetting, { kind: 'sim' }>,
  clock: Clock,
  timeZone: string,
): UnitLine {
  const generated = units === null ? null : generateHouse(units, seed)
  const house = createSimulatedHouse({ clock, seed, speed, ...(generated ? { plan: generated.plan } : {}) })
  return {
    openPort: () => new SimulatedLine(house),
    firstHouse: () => readHouse(generated ? writeYaml(generated.file) : readFileSync(DEMO_HOUSE, 'utf8'), timeZone),
    text: `a simulated house of ${house.house.units.length} units${speed === 1 ? '' : `, ${speed} times as fast`}`,
    simulated: house,
  }
}

function readHouse(text: string, timeZone: string): HouseContent {
  const read = readHouseFile(text, timeZone)
  if (!read.ok) throw new Error(`The house file that comes with the gateway is wrong: ${read.error}`)
  return read.value
}

function emptyHouse(timeZone: string): HouseContent {
  return {
    info: { name: 'Home', timeZone, latitude: null, longitude: null, currency: 'EUR' },
    floors: [],
    rooms: [],
    units: [],
    scenes: [],
  }
}
