import { SerialLine } from '../hmhc/port/serial-port.ts'
import { TcpPort } from '../hmhc/port/tcp-port.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewHome, UnitLine } from './options.ts'
import type { HmhcSetting } from '../settings/settings.ts'

/** The line of a setting; a home with real units loads nothing of the simulated house. */
export async function unitLine(setting: HmhcSetting, clock: Clock, timeZone: string): Promise<UnitLine> {
  switch (setting.kind) {
    case 'sim': {
      const { simulatedHome } = await import('./simulated-home.ts')
      return simulatedHome(setting, clock, timeZone)
    }
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
        text: `tcp://${setting.host.includes(':') ? `[${setting.host}]` : setting.host}:${setting.port}`,
      }
  }
}

/** A real home starts empty: its administrators set it up. */
function emptyHome(timeZone: string): NewHome {
  const info = { name: 'Home', timeZone, latitude: null, longitude: null, currency: 'EUR' }
  return {
    house: () => ({ info, floors: [], rooms: [], units: [], scenes: [], groups: [] }),
    rules: () => ({ automations: [], schedules: [] }),
    integration: null,
    past: null,
  }
}
