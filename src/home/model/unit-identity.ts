import type { Model, UnitClass } from './device.ts'
import type { Unit } from './house.ts'

/** What tells one physical unit from another behind the same id of the house. */
export interface UnitIdentity {
  readonly address: number
  readonly model: Model | null
  readonly class: UnitClass
  /** Position and class of each gang: `0 switch_gang`. */
  readonly gangs: readonly string[]
  /** Model and gangs as the adapter listed the unit last: `HMHHX2 0 switch_gang,1 switch_gang`. Null before it did. */
  readonly listed: string | null
}

interface Gangs {
  readonly gangs: readonly { readonly gang: number; readonly class: string }[]
}

/** @param listed the unit at this address as the adapter lists it. */
export function identityOf(
  unit: Pick<Unit, 'address' | 'model' | 'class' | 'gangs'>,
  listed: (Gangs & { readonly model: Model }) | undefined,
): UnitIdentity {
  const { address, model, class: unitClass } = unit
  const gangs = gangWords(unit)
  return {
    address,
    model,
    class: unitClass,
    gangs,
    listed: listed === undefined ? null : `${listed.model} ${gangWords(listed).join(',')}`,
  }
}

/** Whether two identities are of different physical units. A part that one of them does not know tells nothing. */
export function isAnotherUnit(before: UnitIdentity, now: UnitIdentity): boolean {
  return (
    before.address !== now.address ||
    before.class !== now.class ||
    before.gangs.join() !== now.gangs.join() ||
    differs(before.model, now.model) ||
    differs(before.listed, now.listed)
  )
}

/** Whether the house still says of a unit what it said before: an answer that comes now is that unit's. */
export function isSameUnit(before: Unit, now: Unit | undefined): boolean {
  return now !== undefined && !isAnotherUnit(identityOf(before, undefined), identityOf(now, undefined))
}

function differs(before: string | null, now: string | null): boolean {
  return before !== null && now !== null && before !== now
}

function gangWords({ gangs }: Gangs): readonly string[] {
  return gangs.map(({ gang, class: gangClass }) => `${gang} ${gangClass}`).toSorted()
}
