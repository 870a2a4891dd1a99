import { SWITCH_MODELS, type Model, type SwitchModel } from '../../home/model/device.ts'
import type { RegisterMap, RegisterScope } from '../register-map.ts'
import {
  HMHH,
  HMHHX1,
  HMHHX2,
  HMHHX3,
  HMHHX4,
  HMPH,
  HMSH,
  HMTHX2,
  type ModelRegisters,
  type RegisterDef,
} from './models.ts'

export const MODEL_REGISTERS: Readonly<Record<SwitchModel, ModelRegisters>> = {
  HMHH,
  HMHHX1,
  HMHHX2,
  HMHHX3,
  HMHHX4,
  HMPH,
  HMSH,
  HMTHX2,
}

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

/**
 * A gang's index holds what switch gangs and shutter gangs have; a gang answers a read of what it lacks with no value.
 */
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

/** The registers of the eight switch models; every other model has none. */
export const registerMap: RegisterMap = {
  numberOf: (model, scope, name) => lookup(model, scope).numbers.get(name),
  nameOf: (model, scope, number) => lookup(model, scope).names.get(number),
  list: (model, scope) => lookup(model, scope).list,
}
