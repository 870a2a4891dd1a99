import { type ChangeTrigger, DETECTIONS, IDENTIFY_SECONDS_MAX, PRESSES, TOUCH_KEYS } from '../../home/model/device.ts'
import {
  choice,
  flag,
  integer,
  list,
  mapped,
  numbered,
  struct,
  tenths,
  u16,
  u32,
  u8,
  type Codec,
  type ValueOf,
  address,
  firmware,
  gang,
  GANG_MAX,
  registers,
  REGISTERS_MAX,
  text,
  unit,
  ByteReader,
  ByteWriter,
  UnsoundMessage,
  type MessageFault,
} from './codec.ts'
import { command, readings, state } from './state-codec.ts'
import { keysOf } from '../../lib/keys-of.ts'
import { fail, ok, type Result } from '../../lib/result.ts'

/**
 * The table of all messages (docs/hmhc.md 2.3 and 2.4): code, fields, and the fields of a reply with the result done.
 */

export const GROUP_MAX = 24
const SLOT_END = 0xff

const REFUSAL_DETAILS = [
  'other',
  'not_offered',
  'out_of_range',
  'protection',
  'mode',
  'no_gang',
  'no_register',
  'read_only',
  'blocked',
  'calibrating',
] as const
export type RefusalDetail = (typeof REFUSAL_DETAILS)[number]

/** A result other than done; `info` is the number of a register at fault. */
export type NotDone =
  | { readonly result: 'no_answer' | 'unknown_unit' | 'radio_down' | 'bad_request' }
  | { readonly result: 'refused'; readonly detail: RefusalDetail; readonly info: number }
  | { readonly result: 'busy'; readonly retryMs: number }
type ResultName = 'done' | NotDone['result']

const resultName: Codec<ResultName> = choice(
  numbered(['done', 'no_answer', 'refused', 'unknown_unit', 'busy', 'radio_down', 'bad_request'] as const, 0),
)
const refusal = struct({ detail: choice(numbered(REFUSAL_DETAILS, 0)), info: u16 })
const wait = struct({ retryMs: u16 })

/** A result: the fields of `done`, or the reason against it. */
function outcome<T extends object>(done: Codec<T>): Codec<({ readonly result: 'done' } & T) | NotDone> {
  return {
    write: (writer, value) => {
      resultName.write(writer, value.result)
      if (value.result === 'done') done.write(writer, value)
      else if (value.result === 'refused') refusal.write(writer, value)
      else if (value.result === 'busy') wait.write(writer, value)
    },
    read: (reader) => {
      const result = resultName.read(reader)
      if (result === 'done') return { result, ...done.read(reader) }
      if (result === 'refused') return { result, ...refusal.read(reader) }
      if (result === 'busy') return { result, ...wait.read(reader) }
      return { result }
    },
  }
}

/** Two consecutive groups of fields as one object. */
function joined<A extends object, B extends object>(first: Codec<A>, second: Codec<B>): Codec<A & B> {
  return {
    write: (writer, value) => {
      first.write(writer, value)
      second.write(writer, value)
    },
    read: (reader) => ({ ...first.read(reader), ...second.read(reader) }),
  }
}

const none = struct({})
/** Address from which a list continues: 0 for the first page and after the last. */
const page = integer('u16', 0, 0xfeff)
const isoDays: Codec<readonly number[]> = mapped(
  integer('u8', 0, 0x7f),
  (days) => days.reduce((mask, day) => mask | (1 << (day - 1)), 0),
  (mask) => [1, 2, 3, 4, 5, 6, 7].filter((day) => (mask & (1 << (day - 1))) !== 0),
)
const localTime: Codec<string> = mapped(
  struct({ hour: integer('u8', 0, 23), minute: integer('u8', 0, 59) }),
  (time) => ({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3)) }),
  ({ hour, minute }) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
)
const schedule = struct({
  slot: integer('u8', 0, SLOT_END - 1),
  enabled: flag,
  gang,
  days: isoDays,
  time: localTime,
  command,
})

const helloReply = struct({
  serial: text(32),
  firmware,
  network: u32,
  channel: u8,
  radioUp: flag,
  unitCount: u16,
  inFlightMax: integer('u8', 1, 16),
  groupMax: integer('u8', 1, GROUP_MAX),
  registersMax: integer('u8', 1, REGISTERS_MAX),
})

