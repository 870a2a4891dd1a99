import type { BusDown, ChangeTrigger, Detection, DeviceState, Readings, RegisterValues } from './state.ts'
import type { Cause } from './cause.ts'
import type { DeviceKey } from './device.ts'
import type { RuleKind } from './rules.ts'

/**
 * What happens in the home, emitted after it is confirmed and stored; the stream, the rules and the recorder subscribe.
 * `at` and `asOf` are epoch ms.
 */
export type HomeEvent =
  | {
      readonly kind: 'state'
      readonly device: DeviceKey
      readonly state: DeviceState
      readonly previous: DeviceState | null
      /** False when the unit confirmed what was known already: only `asOf` moved. */
      readonly changed: boolean
      readonly trigger: ChangeTrigger
      readonly cause: Cause
      readonly asOf: number
    }
  | {
      readonly kind: 'readings'
      /** A unit, or a gang that measures its own power and energy. */
      readonly device: DeviceKey
      readonly readings: Readings
      readonly previous: Readings | null
      /** Whether they differ, or are the first that a sensor or meter says since the start: its state then. */
      readonly changed: boolean
      readonly asOf: number
    }
  | {
      readonly kind: 'detection'
      readonly unit: string
      readonly detection: Detection
      readonly value: boolean
      readonly at: number
    }
  | {
      readonly kind: 'energy'
      readonly device: DeviceKey
      readonly energyWh: number
      readonly powerW: number
      readonly at: number
    }
  | {
      readonly kind: 'scene'
      readonly scene: string
      readonly running: boolean
      readonly cause: Cause
      readonly at: number
    }
  | {
      readonly kind: 'settings'
      readonly device: DeviceKey
      readonly values: RegisterValues
      readonly asOf: number
      readonly cause: Cause
    }
  | { readonly kind: 'unit'; readonly unit: string; readonly reachable: boolean; readonly at: number }
  | { readonly kind: 'link'; readonly down: BusDown | null; readonly at: number }
  /** An automation or schedule was made, changed, paused or deleted. */
  | { readonly kind: 'rule'; readonly rule: RuleKind; readonly at: number }
  /**
   * The id names another physical unit from `at` on: its address, model, class or gangs changed. Nothing that was known
   * of the old unit holds for it (docs/devices.md#replaced-units). Emitted before the `structure` event of the same change.
   */
  | { readonly kind: 'rebound'; readonly unit: string; readonly cause: Cause; readonly at: number }
  /** The state of a device of the house is not known any more: its unit was replaced, or it changed its class. */
  | { readonly kind: 'forgotten'; readonly device: DeviceKey; readonly at: number }
  /** Floors, rooms, units, gangs or scenes were added, renamed, moved or removed. */
  | { readonly kind: 'structure'; readonly cause: Cause; readonly at: number }
