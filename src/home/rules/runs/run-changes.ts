import { canonicalJson } from '../../../lib/canonical-json.ts'
import type { DeviceKey, DeviceState } from '../../model/device.ts'
import type { Cause, HomeEvent } from '../../model/events.ts'
import type { Step } from '../../model/rules.ts'
import { commandsBack, type DeviceStep } from '../../model/steps.ts'
import { stepsIn } from '../../model/rule-parts.ts'
import type { ChangedDevice } from '../../ports/rule-store.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import { findLink } from './cause-chain.ts'

/** Most devices that one run returns to their earlier states. */
export const RESTORED_MAX = 500

/** True if a run of these steps has to know its changes. */
export function restores(steps: readonly Step[]): boolean {
  return stepsIn(steps).some((step) => 'restore' in step)
}

/** Devices that a run has changed, also by scenes, with their states before. */
export class RunChanges {
  readonly #cause: Cause
  readonly #devices: Map<DeviceKey, ChangedDevice>

  /** @param cause the cause of the run, which stands in the chain of each of its changes. */
  constructor(cause: Cause, devices: readonly ChangedDevice[] = []) {
    this.#cause = cause
    this.#devices = new Map(devices.map((one) => [one.device, one]))
  }

  get list(): readonly ChangedDevice[] {
    return [...this.#devices.values()]
  }

  /** Somebody else's change makes the device theirs, until the run changes it again. */
  onHomeEvent(event: HomeEvent): void {
    if (event.kind === 'rebound') for (const { device } of this.list) this.#forgetOf(event.unit, device)
    if (event.kind !== 'state') return
    const { device, state, previous, cause } = event
    const known = this.#devices.get(device)
    if (findLink(this.#cause, cause) === undefined) {
      if (known !== undefined) this.#compare(known, state)
      return
    }
    if (known === undefined && (!event.changed || this.#devices.size >= RESTORED_MAX)) return
    const before = known === undefined || known.isTheirs ? previous : known.before
    this.#devices.set(device, { device, before, after: state, isTheirs: false })
  }

  /** After a restart: a device with another state has been changed meanwhile. */
  compare(states: Pick<StateReader, 'state'>): void {
    for (const known of this.list) {
      const state = states.state(known.device)
      if (state !== null) this.#compare(known, state)
    }
  }

  #compare(known: ChangedDevice, state: DeviceState): void {
    if (canonicalJson(known.after) !== canonicalJson(state))
      this.#devices.set(known.device, { ...known, isTheirs: true })
  }

  /** Rounds of commands that return the devices to their earlier states. */
  rounds(): readonly (readonly DeviceStep[])[] {
    const perDevice = this.list
      .filter(({ isTheirs }) => !isTheirs)
      .map(({ device, before, after }) =>
        before === null ? [] : commandsBack(before, after).map((command) => ({ device, ...command })),
      )
    const longest = Math.max(0, ...perDevice.map(({ length }) => length))
    return Array.from({ length: longest }, (_, round) => perDevice.flatMap((commands) => commands[round] ?? []))
  }

  /** Forgets all changes, once the devices are back. */
  clear(): void {
    this.#devices.clear()
  }

  #forgetOf(unit: string, device: DeviceKey): void {
    if (device === unit || device.startsWith(`${unit}:`)) this.#devices.delete(device)
  }
}