/** Host to adapter. `radio` marks requests that cost air time. */
export const REQUESTS = {
  hello: { code: 0x01, radio: false, fields: none, done: helloReply },
  set_clock: {
    code: 0x02,
    radio: false,
    fields: struct({ epoch: u32, offset: integer('i16', -1_440, 1_440) }),
    done: none,
  },
  list_units: {
    code: 0x03,
    radio: false,
    fields: struct({ after: page }),
    done: struct({ units: list(unit, 0, 26), next: page }),
  },
  unit_info: { code: 0x04, radio: false, fields: struct({ address }), done: struct({ unit }) },
  capabilities: {
    code: 0x06,
    radio: false,
    fields: struct({ after: page }),
    done: struct({ units: list(struct({ address, bits: u16 }), 0, 60), next: page }),
  },
  ping: { code: 0x05, radio: true, fields: struct({ address }), done: none },
  control: { code: 0x10, radio: true, fields: struct({ address, gang, command }), done: state },
  read_state: {
    code: 0x11,
    radio: true,
    fields: struct({ address }),
    done: struct({ states: list(joined(struct({ gang }), state), 1, GANG_MAX + 1) }),
  },
  group_control: {
    code: 0x12,
    radio: true,
    fields: struct({ members: list(struct({ address, gang, command }), 1, GROUP_MAX) }),
    done: struct({ results: list(joined(struct({ address, gang }), outcome(state)), 1, GROUP_MAX) }),
  },
  read_registers: {
    code: 0x13,
    radio: true,
    fields: struct({ address, gang, registers: list(u16, 1, REGISTERS_MAX) }),
    done: struct({ registers: registers(0) }),
  },
  write_registers: {
    code: 0x14,
    radio: true,
    fields: struct({ address, gang, registers: registers(1) }),
    done: struct({ registers: registers(0) }),
  },
  read_schedules: {
    code: 0x15,
    radio: true,
    fields: struct({ address, from: u8 }),
    done: struct({ schedules: list(schedule, 0, 27), next: u8 }),
  },
  identify: {
    code: 0x16,
    radio: true,
    fields: struct({ address, gang, seconds: integer('u8', 0, IDENTIFY_SECONDS_MAX) }),
    done: none,
  },
} as const

const trigger: Codec<Exclude<ChangeTrigger, 'sync'>> = choice(
  numbered(
    ['touch', 'motion', 'own_schedule', 'own_timer', 'command', 'sleep', 'mains_return', 'protection'] as const,
    1,
  ),
)

/** Adapter to host, without a request. */
const REPORTS = {
  state_changed: { code: 0x40, fields: joined(struct({ address, gang, trigger }), state) },
  readings: { code: 0x41, fields: struct({ address, readings }) },
  detection: { code: 0x42, fields: struct({ address, detection: choice(numbered(DETECTIONS, 1)), value: flag }) },
  energy: {
    code: 0x43,
    fields: struct({ address, gang, energyWh: u32, powerW: tenths('i32', -0x8000_0000 / 10, 0x7fff_ffff / 10) }),
  },
  unit: { code: 0x44, fields: struct({ change: choice(numbered(['joined', 'lost', 'back'] as const, 1)), unit }) },
  registers_changed: { code: 0x45, fields: struct({ address, gang, registers: registers(1) }) },
  trouble: { code: 0x46, fields: struct({ trouble: choice(numbered(['jammed', 'duty_limit'] as const, 1)) }) },
  radio: { code: 0x47, fields: struct({ up: flag }) },
  touch: {
    code: 0x48,
    fields: struct({ address, gang, key: choice(numbered(TOUCH_KEYS, 1)), press: choice(numbered(PRESSES, 1)) }),
  },
} as const

export type RequestName = keyof typeof REQUESTS
type ReportName = keyof typeof REPORTS
export type RequestOf<N extends RequestName> = { readonly name: N } & ValueOf<(typeof REQUESTS)[N]['fields']>
export type Request = { [N in RequestName]: RequestOf<N> }[RequestName]
export type DoneOf<N extends RequestName> = { readonly name: N; readonly result: 'done' } & ValueOf<
  (typeof REQUESTS)[N]['done']
