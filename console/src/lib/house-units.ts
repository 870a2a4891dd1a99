import type { Home, Unit } from '@hm-gateway/client/src/browser.ts'

/** Where things are: the same in what programs are told of the home and in what administrators are. */
type House = Pick<NonNullable<Home['house']>, 'floors' | 'rooms' | 'units'>

/** Every room of a house in its order, those on no floor last. */
export const roomsOf = ({ floors, rooms }: House): House['rooms'] => [
  ...floors.flatMap((floor) => floor.rooms),
  ...rooms,
]

/** Every unit and module of a house in its order, those in no room last; gangs are in their modules. */
export const unitsOf = (house: House): readonly Unit[] => [
  ...roomsOf(house).flatMap(({ units }) => units),
  ...house.units,
]
