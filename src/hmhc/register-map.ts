import type { Model } from '../home/model/device.ts'
import type { RegisterName } from '../home/model/register.ts'
import type { RegisterDef, RegisterScope } from './registers/register.ts'

/** Between the names that the home uses and the numbers that go over the radio (docs/hmhc-registers.md). */
export interface RegisterMap {
  /** The number of a register, or null where the model has none of that name in that scope. */
  numberOf(model: Model, scope: RegisterScope, name: RegisterName): number | null
  /** The name of a register, or null where the model has none of that number in that scope. */
  nameOf(model: Model, scope: RegisterScope, number: number): RegisterName | null
  /** Every register of a unit or module itself (`unit`) or of one of its gangs (its class), by number; empty where there is none. */
  list(model: Model, scope: RegisterScope): readonly RegisterDef[]
}
