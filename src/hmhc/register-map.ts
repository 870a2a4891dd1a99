import type { Model, RegisterName } from '../home/model/device.ts'

/** Whose register: the unit's or module's own, or that of each of a module's gangs. */
export type RegisterScope = 'unit' | 'gang'

/** Names of unit settings and their register numbers, for each model (docs/hmhc-registers.md). */
export interface RegisterMap {
  /** The number of a named register (0 to 65,535), or undefined where the model has none of that name in that scope. */
  numberOf(model: Model, scope: RegisterScope, name: RegisterName): number | undefined
  /** The name of a register number, or undefined where the model does not name it. */
  nameOf(model: Model, scope: RegisterScope, number: number): RegisterName | undefined
  /** All names that the model has in this scope, in the order of their numbers. */
  list(model: Model, scope: RegisterScope): readonly RegisterName[]
}
