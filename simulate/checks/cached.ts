import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

/** So long may a report that is at the adapter take to the gateway. */
const HEARD_MS = 1_000

/** At rest the gateway knows each unit's state as it is. */
export function cached(world: World): Check {
  return {
    atRest: () => {
      const { house, live, bus } = world.life.home
      if (bus.down !== null) throw new Violation('cached', `Nothing disturbs the line, and it is down: ${bus.down}.`)
      for (const { key, unit, gang, class: deviceClass } of house.devices.values()) {
        const states = world.house.house.unit(unit.address)?.states() ?? []
        const found = states.find((each) => each.gang === (gang?.gang ?? null))?.state
        if (found === undefined || found.class === 'sensor' || found.class === 'meter') continue
        // What it did by itself at this very moment the gateway is about to hear.
        if (world.house.sinceReport(unit.address) < HEARD_MS) continue
        // Where it is on its way changes as it is asked.
        if ('move' in found && found.move !== 'stopped') continue
        const known = live.states.get(key)?.state
        const { class: unitClass, ...its } = found
        // A state of another class says nothing of the device.
        const real = unitClass === deviceClass ? its : {}
        if (textOf(known) !== textOf(real))
          throw new Violation('cached', `${key} is ${textOf(real)}, known as ${textOf(known)}.`)
      }
    },
  }
}

function textOf(state: object | undefined): string {
  return JSON.stringify(Object.entries(state ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)))
}
