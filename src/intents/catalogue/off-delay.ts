import { writableTime } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { DIMMER_AND_SINGLE } from '../models.ts'

/** Spec 2.7 and 8: at most 3 min 59 s. */
const MINUTES_MAX = 3

export const offDelay = writable({
  id: 'off_delay',
  title: 'Off delay',
  meaning: 'How many seconds the load stays on after it is switched off at the switch. 0 turns the delay off.',
  when: 'Somebody needs light on the way out: a garage, a cellar, a hall.',
  notWhen: 'The light should go off by itself when nobody moves: use off_after_no_motion.',
  sideEffects:
    'Only a touch at the switch is delayed; commands, scenes and schedules turn the load off at once. A second touch during the delay turns it off at once. The state says on until the delay ends.',
  examples: [
    { ask: 'Leave the garage light on for a minute and a half after I switch it off.', value: 90 },
    { ask: 'The hall light should go off right away.', value: 0 },
  ],
  unit: 's',
  meanings: { value: { 0: 'no delay' } },
  explainRank: 2,
  models: DIMMER_AND_SINGLE,
  coding: () =>
    writableTime(
      'off_delay_min',
      'off_delay_s',
      MINUTES_MAX,
      0,
      'seconds',
      'Seconds, 0 to 239 (3 min 59 s); 0: no delay',
    ),
})
