import type { Home, Unit } from '@hm-gateway/client/src/browser.ts'

/** Structure of a house, equal in the service and the administrators' API. */
type House = Pick<NonNullable<Home['house']>, 'floors' | 'rooms' | 'units'>

/** All rooms in order; rooms without a floor come last. */
export const roomsOf = ({ floors, rooms }: House): House['rooms'] => [
  ...floors.flatMap((floor) => floor.rooms),
  ...rooms,
]

/** All units and modules in order; units without a room come last. Gangs are inside their modules. */
export const unitsOf = (house: House): readonly Unit[] => [
  ...roomsOf(house).flatMap(({ units }) => units),
  ...house.units,
]
