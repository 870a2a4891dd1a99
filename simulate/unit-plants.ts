import { type DeviceKey, parseDeviceKey } from '../src/home/model/device.ts'
import type { DeviceState } from '../src/home/model/state.ts'
import { overriding } from './overriding.ts'
import type { Plant } from './plant.ts'

/** Units that are new in the house, or that took the place of another, are not asked for their state. */
const readsNothingNew: Plant = { bus: (bus) => overriding(bus, { refresh: () => {} }) }

/** The state of a unit stays under its id after another unit took its place. */
const keepsStates: Plant = {
  home: (home) => {
    const states = new Map<DeviceKey, { readonly state: DeviceState; readonly asOf: number }>()
    home.events.on((event) => {
      if (event.kind === 'state') states.set(event.device, event)
      const known = event.kind === 'forgotten' ? states.get(event.device) : undefined
      if (event.kind === 'forgotten' && known !== undefined)
        home.live.states.confirm(event.device, known.state, known.asOf)
    })
    return home
  },
}

/** Readings of a unit stay under its id until the new unit reports the same kind. */
const keepsReadings: Plant = {
  home: (home) => {
    const { live } = home
    const known = new Map<DeviceKey, NonNullable<ReturnType<typeof live.readings>>>()
    const readings: typeof live.readings = (key) => {
      const [now, before] = [live.readings(key), known.get(key)]
      if (now === undefined) return before
      const merged = before === undefined ? now : { ...now, readings: { ...before.readings, ...now.readings } }
      known.set(key, merged)
      return merged
    }
    return overriding(home, { live: overriding(live, { readings }) })
  },
}

/** Settings of a unit stay under its id. */
const keepsSettings: Plant = {
  home: (home) => {
    const { settings } = home
    const known = new Map<DeviceKey, ReturnType<typeof settings.get>>()
    const get: typeof settings.get = (device) => {
      const merged = new Map([...(known.get(device) ?? []), ...settings.get(device)])
      known.set(device, merged)
      return merged
    }
    home.events.on((event) => {
      if (event.kind === 'settings' || event.kind === 'readings') get(event.device)
    })
    return overriding(home, { settings: overriding(settings, { get }) })
  },
}

/** Reasons of the unit before explain the unit that is there now. */
const explainsOldUnits: Plant = {
  home: (home) => overriding(home, { identities: overriding(home.identities, { since: () => 0 }) }),
}

/** The counter of a unit goes on with the counter of the unit that takes its place. */
const keepsCounters: Plant = {
  stores: (stores) => {
    const { energy } = stores.history
    return overriding(stores, {
      history: overriding(stores.history, { energy: overriding(energy, { beginAnew: () => {} }) }),
    })
  },
}

/** Energy of gangs is counted twice. */
const countsGangsTwice: Plant = {
  stores: (stores) => {
    const { energy } = stores.history
    const count: typeof energy.count = (device, allocate) => {
      energy.count(device, (last, largest) => {
        const counted = allocate(last, largest)
        const isGang = parseDeviceKey(device).gang !== null
        return counted && isGang ? { ...counted, amounts: [...counted.amounts, ...counted.amounts] } : counted
      })
    }
    return overriding(stores, {
      history: overriding(stores.history, { energy: overriding(energy, { count }) }),
    })
  },
}

/** Defects of units that come late or take the place of others, by name. */
export const UNIT_PLANTS: readonly (readonly [name: string, plant: Plant])[] = [
  ['reads-nothing-new', readsNothingNew],
  ['keeps-states', keepsStates],
  ['keeps-readings', keepsReadings],
  ['keeps-settings', keepsSettings],
  ['explains-old-units', explainsOldUnits],
  ['keeps-counters', keepsCounters],
  ['counts-gangs-twice', countsGangsTwice],
]
