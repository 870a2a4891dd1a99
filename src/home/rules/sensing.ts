import type { DeviceClass } from '../model/device.ts'
import { isFlag, READING_KINDS, type ReadingKind, type Readings } from '../model/state.ts'
import { type Detection, DETECTIONS } from '../ports/unit-bus.ts'

interface Senses {
  readonly readings: readonly ReadingKind[]
  readonly detections: readonly Detection[]
}

const NOTHING: Senses = { readings: [], detections: [] }
const WALL_SWITCH: Senses = { readings: ['temperature', 'light', 'motion'], detections: ['motion'] }

/** What units of each class measure and detect (docs/devices.md#readings-and-detections). */
export const SENSES_OF: Readonly<Record<DeviceClass, Senses>> = {
  light_switch: WALL_SWITCH,
  light_dimmer: WALL_SWITCH,
  power_switch: WALL_SWITCH,
  sense_switch: WALL_SWITCH,
  shutter: WALL_SWITCH,
  gang_module: WALL_SWITCH,
  curtain: NOTHING,
  ac: { readings: ['temperature'], detections: [] },
  ir_remote: NOTHING,
  lock: { readings: ['door', 'battery'], detections: ['door', 'tamper'] },
  gate: NOTHING,
  sensor: { readings: READING_KINDS, detections: DETECTIONS },
  meter: { readings: ['power'], detections: [] },
  switch_gang: NOTHING,
  shutter_gang: NOTHING,
}

/** A device that a rule names, as far as it is known; `heard`: its readings so far. */
export interface KnownDevice {
  readonly class: DeviceClass
  readonly name: string
  readonly heard?: Readings | undefined
}

/** What a device measures: a sensor or meter that was heard what it told, any other what its class does or it told. */
export function readingsOf({ class: its, heard = {} }: KnownDevice): readonly ReadingKind[] {
  const told = READING_KINDS.filter((kind) => heard[kind] !== undefined)
  const tellsAll = (its === 'sensor' || its === 'meter') && told.length > 0
  return tellsAll ? told : READING_KINDS.filter((kind) => SENSES_OF[its].readings.includes(kind) || told.includes(kind))
}

/** A flag is detected by those that measure it. */
export function detectionsOf(device: KnownDevice): readonly Detection[] {
  const readings = readingsOf(device)
  return SENSES_OF[device.class].detections.filter((each) => !isFlag(each) || readings.includes(each))
}
