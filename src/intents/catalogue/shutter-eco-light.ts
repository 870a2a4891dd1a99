import { writableWhole } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { SHUTTER } from '../models.ts'

export const shutterEcoLight = writable({
  id: 'shutter_eco_light',
  title: 'Light in Eco mode',
  meaning:
    'The light level in lux that a shutter keeps in the room while it is in Eco mode: it closes a step when the room is a tenth brighter and opens a step when it is a tenth darker.',
  when: 'A room is too bright or too dark while its shutter looks after the light.',
  notWhen: 'The shutter should stand at a certain position: use set_position.',
  prerequisites: ['The shutter is in Eco mode (set_mode eco).'],
  sideEffects:
    'The shutter moves at most one step in each move frame (shutter_automatic), so reaching a new level takes a while.',
  examples: [{ ask: 'Keep the living room at about 400 lux with the blinds.', value: 400 }],
  unit: 'lx',
  models: SHUTTER,
  coding: () => writableWhole('eco_lux', 1, 1_000, 'lux', 'Lux, 1 to 1000'),
})
