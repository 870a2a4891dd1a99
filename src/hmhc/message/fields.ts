import type { GangClass, Model, UnitClass } from '../../home/model/device.ts'
import { OTHER_MODELS, SWITCH_MODELS, UNIT_CLASSES } from '../../home/model/device.ts'
import { UnsoundMessage } from './bytes.ts'
import { choice, flag, integer, list, mapped, numbered, struct, u16, u8 } from './codec.ts'
import type { Codec, ValueOf } from './codec.ts'

/** Field groups of docs/hmhc.md 2.2 that describe units; states and commands have files of their own. */

export const ADDRESS_MIN = 1
export const ADDRESS_MAX = 0xfeff
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

export const model: Codec<Model> = choice({ ...numbered(SWITCH_MODELS, 0x01), ...numbered(OTHER_MODELS, 0x21) })

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
    // Only a module has gangs, and no position twice.
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

/** Registers as number and raw value; `least` is 0 in answers, where a unit may have none of those asked for. */
export const registers = (least: number): Codec<readonly (readonly [number, number])[]> =>
  list(pair, least, REGISTERS_MAX)

/** ASCII with its length before it. */
export const text = (most: number): Codec<string> =>
  mapped(
    list(integer('u8', 0x20, 0x7e), 1, most),
    (value) => [...Buffer.from(value, 'latin1')],
    (bytes) => Buffer.from(bytes).toString('latin1'),
  )
