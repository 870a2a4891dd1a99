import {
  AC_MODES,
  FAN_SPEEDS,
  MODES,
  REMOTE_KEYS,
  UNIT_MOVES,
  type Move,
  type Readings,
  type StateOf,
  type Command,
  type OperationWithArgs,
  OPERATIONS,
  type Operation,
} from '../../home/model/device.ts'
import {
  UnsoundMessage,
  choice,
  flag,
  numbered,
  percent,
  struct,
  tenths,
  u16,
  u32,
  type Codec,
  CLASS_NUMBERS,
} from './codec.ts'

/** Confirmed states of units: the class, followed by its fields (docs/hmhc.md 2.2). */

type StateClass = keyof StateOf
/** A state with the class that determines its fields. */
export type ClassedState = { readonly [C in StateClass]: { readonly class: C; readonly state: StateOf[C] } }[StateClass]

const SET_POINT_NONE = 0x7fff
const mode = choice(numbered(MODES, 0))
const acMode = choice(numbered(AC_MODES, 0))
const fan = choice(numbered(FAN_SPEEDS, 0))
const remoteKey = choice(numbered(REMOTE_KEYS, 0))
/** Any set point that a unit may report; requests have a narrower range. */
const setPoint = tenths('i16', -100, 200)
const unitMove = choice(numbered(UNIT_MOVES, 0))
/** Only the gateway knows an unknown movement. No unit reports it. */
const move: Codec<Move> = {
  write: (writer, value) => unitMove.write(writer, value === 'unknown' ? 'stopped' : value),
  read: (reader) => unitMove.read(reader),
}
const KEY_NONE = 0xff

const setPointOrNone: Codec<number | null> = {
  write: (writer, value) => (value === null ? writer.i16(SET_POINT_NONE) : setPoint.write(writer, value)),
  read: (reader) => {
    const raw = reader.i16()
    if (raw === SET_POINT_NONE) return null
    if (raw < -1_000 || raw > 2_000) throw new UnsoundMessage('value')
    return raw / 10
  },
}

const keyOrNone: Codec<StateOf['ir_remote']['key']> = {
  write: (writer, value) => (value === null ? writer.u8(KEY_NONE) : remoteKey.write(writer, value)),
  read: (reader) => {
    const number = reader.u8()
    if (number === KEY_NONE) return null
    const key = REMOTE_KEYS[number]
    if (key === undefined) throw new UnsoundMessage('value')
    return key
  },
}

/** The readings of a frame; the others come as detections and energy reports (docs/hmhc.md). */
const FRAME_KINDS = ['temperature', 'humidity', 'light', 'motion', 'co2', 'door', 'battery', 'power'] as const

const READING_CODECS: { readonly [K in (typeof FRAME_KINDS)[number]]: Codec<NonNullable<Readings[K]>> } = {
  temperature: tenths('i16', -100, 200),
  humidity: tenths('u16', 0, 100),
  light: u32,
  motion: flag,
  co2: u16,
  door: flag,
  battery: percent,
  power: tenths('i32', -0x8000_0000 / 10, 0x7fff_ffff / 10),
}

export const readings: Codec<Readings> = {
  write: (writer, value) => {
    const present = FRAME_KINDS.filter((kind) => value[kind] !== undefined)
    writer.u8(present.reduce((mask, kind) => mask | (1 << FRAME_KINDS.indexOf(kind)), 0))
    // Each kind's codec fits its value; the union over kinds loses that.
    for (const kind of present) (READING_CODECS[kind] as Codec<unknown>).write(writer, value[kind])
  },
  read: (reader) => {
    const mask = reader.u8()
    return Object.fromEntries(
      FRAME_KINDS.filter((_, bit) => (mask & (1 << bit)) !== 0).map((kind) => [
        kind,
        READING_CODECS[kind].read(reader),
      ]),
    )
  },
}

const switchState = struct({ on: flag, mode })
const coverState = struct({ pos: percent, move, mode })

const STATE_CODECS: { readonly [C in StateClass]: Codec<StateOf[C]> } = {
  light_switch: switchState,
  light_dimmer: struct({ on: flag, bri: percent, mode }),
  shutter: coverState,
  curtain: coverState,
  power_switch: struct({ on: flag, mode, temp: setPointOrNone }),
  sense_switch: switchState,
  ac: struct({ on: flag, temp: setPoint, mode: acMode, fan }),
  ir_remote: struct({ key: keyOrNone }),
  lock: struct({ locked: flag }),
  gate: struct({ pos: percent, move }),
  sensor: readings,
  meter: readings,
  switch_gang: switchState,
  shutter_gang: coverState,
}

const CLASS_OF = new Map(Object.entries(CLASS_NUMBERS).map(([name, number]) => [number, name]))
const isStateClass = (name: string | undefined): name is StateClass =>
  name !== undefined && Object.hasOwn(STATE_CODECS, name)

export const state: Codec<ClassedState> = {
  write: (writer, value) => {
    writer.u8(CLASS_NUMBERS[value.class])
    // The class selects the codec of its state; the union over classes loses that.
    ;(STATE_CODECS[value.class] as Codec<unknown>).write(writer, value.state)
  },
  read: (reader) => {
    const name = CLASS_OF.get(reader.u8())
    if (!isStateClass(name)) throw new UnsoundMessage('value')
    // As above, codec and class belong together.
    return { class: name, state: STATE_CODECS[name].read(reader) } as ClassedState
  },
}

/** Set points that a request may contain. */
const wantedSetPoint = tenths('i16', 5, 35)
const settableMode = choice({ auto: 0, eco: 1, manual: 2 })

type ArgsOf<O extends Operation> = NonNullable<Extract<Command, { readonly op: O }>['args']>

/** Arguments of operations; the other operations consist of their number only. */
const ARGS: { readonly [O in OperationWithArgs]: Codec<ArgsOf<O>> } = {
  set_power: struct({ on: flag }),
  set_brightness: struct({ bri: percent }),
  set_position: struct({ pos: percent }),
  set_mode: struct({ mode: settableMode }),
  set_temp: struct({ temp: wantedSetPoint }),
  set_ac_mode: struct({ mode: acMode }),
  set_fan: struct({ fan }),
  key: struct({ key: remoteKey }),
}

const operation: Codec<Operation> = choice(numbered(OPERATIONS, 1))
const isArgued = (op: Operation): op is OperationWithArgs => Object.hasOwn(ARGS, op)

/** One operation with its argument (docs/hmhc.md 2.2). */
export const command: Codec<Command> = {
  write: (writer, value) => {
    operation.write(writer, value.op)
    // The operation selects the codec of its arguments; the union over operations loses that.
    if (isArgued(value.op)) (ARGS[value.op] as Codec<unknown>).write(writer, value.args)
  },
  read: (reader) => {
    const op = operation.read(reader)
    // As above, operation and arguments belong together.
    return (isArgued(op) ? { op, args: ARGS[op].read(reader) } : { op }) as Command
  },
}
