import { keysOf } from '../../lib/keys.ts'
import { UnsoundMessage } from './bytes.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'

/**
 * One kind of field: how it is written and read. Reading throws UnsoundMessage, and nothing else, on bytes that are
 * wrong.
 */
export interface Codec<T> {
  write(writer: ByteWriter, value: T): void
  read(reader: ByteReader): T
}

export type ValueOf<C> = C extends Codec<infer T> ? T : never

type Width = 'u8' | 'u16' | 'u32' | 'i16' | 'i32'

/** An integer between `least` and `most`, both included. */
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

/** A name, sent as its number. */
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

/** Names numbered in their order, from `first` on. */
export function numbered<T extends string>(names: readonly T[], first: number): Record<T, number> {
  // fromEntries forgets the key type; the keys are exactly the names.
  return Object.fromEntries(names.map((name, index) => [name, first + index])) as Record<T, number>
}

/** Fields one after the other, in the order of the record. */
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

/** A u8 count and that many items. */
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

/** The same bytes under another form. */
export function mapped<Raw, T>(raw: Codec<Raw>, toRaw: (value: T) => Raw, fromRaw: (raw: Raw) => T): Codec<T> {
  return { write: (writer, value) => raw.write(writer, toRaw(value)), read: (reader) => fromRaw(raw.read(reader)) }
}
