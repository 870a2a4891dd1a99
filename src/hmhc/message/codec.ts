import { keysOf } from '../../lib/keys-of.ts'
import {
  type GangClass,
  type Model,
  type UnitClass,
  OTHER_MODELS,
  SWITCH_MODELS,
  UNIT_CLASSES,
} from '../../home/model/device.ts'

/** Reason for refusing a whole message: unknown code, a field outside its range, missing or extra bytes. */
export type MessageFault = 'code' | 'length' | 'value'

/** Thrown only inside the codecs; `decode…` turns it into a result. */
export class UnsoundMessage extends Error {
  readonly fault: MessageFault

  constructor(fault: MessageFault) {
    super(fault)
    this.fault = fault
  }
}

/** Reads consecutive big-endian numbers. */
export class ByteReader {
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2))
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4))
  }

  i16(): number {
    return this.#view.getInt16(this.#take(2))
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4))
  }

  /** @throws unless every byte was read */
  end(): void {
    if (this.#at !== this.#view.byteLength) throw new UnsoundMessage('length')
  }

  #take(count: number): number {
    const at = this.#at
    this.#at += count
    if (this.#at > this.#view.byteLength) throw new UnsoundMessage('length')
    return at
  }
}

/** Writes big-endian numbers; a number that does not fit is a defect of the caller. */
export class ByteWriter {
  readonly #bytes: number[] = []

  u8(value: number): void {
    this.#put(value, 1, 0, 0xff)
  }

  u16(value: number): void {
    this.#put(value, 2, 0, 0xffff)
  }

  u32(value: number): void {
    this.#put(value, 4, 0, 0xffff_ffff)
  }

  i16(value: number): void {
    this.#put(value, 2, -0x8000, 0x7fff)
  }

  i32(value: number): void {
    this.#put(value, 4, -0x8000_0000, 0x7fff_ffff)
  }

  take(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }

  #put(value: number, bytes: number, least: number, most: number): void {
    if (!Number.isInteger(value) || value < least || value > most)
      throw new RangeError(`${value} does not fit ${bytes} bytes`)
    for (let shift = (bytes - 1) * 8; shift >= 0; shift -= 8) this.#bytes.push((value >> shift) & 0xff)
  }
}

/** Encoding of one kind of field. Reading throws only UnsoundMessage, on invalid bytes. */
export interface Codec<T> {
  write(writer: ByteWriter, value: T): void
  read(reader: ByteReader): T
}

export type ValueOf<C> = C extends Codec<infer T> ? T : never

type Width = 'u8' | 'u16' | 'u32' | 'i16' | 'i32'

/** An integer from `least` to `most`, both included. */
export function integer(width: Width, least: number, most: number): Codec<number> {
  return {
    write: (writer, value) => {
      if (value < least || value > most) throw new RangeError(`${value} is not between ${least} and ${most}`)
      writer[width](value)
    },
    read: (reader) => {
      const value = reader[width]()
      if (value < least || value > most) throw new UnsoundMessage('value')
      return value
    },
  }
}

export const u8 = integer('u8', 0, 0xff)
export const u16 = integer('u16', 0, 0xffff)
export const u32 = integer('u32', 0, 0xffff_ffff)
export const percent = integer('u8', 0, 100)

/** A quantity sent in tenths. */
export function tenths(width: Width, least: number, most: number): Codec<number> {
  const raw = integer(width, Math.round(least * 10), Math.round(most * 10))
  return {
    write: (writer, value) => raw.write(writer, Math.round(value * 10)),
    read: (reader) => raw.read(reader) / 10,
  }
}

export const flag: Codec<boolean> = {
  write: (writer, value) => writer.u8(value ? 1 : 0),
  read: (reader) => {
    const value = reader.u8()
    if (value > 1) throw new UnsoundMessage('value')
    return value === 1
  },
}

/** A name, encoded as its number. */
export function choice<T extends string>(numbers: Readonly<Record<T, number>>): Codec<T> {
  const names = new Map(keysOf(numbers).map((name) => [numbers[name], name]))
  return {
    write: (writer, value) => writer.u8(numbers[value]),
    read: (reader) => {
      const name = names.get(reader.u8())
      if (name === undefined) throw new UnsoundMessage('value')
      return name
    },
  }
}

/** Names numbered in order, starting at `first`. */
export function numbered<T extends string>(names: readonly T[], first: number): Record<T, number> {
  // fromEntries loses the key type; the keys are exactly the names.
  return Object.fromEntries(names.map((name, index) => [name, first + index])) as Record<T, number>
}

