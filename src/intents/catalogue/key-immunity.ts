import { oneRegister, record } from '../coding/coding.ts'
import { readOnly } from '../define.ts'
import { ALL } from '../models.ts'

/** The register: 0 to 99, 90 locks the keys, and 100 more on 60 Hz mains (Spec 2.7). */
const IMMUNITY_MAX = 99
const LOCKED = 90
const SIXTY_HERTZ = 100

const immunityOf = (raw: number): number | null => (raw <= SIXTY_HERTZ + IMMUNITY_MAX ? raw % SIXTY_HERTZ : null)

export const keyImmunity = readOnly({
  id: 'key_immunity',
  title: 'Key immunity',
  meaning:
    'How much electrical noise the keys bear before they take it for a touch, 0 to 99. Exactly 90 locks the keys of the unit. It also tells whether the unit is set for 50 or 60 Hz mains.',
  when: 'A switch acts as if touched although nobody is there, or does not react to any touch.',
  notWhen: 'One area of a switch is too sensitive or not sensitive enough: see key_sense.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for keys. Leave 90 by choosing any other number there.",
  asks: ['Are the keys of the nursery switch locked?', 'Why does the terrace switch turn on by itself?'],
  models: ALL,
  coding: () =>
    record({
      immunity: oneRegister(
        'key_immunity',
        { type: 'integer', minimum: 0, maximum: IMMUNITY_MAX, description: 'Higher bears more noise' },
        immunityOf,
      ),
      locked: oneRegister(
        'key_immunity',
        { type: 'boolean', description: 'Whether the keys are locked (immunity 90)' },
        (raw) => {
          const immunity = immunityOf(raw)
          return immunity === null ? null : immunity === LOCKED
        },
      ),
      mainsHz: oneRegister(
        'key_immunity',
        { type: 'integer', enum: [50, 60], description: 'Mains frequency in Hz' },
        (raw) => (immunityOf(raw) === null ? null : raw >= SIXTY_HERTZ ? 60 : 50),
      ),
    }),
})
