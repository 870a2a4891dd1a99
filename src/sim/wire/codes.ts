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

/** A message that must be refused whole, and the first reason for it. */
export class UnsoundMessage extends Error {
  readonly why: 'code' | 'length' | 'value'

  constructor(why: 'code' | 'length' | 'value') {
    super(`unsound message: ${why}`)
    this.why = why
  }
}

/** Takes fields off the front of a payload; throws UnsoundMessage. */
export class FieldReader {
  readonly #bytes: Buffer
  #offset = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  u8(low = 0, high = 0xff): number {
    return this.#within(this.#take(1).readUInt8(), low, high)
  }

  u16(low = 0, high = 0xffff): number {
    return this.#within(this.#take(2).readUInt16BE(), low, high)
  }

  i16(low = -0x8000, high = 0x7fff): number {
    return this.#within(this.#take(2).readInt16BE(), low, high)
  }

  u32(): number {
    return this.#take(4).readUInt32BE()
  }

  flag(): boolean {
    return this.u8(0, 1) === 1
  }

  /** One of a list, by position. */
  of<T>(list: readonly T[]): T {
    const item = list[this.u8(0, list.length - 1)]
    if (item === undefined) throw new UnsoundMessage('value')
    return item
  }

  end(): void {
    if (this.#offset !== this.#bytes.length) throw new UnsoundMessage('length')
  }

  #take(count: number): Buffer {
    const from = this.#offset
    this.#offset += count
    if (this.#offset > this.#bytes.length) throw new UnsoundMessage('length')
    return this.#bytes.subarray(from, this.#offset)
  }

  #within(value: number, low: number, high: number): number {
    if (value < low || value > high) throw new UnsoundMessage('value')
    return value
  }
}

/** Builds a payload field by field. The caller keeps values inside their fields' ranges. */
export class FieldWriter {
  readonly #bytes: number[] = []

  get length(): number {
    return this.#bytes.length
  }

  u8(...values: readonly number[]): this {
    for (const value of values) this.#bytes.push(value & 0xff)
    return this
  }

  u16(value: number): this {
    return this.u8(value >> 8, value)
  }

  u32(value: number): this {
    return this.u8(value >>> 24, value >>> 16, value >>> 8, value)
  }

  flag(value: boolean): this {
    return this.u8(value ? 1 : 0)
  }

  /** The position of an item in its list. */
  of<T>(list: readonly T[], item: T): this {
    return this.u8(list.indexOf(item))
  }

  bytes(values: Uint8Array): this {
    for (const value of values) this.#bytes.push(value)
    return this
  }

  take(): Buffer {
    return Buffer.from(this.#bytes)
  }
}
