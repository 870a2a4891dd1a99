import type { GangClass, SwitchModel } from '../../home/model/device.ts'

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

/** Every register of one model; `gang` (its class decides which ones it has) is null where a model has no gangs. */
export interface ModelRegisters {
  readonly model: SwitchModel
  readonly unit: readonly RegisterDef[]
  readonly gang: Readonly<Record<GangClass, readonly RegisterDef[]>> | null
}
