import { AC_MODES, FANS, REMOTE_KEYS, type Command, type RegisterPair } from '../model/bus-types.ts'
import {
  ADDRESS_MAX,
  GANG_MAX,
  GANG_NONE,
  GROUP_MAX,
  OPERATION,
  REGISTERS_MAX,
  REQUEST,
  SET_POINT_MAX,
  SET_POINT_MIN,
  type RequestName,
  FieldReader,
  UnsoundMessage,
} from './codes.ts'

export interface Member {
  readonly address: number
  readonly gang: number | null
  readonly command: Command
}

/** What a host asks for, with its request id. */
export type Request = { readonly request: number } & (
  | { readonly name: 'hello' }
  | { readonly name: 'set_clock'; readonly epoch: number; readonly offset: number }
  | { readonly name: 'list_units'; readonly after: number }
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

/** A message that is refused whole; `request` and `code` where enough of it was there to answer. */
export interface BadRequest {
  readonly bad: UnsoundMessage['why']
  readonly code: number
  readonly request: number | null
}

export function decodeRequest(payload: Buffer): Request | BadRequest {
  try {
    return read(payload)
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
      return { name, request, after: fields.u16() }
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
