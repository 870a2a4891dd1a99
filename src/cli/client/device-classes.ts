import type { Paths } from '@hm-gateway/client/src/contract.ts'

type Asked = NonNullable<NonNullable<Paths['/v1/house']['get']['query']>['class']>

/** Exhaustive: the classes that the contract has. */
const KNOWN: Readonly<Record<Exclude<Asked, 'scene'>, true>> = {
  light_switch: true,
  light_dimmer: true,
  shutter: true,
  curtain: true,
  power_switch: true,
  sense_switch: true,
  ac: true,
  ir_remote: true,
  lock: true,
  gate: true,
  sensor: true,
  meter: true,
  gang_module: true,
  switch_gang: true,
  shutter_gang: true,
}

/** The classes of devices that this version knows; a newer gateway may have others. */
export const DEVICE_CLASSES: readonly string[] = Object.keys(KNOWN)
