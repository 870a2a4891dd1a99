import {
  AC_MODES,
  CAPABILITIES,
  DETECTIONS,
  FANS,
  MODES,
  MOVES,
  REFUSALS,
  REMOTE_KEYS,
  TOUCH_KEYS,
  TRIGGERS,
  type Capability,
  type Command,
  type OwnSchedule,
  type RefusalDetail,
  type Readings,
  type RegisterPair,
  type Report,
  type State,
  type UnitInfo,
} from '../model/bus-types.ts'
import {
  CLASS_CODE,
  GANG_NONE,
  MODEL_CODE,
  NO_SET_POINT,
  OPERATION,
  REPLY_BIT,
  REPORT,
  RESULT,
  FieldWriter,
} from './messages.ts'
import { PAYLOAD_BYTES_MAX } from './frame.ts'

export interface Hello {
  readonly serial: string
  readonly firmware: readonly [number, number, number]
  readonly network: number
  readonly channel: number
  readonly radioUp: boolean
  readonly unitCount: number
  readonly inFlightMax: number
  readonly groupMax: number
  readonly registersMax: number
}

/** The reason why a request, or one member of a group, was not done. */
export type NotDone =
  | { readonly result: 'no_answer' | 'unknown_unit' | 'radio_down' | 'bad_request' }
  | { readonly result: 'refused'; readonly detail: RefusalDetail; readonly info: number }
  | { readonly result: 'busy'; readonly retryMs: number }

/** The result of a request; `fill` writes the fields of a reply with the result done. */
export type Reply = NotDone | { readonly result: 'done'; readonly fill: (fields: FieldWriter) => void }

export interface MemberResult {
  readonly address: number
  readonly gang: number | null
  readonly outcome: NotDone | { readonly result: 'done'; readonly state: State }
}

export function encodeReply(requestCode: number, request: number, reply: Reply): Buffer {
  const fields = new FieldWriter().u8(requestCode | REPLY_BIT).u16(request)
  if (reply.result === 'done') reply.fill(fields.u8(RESULT.done))
  else notDone(fields, reply)
  return fields.take()
}

function notDone(fields: FieldWriter, reply: NotDone): void {
  fields.u8(RESULT[reply.result])
  if (reply.result === 'refused') fields.of(REFUSALS, reply.detail).u16(reply.info)
  if (reply.result === 'busy') fields.u16(reply.retryMs)
}

export const done = (fill: (fields: FieldWriter) => void = () => {}): Reply => ({ result: 'done', fill })

export const helloReply = (hello: Hello): Reply =>
  done((fields) => {
    fields
      .u8(hello.serial.length)
      .bytes(Buffer.from(hello.serial, 'ascii'))
      .u8(...hello.firmware)
      .u32(hello.network)
      .u8(hello.channel)
    fields.flag(hello.radioUp).u16(hello.unitCount).u8(hello.inFlightMax, hello.groupMax, hello.registersMax)
  })

/** The first `units` that fit one frame; `more` is true if the table has further ones. */
export const listReply = (units: readonly UnitInfo[], more: boolean): Reply =>
  done((fields) => {
    const rows: Buffer[] = []
    // Code, request id, result and count precede the rows, `next` follows them.
    let room = PAYLOAD_BYTES_MAX - 5 - 2
    for (const unit of units) {
      const row = unitFields(new FieldWriter(), unit).take()
      if (row.length > room) break
      room -= row.length
      rows.push(row)
    }
    const last = units[rows.length - 1]?.address ?? 0
    fields
      .u8(rows.length)
      .bytes(Buffer.concat(rows))
      .u16(more || rows.length < units.length ? last : 0)
  })

/** Entries of a page of capabilities: 4 bytes each, behind code, request id, result and count, before `next`. */
const CAPABILITIES_A_PAGE = Math.floor((PAYLOAD_BYTES_MAX - 5 - 2) / 4)

interface Capable {
  readonly address: number
  readonly capabilities: readonly Capability[]
}

/** The first `units` that fit one frame. */
export const capabilitiesReply = (units: readonly Capable[]): Reply =>
  done((fields) => {
    const page = units.slice(0, CAPABILITIES_A_PAGE)
    fields.u8(page.length)
    for (const { address, capabilities } of page)
      fields.u16(address).u16(capabilities.reduce((bits, name) => bits | (1 << CAPABILITIES.indexOf(name)), 0))
    fields.u16(page.length < units.length ? (page.at(-1)?.address ?? 0) : 0)
  })

export const unitReply = (unit: UnitInfo): Reply => done((fields) => unitFields(fields, unit))
export const stateReply = (state: State): Reply => done((fields) => stateFields(fields, state))

export const statesReply = (states: readonly { readonly gang: number | null; readonly state: State }[]): Reply =>
  done((fields) => {
    fields.u8(states.length)
    for (const { gang, state } of states) stateFields(gangField(fields, gang), state)
  })

export const groupReply = (results: readonly MemberResult[]): Reply =>
  done((fields) => {
    fields.u8(results.length)
    for (const { address, gang, outcome } of results) {
      gangField(fields.u16(address), gang)
      if (outcome.result === 'done') stateFields(fields.u8(RESULT.done), outcome.state)
      else notDone(fields, outcome)
    }
  })

export const registersReply = (registers: readonly RegisterPair[]): Reply =>
  done((fields) => registerFields(fields, registers))

/** The first slots that fit one frame. */
export const schedulesReply = (schedules: readonly OwnSchedule[]): Reply =>
  done((fields) => {
    const rows: Buffer[] = []
    let room = PAYLOAD_BYTES_MAX - 5 - 1
    for (const schedule of schedules) {
      const row = scheduleFields(schedule)
      if (row.length > room) break
      room -= row.length
      rows.push(row)
    }
    fields
      .u8(rows.length)
      .bytes(Buffer.concat(rows))
      .u8(schedules[rows.length]?.slot ?? 0xff)
  })