>
export type ReplyOf<N extends RequestName> = DoneOf<N> | ({ readonly name: N } & NotDone)
export type Reply = { [N in RequestName]: ReplyOf<N> }[RequestName]
export type Report = { [N in ReportName]: { readonly name: N } & ValueOf<(typeof REPORTS)[N]['fields']> }[ReportName]
export type Hello = DoneOf<'hello'>

export const SCHEDULES_END = SLOT_END

/** Payloads of DATA frames, as bytes and back. */

/** Top bit of a reply's code. */
const REPLY_BIT = 0x80

type FromAdapter =
  | { readonly type: 'reply'; readonly request: number; readonly reply: Reply }
  | { readonly type: 'report'; readonly report: Report }

// Each entry's codecs belong to its name; the unions over names lose that, hence `Codec<object>` throughout.
interface Entry<N> {
  readonly name: N
  readonly code: number
  readonly fields: Codec<object>
  readonly reply: Codec<object>
}
const requestEntries: readonly Entry<RequestName>[] = keysOf(REQUESTS).map((name) => {
  const { code, fields, done } = REQUESTS[name] as { code: number; fields: Codec<object>; done: Codec<object> }
  return { name, code, fields, reply: outcome(done) }
})
const REQUEST_BY_NAME = new Map(requestEntries.map((entry) => [entry.name, entry]))
const REQUEST_BY_CODE = new Map(requestEntries.map((entry) => [entry.code, entry]))
const REPORT_BY_CODE: ReadonlyMap<number, ReportName> = new Map(
  keysOf(REPORTS).map((name) => [REPORTS[name].code, name]),
)

function entryOf(name: RequestName): Entry<RequestName> {
  const entry = REQUEST_BY_NAME.get(name)
  if (entry === undefined) throw new RangeError(`There is no request ${name}`)
  return entry
}

/** @throws RangeError for a field that does not fit: a defect of the caller @param id request id, 0 to 65,535 */
export function encodeRequest(id: number, request: Request): Uint8Array {
  const { code, fields } = entryOf(request.name)
  return encode(code, id, fields, request)
}

export function encodeReply(id: number, reply: Reply): Uint8Array {
  const { code, reply: codec } = entryOf(reply.name)
  return encode(code | REPLY_BIT, id, codec, reply)
}

export function encodeReport(report: Report): Uint8Array {
  const { code, fields } = REPORTS[report.name] as { code: number; fields: Codec<object> }
  return encode(code, null, fields, report)
}

function encode(code: number, id: number | null, fields: Codec<object>, value: object): Uint8Array {
  const writer = new ByteWriter()
  writer.u8(code)
  if (id !== null) writer.u16(id)
  fields.write(writer, value)
  return writer.take()
}

/** Decodes a message of an adapter. Never throws: a message with an invalid field is refused whole. */
export function decodeFromAdapter(payload: Uint8Array): Result<FromAdapter, MessageFault> {
  return decode(payload, (reader, code) => {
    const report = REPORT_BY_CODE.get(code)
    // The codec of the name returns the fields of the name.
    if (report !== undefined)
      return {
        type: 'report',
        report: { name: report, ...(REPORTS[report].fields as Codec<object>).read(reader) } as Report,
      }
    const entry = (code & REPLY_BIT) === 0 ? undefined : REQUEST_BY_CODE.get(code & ~REPLY_BIT)
    if (entry === undefined) throw new UnsoundMessage('code')
    const request = reader.u16()
    return { type: 'reply', request, reply: { name: entry.name, ...entry.reply.read(reader) } as Reply }
  })
}

/** Decodes a message of a host, for the adapter's side of tests. */
export function decodeRequest(
  payload: Uint8Array,
): Result<{ readonly request: number; readonly message: Request }, MessageFault> {
  return decode(payload, (reader, code) => {
    const entry = REQUEST_BY_CODE.get(code)
    if (entry === undefined) throw new UnsoundMessage('code')
    const request = reader.u16()
    return { request, message: { name: entry.name, ...entry.fields.read(reader) } as Request }
  })
}

function decode<T>(payload: Uint8Array, read: (reader: ByteReader, code: number) => T): Result<T, MessageFault> {
  const reader = new ByteReader(payload)
  try {
    const message = read(reader, reader.u8())
    reader.end()
    return ok(message)
  } catch (error) {
    if (error instanceof UnsoundMessage) return fail(error.fault)
    throw error
  }
}
