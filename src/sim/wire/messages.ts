import {
  type GangClass,
  type State,
  type UnitClass,
  AC_MODES,
  FANS,
  REMOTE_KEYS,
  type Command,
  type RegisterPair,
} from '../model/bus-types.ts'
import type { SimModel } from '../model/house-plan.ts'

/** The code tables of docs/hmhc.md, section 2. */
const ADDRESS_MAX = 0xfeff
export const GANG_NONE = 0xff
const GANG_MAX = 7
export const NO_SET_POINT = 0x7fff
/** Largest values of the adapter's limits; its hello reply states its own. */
const REGISTERS_MAX = 40
const GROUP_MAX = 24
const IDENTIFY_SECONDS_MAX = 60

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
  capabilities: 0x06,
  control: 0x10,
  read_state: 0x11,
  group_control: 0x12,
  read_registers: 0x13,
  write_registers: 0x14,
  read_schedules: 0x15,
  identify: 0x16,
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
  touch: 0x48,
} as const
/** Requests of HMHC 1.1, unknown before. */
const LATER_REQUESTS: readonly RequestName[] = ['capabilities', 'identify']

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

/** Range of a set point in tenths of a degree. */
const SET_POINT_MIN = 50
const SET_POINT_MAX = 350

/** A message that must be refused whole, with the first reason. */
class UnsoundMessage extends Error {
  readonly why: 'code' | 'length' | 'value'

  constructor(why: 'code' | 'length' | 'value') {
    super(`unsound message: ${why}`)
    this.why = why
  }
}

/** Reads consecutive fields of a payload; throws UnsoundMessage. */
class FieldReader {
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

  /** An item of a list, by position. */
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

/** Builds a payload field by field. The caller keeps values within their ranges. */
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

export interface Member {
  readonly address: number
  readonly gang: number | null
  readonly command: Command
}

/** A request of the host, with its id. */
export type Request = { readonly request: number } & (
  | { readonly name: 'hello' }
  | { readonly name: 'set_clock'; readonly epoch: number; readonly offset: number }
  | { readonly name: 'list_units' | 'capabilities'; readonly after: number }
  | { readonly name: 'identify'; readonly address: number; readonly gang: number | null; readonly seconds: number }
  | { readonly name: 'unit_info' | 'ping' | 'read_state'; readonly address: number }
  | ({ readonly name: 'control' } & Member)
  | { readonly name: 'group_control'; readonly members: readonly Member[] }
  | {
      readonly name: 'read_registers'
      readonly address: number
      readonly gang: number | null
      readonly registers: readonly number[]
    }
  | {
      readonly name: 'write_registers'
      readonly address: number
      readonly gang: number | null
      readonly registers: readonly RegisterPair[]
    }
  | { readonly name: 'read_schedules'; readonly address: number; readonly from: number }
)

/** An invalid message; `request` and `code` if it was long enough to answer. */
interface BadRequest {
  readonly bad: UnsoundMessage['why']
  readonly code: number
  readonly request: number | null
}

/** @param version version byte of the session: 1 is HMHC 1.0, 2 is HMHC 1.1 */
export function decodeRequest(payload: Buffer, version = 2): Request | BadRequest {
  try {
    const request = read(payload)
    if (version < 2 && LATER_REQUESTS.includes(request.name)) throw new UnsoundMessage('code')
    return request
  } catch (error) {
    if (!(error instanceof UnsoundMessage)) throw error
    return { bad: error.why, code: payload[0] ?? 0, request: payload.length >= 3 ? payload.readUInt16BE(1) : null }
  }
}

function read(payload: Buffer): Request {
  const fields = new FieldReader(payload)
  const name = nameOf(fields.u8())
  const request = fields.u16()
  const decoded = readFields(name, request, fields)
  fields.end()
  return decoded
}

function nameOf(code: number): RequestName {
  for (const [name, its] of Object.entries(REQUEST)) if (its === code && isName(name)) return name
  throw new UnsoundMessage('code')
}

const isName = (text: string): text is RequestName => text in REQUEST

function readFields(name: RequestName, request: number, fields: FieldReader): Request {
  switch (name) {
    case 'hello':
      return { name, request }
    case 'set_clock':
      return { name, request, epoch: fields.u32(), offset: fields.i16() }
    case 'list_units':
    case 'capabilities':
      return { name, request, after: fields.u16() }
    case 'identify':
      return {
        name,
        request,
        address: address(fields),
        gang: gang(fields),
        seconds: fields.u8(0, IDENTIFY_SECONDS_MAX),
      }
    case 'unit_info':
    case 'ping':
    case 'read_state':
      return { name, request, address: address(fields) }
    case 'control':
      return { name, request, ...member(fields) }
    case 'group_control':
      return { name, request, members: list(fields.u8(1, GROUP_MAX), () => member(fields)) }
    case 'read_registers':
      return {
        name,
        request,
        address: address(fields),
        gang: gang(fields),
        registers: list(fields.u8(1, REGISTERS_MAX), () => fields.u16()),
      }
    case 'write_registers':
      return {
        name,
        request,
        address: address(fields),
        gang: gang(fields),
        registers: list(fields.u8(1, REGISTERS_MAX), () => [fields.u16(), fields.u16()] as const),
      }
    case 'read_schedules':
      return { name, request, address: address(fields), from: fields.u8() }
  }
}

const list = <T>(count: number, item: () => T): T[] => Array.from({ length: count }, item)
const address = (fields: FieldReader): number => fields.u16(1, ADDRESS_MAX)
const member = (fields: FieldReader): Member => ({
  address: address(fields),
  gang: gang(fields),
  command: command(fields),
})

function gang(fields: FieldReader): number | null {
  const byte = fields.u8()
  if (byte !== GANG_NONE && byte > GANG_MAX) throw new UnsoundMessage('value')
  return byte === GANG_NONE ? null : byte
}

function command(fields: FieldReader): Command {
  switch (fields.u8()) {
    case OPERATION.set_power:
      return { op: 'set_power', on: fields.flag() }
    case OPERATION.set_brightness:
      return { op: 'set_brightness', bri: fields.u8(0, 100) }
    case OPERATION.set_position:
      return { op: 'set_position', pos: fields.u8(0, 100) }
    case OPERATION.open:
      return { op: 'open' }
    case OPERATION.close:
      return { op: 'close' }
    case OPERATION.stop:
      return { op: 'stop' }
    case OPERATION.set_mode:
      return { op: 'set_mode', mode: fields.of(['auto', 'eco', 'manual'] as const) }
    case OPERATION.set_temp:
      return { op: 'set_temp', temp: fields.i16(SET_POINT_MIN, SET_POINT_MAX) / 10 }
    case OPERATION.set_ac_mode:
      return { op: 'set_ac_mode', mode: fields.of(AC_MODES) }
    case OPERATION.set_fan:
      return { op: 'set_fan', fan: fields.of(FANS) }
    case OPERATION.key:
      return { op: 'key', key: fields.of(REMOTE_KEYS) }
    default:
      throw new UnsoundMessage('value')
  }
}
