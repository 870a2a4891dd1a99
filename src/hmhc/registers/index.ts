import { SWITCH_MODELS, type Model, type SwitchModel } from '../../home/model/device.ts'
import type { RegisterMap } from '../register-map.ts'
import { HMHH } from './hmhh.ts'
import { HMHHX1 } from './hmhhx1.ts'
import { HMHHX2 } from './hmhhx2.ts'
import { HMHHX3 } from './hmhhx3.ts'
import { HMHHX4 } from './hmhhx4.ts'
import { HMPH } from './hmph.ts'
import { HMSH } from './hmsh.ts'
import { HMTHX2 } from './hmthx2.ts'
import type { ModelRegisters, RegisterDef, RegisterScope } from './register.ts'

export const MODEL_REGISTERS: Readonly<Record<SwitchModel, ModelRegisters>> = { HMHH, HMHHX1, HMHHX2, HMHHX3, HMHHX4, HMPH, HMSH, HMTHX2 }

interface Index {
  readonly byName: ReadonlyMap<string, RegisterDef>
  readonly byNumber: ReadonlyMap<number, RegisterDef>
  readonly list: readonly RegisterDef[]
}

const EMPTY: Index = { byName: new Map(), byNumber: new Map(), list: [] }
const SCOPES: readonly RegisterScope[] = ['unit', 'switch_gang', 'shutter_gang']
const INDEX: ReadonlyMap<string, Index> = new Map(SWITCH_MODELS.flatMap((model) => SCOPES.map((scope) => [`${model} ${scope}`, indexOf(model, scope)])))

function indexOf(model: SwitchModel, scope: RegisterScope): Index {
  const registers = MODEL_REGISTERS[model]
  const list = scope === 'unit' ? registers.unit : registers.gang?.[scope] ?? []
  return { list, byName: new Map(list.map((def) => [def.name, def])), byNumber: new Map(list.map((def) => [def.number, def])) }
}

const lookup = (model: Model, scope: RegisterScope): Index => INDEX.get(`${model} ${scope}`) ?? EMPTY

/** The registers of the eight switch models; every other model has none. */
export const registerMap: RegisterMap = {
  numberOf: (model, scope, name) => lookup(model, scope).byName.get(name)?.number ?? null,
  nameOf: (model, scope, number) => lookup(model, scope).byNumber.get(number)?.name ?? null,
  list: (model, scope) => lookup(model, scope).list,
}
