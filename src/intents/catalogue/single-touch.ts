import { writableFlag } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { DIMMER_AND_SINGLE, POWER, SHUTTER } from '../models.ts'

export const singleTouch = writable({
  id: 'single_touch',
  title: 'Single touch',
  meaning:
    'Makes the whole face of the switch one key: any touch toggles the load. On a shutter a short touch on up or down moves it all the way, and a touch while it moves stops it.',
  when: 'Somebody finds the separate areas hard to hit, or wants the simplest switch there is.',
  notWhen: 'People use the separate up, mode and down areas, for instance to change the mode at the switch.',
  sideEffects:
    'The mode area no longer changes the mode by touch; the mode can still be set from the app or the API. A shutter no longer moves just as long as the key is held.',
  examples: [
    { ask: 'Make the hall switch react wherever I touch it.', value: true },
    { ask: 'I want separate keys on the bedroom shutter again.', value: false },
  ],
  explainRank: 1,
  models: [...DIMMER_AND_SINGLE, ...POWER, ...SHUTTER],
  coding: () =>
    writableFlag('single_touch', 'true: the whole face is one key; false: up, mode and down are keys of their own'),
})
