import type { GangClass, State, UnitClass } from '../model/bus-types.ts'
import type { SimModel } from '../model/house-plan.ts'

/** The code tables of docs/hmhc.md, section 2. */
export const ADDRESS_MAX = 0xfeff
export const GANG_NONE = 0xff
export const GANG_MAX = 7
export const NO_SET_POINT = 0x7fff
/** Largest values of the adapter's limits; it states its own in the hello reply. */
export const REGISTERS_MAX = 40
export const GROUP_MAX = 24

export const MODEL_CODE: Readonly<Record<SimModel, number>> = {
  HMHH: 0x01,
  HMHHX1: 0x02,
  HMHHX2: 0x03,
  HMHHX3: 0x04,
  HMHHX4: 0x05,
  HMPH: 0x06,
  HMSH: 0x07,
  HMTHX2: 0x08,
  HMAC: 0x21,
  HMIR: 0x22,
  HMLK: 0x23,
  HMGT: 0x24,
  HMCU: 0x25,
  HMSE: 0x26,
  HMMT: 0x27,
}

export const CLASS_CODE: Readonly<Record<UnitClass | GangClass | State['class'], number>> = {
  light_switch: 0x01,
  light_dimmer: 0x02,
  shutter: 0x03,
  curtain: 0x04,
  power_switch: 0x05,
  sense_switch: 0x06,
  ac: 0x07,
  ir_remote: 0x08,
  lock: 0x09,
  gate: 0x0a,
  sensor: 0x0b,
  meter: 0x0c,
  gang_module: 0x0d,
  switch_gang: 0x10,
  shutter_gang: 0x11,
}

export const REQUEST = {
  hello: 0x01,
  set_clock: 0x02,
  list_units: 0x03,
  unit_info: 0x04,
  ping: 0x05,
  control: 0x10,
  read_state: 0x11,
  group_control: 0x12,
  read_registers: 0x13,
  write_registers: 0x14,
  read_schedules: 0x15,
} as const
export type RequestName = keyof typeof REQUEST
export const REPLY_BIT = 0x80

export const REPORT = {
  state_changed: 0x40,
  readings: 0x41,
  detection: 0x42,
  energy: 0x43,
  unit: 0x44,
  registers_changed: 0x45,
  trouble: 0x46,
  radio: 0x47,
} as const

export const RESULT = {
  done: 0,
  no_answer: 1,
  refused: 2,
  unknown_unit: 3,
  busy: 4,
  radio_down: 5,
  bad_request: 6,
} as const

export const OPERATION = {
  set_power: 0x01,
  set_brightness: 0x02,
  set_position: 0x03,
  open: 0x04,
  close: 0x05,
  stop: 0x06,
  set_mode: 0x07,
  set_temp: 0x08,
  set_ac_mode: 0x09,
  set_fan: 0x0a,
  key: 0x0b,
} as const

/** Tenths of a degree that a set point may have. */
export const SET_POINT_MIN = 50
export const SET_POINT_MAX = 350
