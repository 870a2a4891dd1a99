import { SWITCH_MODELS, type Model, type SwitchModel } from '../../home/model/device.ts'
import { MODEL_REGISTERS, type RegisterDef } from './models.ts'

/** Scope of a register: the unit or module itself, or each of a module's gangs. */
export type RegisterScope = 'unit' | 'gang'

interface Index {
  readonly numbers: ReadonlyMap<string, number>
  readonly names: ReadonlyMap<number, string>
  readonly list: readonly string[]
}

const EMPTY: Index = { numbers: new Map(), names: new Map(), list: [] }
const SCOPES: readonly RegisterScope[] = ['unit', 'gang']
const INDEX: ReadonlyMap<string, Index> = new Map(
  SWITCH_MODELS.flatMap((model) => SCOPES.map((scope) => [`${model} ${scope}`, indexOf(model, scope)])),
)

/** A gang's index contains registers of switch and shutter gangs; a gang returns no value for those that it lacks. */
function registersOf(model: SwitchModel, scope: RegisterScope): readonly RegisterDef[] {
  const { unit, gang } = MODEL_REGISTERS[model]
  if (scope === 'unit') return unit
  return gang === null ? [] : [...gang.switch_gang, ...gang.shutter_gang]
}

function indexOf(model: SwitchModel, scope: RegisterScope): Index {
  const names = new Map(registersOf(model, scope).map(({ number, name }) => [number, name]))
  const list = [...names.entries()].sort(([a], [b]) => a - b)
  return { names, numbers: new Map(list.map(([number, name]) => [name, number])), list: list.map(([, name]) => name) }
}

const lookup = (model: Model, scope: RegisterScope): Index => INDEX.get(`${model} ${scope}`) ?? EMPTY

/** Names and numbers of unit settings (docs/hmhc-registers.md); only the eight switches have any. */
export const registerMap = {
  /** The number of a named register (0 to 65,535), or undefined if the model has none of that name in that scope. */
  numberOf: (model: Model, scope: RegisterScope, name: string): number | undefined =>
    lookup(model, scope).numbers.get(name),
  /** The name of a register number, or undefined if the model does not name it. */
  nameOf: (model: Model, scope: RegisterScope, number: number): string | undefined =>
    lookup(model, scope).names.get(number),
  /** All names of the model in this scope, in order of their numbers. */
  list: (model: Model, scope: RegisterScope): readonly string[] => lookup(model, scope).list,
}
