import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type HomeEvent, type Cause, requesterOf } from '../model/events.ts'
import type { House, Device } from '../house/house.ts'
import { type DeviceKey, parseDeviceKey, isMoving, type RegisterName } from '../model/device.ts'
import type { UnitBus, Priority } from '../ports/unit-bus.ts'
import type { LiveHome } from './live-home.ts'

/** Units report while they move. A cover that is silent for this long while moving is read. */
const SILENT_TRAVEL_MS = 30_000

interface TravelsParts {
  readonly house: Pick<House, 'units'>
  readonly live: Pick<LiveHome, 'states' | 'loseMovement'>
  readonly bus: Pick<UnitBus, 'refresh'>
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
}

/**
 * Watches shutters, curtains and gates while they move, because a unit without mains never reports the end. A silent
 * one is read; if it does not answer, its movement is unknown (docs/devices.md#states).
 */
export class Travels {
  readonly #parts: TravelsParts
  readonly #checks = new Map<DeviceKey, () => void>()
  readonly #unsubscribe: () => void

  constructor(parts: TravelsParts) {
    this.#parts = parts
    this.#unsubscribe = parts.events.on((event) => {
      if (event.kind === 'state') this.#follow(event.device, isMoving(event.state))
      if (event.kind === 'forgotten') this.#follow(event.device, false)
      if (event.kind === 'unit' && !event.reachable) this.#lost(event.unit)
    })
  }

  stop(): void {
    this.#unsubscribe()
    for (const cancel of this.#checks.values()) cancel()
    this.#checks.clear()
  }

  #follow(device: DeviceKey, moves: boolean): void {
    this.#checks.get(device)?.()
    this.#checks.delete(device)
    if (moves)
      this.#checks.set(
        device,
        this.#parts.clock.after(SILENT_TRAVEL_MS, () => this.#check(device)),
      )
  }

  #check(device: DeviceKey): void {
    this.#checks.delete(device)
    const unit = this.#parts.house.units.get(parseDeviceKey(device).unit)
    if (unit === undefined) return
    this.#parts.bus.refresh(unit.address)
    this.#follow(device, true)
  }

  #lost(unit: string): void {
    for (const device of [...this.#checks.keys()])
      if (parseDeviceKey(device).unit === unit) this.#parts.live.loseMovement(device)
  }
}

/** Settings of a power switch that decide its set point, and whether it accepts `set_temp` at all. */
const SET_POINT_SETTINGS: readonly RegisterName[] = ['climate_load', 'cool_on', 'cool_off', 'heat_on', 'heat_off']

interface StateAfterSettingsParts {
  readonly bus: Pick<UnitBus, 'readState'>
  readonly live: Pick<LiveHome, 'confirm'>
  readonly isCurrent: (device: Device) => boolean
}

/**
 * Units report no new state when a setting changes it, so a state that depends on confirmed settings is read again.
 * Resolves once it is taken; if the unit does not answer, the bus retries by itself.
 */
export async function readStateAfterSettings(
  { bus, live, isCurrent }: StateAfterSettingsParts,
  device: Device,
  names: readonly RegisterName[],
  cause: Cause,
  priority: Priority,
): Promise<void> {
  if (device.class !== 'power_switch' || !names.some((name) => SET_POINT_SETTINGS.includes(name))) return
  const target = { address: device.unit.address, gang: device.gang?.gang ?? null }
  const answer = await bus.readState(target, priority, requesterOf(cause))
  if (answer.ok && isCurrent(device))
    live.confirm(device.key, answer.value, cause.source === 'unit' ? 'touch' : 'command', cause)
}
