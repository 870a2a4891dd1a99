import type { GangClass, SwitchModel } from '../../home/model/device.ts'

/** Where a register lives: in the unit (or module) itself, or in one gang, whose class decides which ones it has. */
export type RegisterScope = 'unit' | GangClass

/** Numbers are one byte and values two bytes on the wire. */
export const REGISTER_NUMBER_MAX = 255
export const REGISTER_VALUE_MAX = 65_535

export type Range = readonly [lowest: number, highest: number]

/** One register of one model: what docs/hmhc-registers.md lists. */
export interface RegisterDef {
  readonly number: number
  readonly name: string
  /** Values the unit accepts, both ends included; a write of any other value is refused. */
  readonly ranges: readonly Range[]
  /** What a unit holds when it leaves the factory. */
  readonly default: number
  /** What the values mean, in one sentence. */
  readonly coding: string
  /** True where the hardware fixes the value: the unit refuses every write. */
  readonly fixed?: true
}

/** Every register of one model; `gang` is null where a model has no gangs. */
export interface ModelRegisters {
  readonly model: SwitchModel
  readonly unit: readonly RegisterDef[]
  readonly gang: Readonly<Record<GangClass, readonly RegisterDef[]>> | null
}

/** Whether a unit accepts `value` in this register. */
export function accepts(register: RegisterDef, value: number): boolean {
  return register.fixed !== true && register.ranges.some(([lowest, highest]) => value >= lowest && value <= highest)
}
