import type { Hours, PersonPlan } from '../sim/house-plan.ts'

const at = (hour: number, minute = 0): number => hour * 60 + minute

/** The hours of a Saturday or Sunday; `earlierToBed` in minutes. */
const weekend = (earlierToBed = 0): Hours => [
  [at(8, 18), 40, 'wash'],
  [at(8, 54), 20, 'cook'],
  [at(9, 24), 10, 'eat'],
  [at(10, 24), 20, 'tidy'],
  [at(11, 12), 20, 'outside'],
  [at(12, 36), 20, 'cook'],
  [at(13, 12), 10, 'eat'],
  [at(14), 15, 'away'],
  [at(17, 12), 40, 'relax'],
  [at(18, 18), 20, 'cook'],
  [at(19, 12), 10, 'eat'],
  [at(20), 10, 'relax'],
  [at(22, 54) - earlierToBed, 40, 'wash'],
  [at(23, 18) - earlierToBed, 20, 'sleep'],
]

/**
 * By which hours people live: the family of the demo house, in the simulation and in its past, and the people of large
 * houses.
 */
export const LIVES = {
  commuter: {
    drives: true,
    weekend: weekend(),
    workday: [
      [at(6, 12), 12, 'wash'],
      [at(6, 36), 8, 'cook'],
      [at(7, 18), 10, 'away'],
      [at(17, 36), 35, 'tidy'],
      [at(18, 24), 15, 'cook'],
      [at(19, 12), 10, 'eat'],
      [at(19, 54), 10, 'relax'],
      [at(22, 42), 30, 'wash'],
      [at(23, 6), 15, 'sleep'],
    ],
  },
  homeWorker: {
    drives: false,
    weekend: weekend(),
    workday: [
      [at(6, 48), 15, 'wash'],
      [at(7, 12), 10, 'cook'],
      [at(7, 42), 8, 'eat'],
      [at(8, 24), 15, 'work'],
      [at(10, 30), 25, 'cook'],
      [at(10, 45), 5, 'work'],
      [at(12, 30), 20, 'cook'],
      [at(13), 10, 'eat'],
      [at(13, 36), 10, 'work'],
      [at(15, 36), 25, 'outside'],
      [at(16), 10, 'work'],
      [at(17, 24), 25, 'tidy'],
      [at(18, 12), 15, 'cook'],
      [at(19, 12), 10, 'eat'],
      [at(19, 54), 10, 'relax'],
      [at(22, 30), 25, 'wash'],
      [at(22, 54), 15, 'sleep'],
    ],
  },
  child: {
    drives: false,
    weekend: weekend(70),
    workday: [
      [at(6, 54), 8, 'wash'],
      [at(7, 15), 6, 'eat'],
      [at(7, 42), 6, 'away'],
      [at(14, 24), 20, 'eat'],
      [at(15), 10, 'play'],
      [at(16, 12), 15, 'outside'],
      [at(17, 36), 20, 'play'],
      [at(19, 12), 8, 'eat'],
      [at(19, 48), 8, 'relax'],
      [at(20, 24), 10, 'wash'],
      [at(20, 45), 10, 'sleep'],
    ],
  },
} as const satisfies Readonly<Record<string, Pick<PersonPlan, 'workday' | 'weekend' | 'drives'>>>

/** Somebody of the family, as the history names them. */
export interface FamilyMember extends PersonPlan {
  readonly name: string
}

const SHARED_ROOMS = {
  wash: 'bathroom',
  cook: 'kitchen',
  eat: 'dining-room',
  relax: 'living-room',
  outside: 'garden',
} as const

/** Who lives in the demo house. */
export const FAMILY: readonly FamilyMember[] = [
  {
    ...LIVES.homeWorker,
    id: 'anna',
    name: 'Anna',
    rooms: { ...SHARED_ROOMS, sleep: 'bedroom', work: 'study', pass: 'hall', tidy: 'utility-room' },
  },
  {
    ...LIVES.commuter,
    id: 'jonas',
    name: 'Jonas',
    rooms: { ...SHARED_ROOMS, sleep: 'bedroom', work: 'studio', pass: 'hall', tidy: 'studio' },
  },
  { ...LIVES.child, id: 'lena', name: 'Lena', rooms: { ...SHARED_ROOMS, sleep: 'lenas-room', pass: 'landing' } },
]
