import type { DeviceClass } from '../model/device.ts'
import { ALARM_KINDS, READING_KINDS, type ReadingKind, type Readings } from '../model/state.ts'
import { type Detection, DETECTIONS } from '../ports/unit-bus.ts'

interface Senses {
  readonly readings: readonly ReadingKind[]
  readonly detections: readonly Detection[]
}

const NOTHING: Senses = { readings: [], detections: [] }
const WALL_SWITCH: Senses = { readings: ['temperature', 'light', 'motion'], detections: ['motion'] }
/** Loads report what they draw. */
const WALL_LOAD: Senses = { ...WALL_SWITCH, readings: [...WALL_SWITCH.readings, 'power', 'energy'] }
const POWER: Senses = { readings: ['power', 'energy'], detections: [] }

/** What units of each class measure and detect (docs/devices.md#readings-and-detections). */
export const SENSES_OF: Readonly<Record<DeviceClass, Senses>> = {
  light_switch: WALL_LOAD,
  light_dimmer: WALL_LOAD,
  power_switch: WALL_LOAD,
  sense_switch: WALL_LOAD,
  shutter: WALL_SWITCH,
  gang_module: WALL_SWITCH,
  curtain: NOTHING,
  ac: { readings: ['temperature', ...POWER.readings], detections: [] },
  ir_remote: NOTHING,
  lock: { readings: ['door', 'battery', 'tamper'], detections: ['door', 'tamper'] },
  gate: NOTHING,
  sensor: { readings: READING_KINDS, detections: DETECTIONS },
  meter: POWER,
  switch_gang: POWER,
  shutter_gang: NOTHING,
}

/** A device that a rule names, as far as it is known; `heard`: its readings so far. */
export interface KnownDevice {
  readonly class: DeviceClass
  readonly name: string
  readonly heard?: Readings | undefined
}

/**
 * The readings of a device. A sensor or meter that was heard has those that it reported, and a sensor its alarms. Any
 * other device has those of its class, and those that it reported.
 */
export function readingsOf({ class: its, heard = {} }: KnownDevice): readonly ReadingKind[] {
  const reported = READING_KINDS.filter((kind) => heard[kind] !== undefined)
  const reportsAll = (its === 'sensor' || its === 'meter') && reported.length > 0
  const possible: readonly ReadingKind[] = reportsAll ? (its === 'sensor' ? ALARM_KINDS : []) : SENSES_OF[its].readings
  return READING_KINDS.filter((kind) => possible.includes(kind) || reported.includes(kind))
}

/** False for a sensor or meter without a report: its class does not tell which readings it has. */
export function areReadingsKnown({ class: its, heard = {} }: KnownDevice): boolean {
  return (its !== 'sensor' && its !== 'meter') || READING_KINDS.some((kind) => heard[kind] !== undefined)
}

/** Devices that have a flag among their readings detect it. */
export function detectionsOf(device: KnownDevice): readonly Detection[] {
  const readings = readingsOf(device)
  return SENSES_OF[device.class].detections.filter((detection) => readings.includes(detection))
}