function scheduleFields({ slot, enabled, gang, days, minute, command }: OwnSchedule): Buffer {
  const fields = gangField(new FieldWriter().u8(slot).flag(enabled), gang).u8(
    days,
    Math.floor(minute / 60),
    minute % 60,
  )
  return commandFields(fields, command).take()
}

const gangField = (fields: FieldWriter, gang: number | null): FieldWriter => fields.u8(gang ?? GANG_NONE)

function registerFields(fields: FieldWriter, registers: readonly RegisterPair[]): FieldWriter {
  fields.u8(registers.length)
  for (const [number, value] of registers) fields.u16(number).u16(value)
  return fields
}

function unitFields(fields: FieldWriter, unit: UnitInfo): FieldWriter {
  fields
    .u16(unit.address)
    .u8(MODEL_CODE[unit.model], CLASS_CODE[unit.class], ...unit.firmware)
    .flag(unit.reachable)
    .u8(unit.gangs.length)
  for (const { gang, class: gangClass } of unit.gangs) fields.u8(gang, CLASS_CODE[gangClass])
  return fields
}

function commandFields(fields: FieldWriter, command: Command): FieldWriter {
  fields.u8(OPERATION[command.op])
  switch (command.op) {
    case 'set_power':
      return fields.flag(command.on)
    case 'set_brightness':
      return fields.u8(command.bri)
    case 'set_position':
      return fields.u8(command.pos)
    case 'set_mode':
      return fields.of(MODES, command.mode)
    case 'set_temp':
      return fields.u16(Math.round(command.temp * 10))
    case 'set_ac_mode':
      return fields.of(AC_MODES, command.mode)
    case 'set_fan':
      return fields.of(FANS, command.fan)
    case 'key':
      return fields.of(REMOTE_KEYS, command.key)
    case 'open':
    case 'close':
    case 'stop':
      return fields
  }
}

function stateFields(fields: FieldWriter, state: State): FieldWriter {
  fields.u8(CLASS_CODE[state.class])
  switch (state.class) {
    case 'light_switch':
    case 'sense_switch':
    case 'switch_gang':
      return fields.flag(state.on).of(MODES, state.mode)
    case 'light_dimmer':
      return fields.flag(state.on).u8(state.bri).of(MODES, state.mode)
    case 'shutter':
    case 'curtain':
    case 'shutter_gang':
      return fields.u8(state.pos).of(MOVES, state.move).of(MODES, state.mode)
    case 'power_switch':
      return fields
        .flag(state.on)
        .of(MODES, state.mode)
        .u16(state.temp === null ? NO_SET_POINT : Math.round(state.temp * 10))
    case 'ac':
      return fields
        .flag(state.on)
        .u16(Math.round(state.temp * 10))
        .of(AC_MODES, state.mode)
        .of(FANS, state.fan)
    case 'ir_remote':
      return fields.u8(state.key === null ? 0xff : REMOTE_KEYS.indexOf(state.key))
    case 'lock':
      return fields.flag(state.locked)
    case 'gate':
      return fields.u8(state.pos).of(MOVES, state.move)
    case 'sensor':
    case 'meter':
      return readingFields(fields, state)
  }
}

function readingFields(fields: FieldWriter, readings: Readings): FieldWriter {
  const { temperature, humidity, light, motion, co2, door, battery, power } = readings
  const mask = [temperature, humidity, light, motion, co2, door, battery, power].reduce<number>(
    (bits, value, bit) => (value === undefined ? bits : bits | (1 << bit)),
    0,
  )
  fields.u8(mask)
  if (temperature !== undefined) fields.u16(Math.round(temperature * 10))
  if (humidity !== undefined) fields.u16(Math.round(humidity * 10))
  if (light !== undefined) fields.u32(Math.round(light))
  if (motion !== undefined) fields.flag(motion)
  if (co2 !== undefined) fields.u16(Math.round(co2))
  if (door !== undefined) fields.flag(door)
  if (battery !== undefined) fields.u8(Math.round(battery))
  if (power !== undefined) fields.u32(Math.round(power * 10))
  return fields
}

export function encodeReport(report: Report): Buffer {
  const fields = new FieldWriter().u8(REPORT[report.kind])
  switch (report.kind) {
    case 'state_changed':
      // Triggers count from 1 on the wire, as do detections, changes and troubles.
      return stateFields(
        gangField(fields.u16(report.address), report.gang).u8(TRIGGERS.indexOf(report.trigger) + 1),
        report.state,
      ).take()
    case 'readings':
      return readingFields(fields.u16(report.address), report.readings).take()
    case 'detection':
      return fields
        .u16(report.address)
        .u8(DETECTIONS.indexOf(report.detection) + 1)
        .flag(report.value)
        .take()
    case 'energy':
      return gangField(fields.u16(report.address), report.gang)
        .u32(report.energyWh)
        .u32(Math.round(report.powerW * 10))
        .take()
    case 'unit':
      return unitFields(fields.u8({ joined: 1, lost: 2, back: 3 }[report.change]), report.unit).take()
    case 'registers_changed':
      return registerFields(gangField(fields.u16(report.address), report.gang), report.registers).take()
    case 'touch':
      return gangField(fields.u16(report.address), report.gang)
        .u8(TOUCH_KEYS.indexOf(report.key) + 1, report.press === 'short' ? 1 : 2)
        .take()
    case 'trouble':
      return fields.u8(report.trouble === 'jammed' ? 1 : 2).take()
    case 'radio':
      return fields.flag(report.up).take()
  }
}