/** Consecutive fields, in the order of the record. */
export function struct<S extends Readonly<Record<string, Codec<unknown>>>>(
  fields: S,
): Codec<{ readonly [K in keyof S]: ValueOf<S[K]> }> {
  const entries = Object.entries(fields)
  return {
    write: (writer, value) => {
      for (const [name, codec] of entries) codec.write(writer, value[name])
    },
    read: (reader) => {
      const value: Record<string, unknown> = {}
      for (const [name, codec] of entries) value[name] = codec.read(reader)
      // Built field by field from the codecs of S.
      return value as { readonly [K in keyof S]: ValueOf<S[K]> }
    },
  }
}

/** A u8 count, followed by that many items. */
export function list<T>(item: Codec<T>, least: number, most: number): Codec<readonly T[]> {
  const count = integer('u8', least, most)
  return {
    write: (writer, values) => {
      count.write(writer, values.length)
      for (const value of values) item.write(writer, value)
    },
    read: (reader) => {
      const values: T[] = []
      for (let left = count.read(reader); left > 0; left--) values.push(item.read(reader))
      return values
    },
  }
}

/** Another representation of the same bytes. */
export function mapped<Raw, T>(raw: Codec<Raw>, toRaw: (value: T) => Raw, fromRaw: (raw: Raw) => T): Codec<T> {
  return { write: (writer, value) => raw.write(writer, toRaw(value)), read: (reader) => fromRaw(raw.read(reader)) }
}

/** Field groups of docs/hmhc.md 2.2 that describe units; states and commands have their own files. */

const ADDRESS_MIN = 1
const ADDRESS_MAX = 0xfeff
export const GANG_MAX = 7
const GANG_NONE = 0xff

export const address = integer('u16', ADDRESS_MIN, ADDRESS_MAX)

/** A gang of a module, or null for the unit itself. */
export const gang: Codec<number | null> = {
  write: (writer, value) => writer.u8(value ?? GANG_NONE),
  read: (reader) => {
    const value = reader.u8()
    if (value === GANG_NONE) return null
    if (value > GANG_MAX) throw new UnsoundMessage('value')
    return value
  },
}

const model: Codec<Model> = choice({ ...numbered(SWITCH_MODELS, 0x01), ...numbered(OTHER_MODELS, 0x21) })

const UNIT_CLASS_NUMBERS: Record<UnitClass, number> = numbered(UNIT_CLASSES, 0x01)
const GANG_CLASS_NUMBERS: Record<GangClass, number> = { switch_gang: 0x10, shutter_gang: 0x11 }
export const CLASS_NUMBERS = { ...UNIT_CLASS_NUMBERS, ...GANG_CLASS_NUMBERS }
const unitClass: Codec<UnitClass> = choice(UNIT_CLASS_NUMBERS)
const gangClass: Codec<GangClass> = choice(GANG_CLASS_NUMBERS)

export const firmware: Codec<string> = mapped(
  struct({ major: u8, minor: u8, patch: u8 }),
  (text) => {
    const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number)
    return { major, minor, patch }
  },
  ({ major, minor, patch }) => `${major}.${minor}.${patch}`,
)

const unitFields = struct({
  address,
  model,
  class: unitClass,
  firmware,
  reachable: flag,
  gangs: list(struct({ gang: integer('u8', 0, GANG_MAX), class: gangClass }), 0, GANG_MAX + 1),
})
export type UnitEntry = ValueOf<typeof unitFields>

export const unit: Codec<UnitEntry> = {
  write: (writer, value) => unitFields.write(writer, value),
  read: (reader) => {
    const value = unitFields.read(reader)
    const positions = new Set(value.gangs.map((entry) => entry.gang))
    // Only a module has gangs, at distinct positions.
    if (positions.size !== value.gangs.length || (value.gangs.length > 0 && value.class !== 'gang_module'))
      throw new UnsoundMessage('value')
    return value
  },
}

export const REGISTERS_MAX = 40
const pair: Codec<readonly [number, number]> = mapped(
  struct({ number: u16, value: u16 }),
  ([number, value]) => ({ number, value }),
  ({ number, value }) => [number, value],
)

/** Registers as number and raw value; `least` is 0 in replies, because a unit may have none of the requested ones. */
export const registers = (least: number): Codec<readonly (readonly [number, number])[]> =>
  list(pair, least, REGISTERS_MAX)

/** ASCII after its length. */
export const text = (most: number): Codec<string> =>
  mapped(
    list(integer('u8', 0x20, 0x7e), 1, most),
    (value) => [...Buffer.from(value, 'latin1')],
    (bytes) => Buffer.from(bytes).toString('latin1'),
  )
