import { writableWhole } from '../coding/writable.ts'
import { writable } from '../define.ts'
import { LIGHTS, POWER, SWITCH_GANGS } from '../models.ts'

const LUX_MAX = 254

export const onlyWhenDark = writable({
  id: 'only_when_dark',
  title: 'Only when dark',
  meaning:
    "Motion turns the load on only while the light in the room is below this many lux. The app's own steps are dark 20, dimmed 60, bright 150 and always 254; 0 means that motion never turns it on.",
  when: 'A light comes on by motion although the room is bright enough, or stays off although it is dark.',
  notWhen: 'The light should be off in daylight even when somebody turns it on: this setting turns nothing off.',
  prerequisites: ['The unit or gang is in Auto mode: only there motion turns the load on.'],
  sideEffects: 'None on touches, commands, scenes and schedules: they work at any light.',
  examples: [
    { ask: 'The hall light should only come on when it is really dark.', value: 20 },
    { ask: 'Switch the store room light on for motion at any time of day.', value: LUX_MAX },
  ],
  unit: 'lx',
  meanings: { value: { 0: 'never by motion', [LUX_MAX]: 'at any light' } },
  explainRank: 5,
  models: [...LIGHTS, ...POWER],
  gangs: SWITCH_GANGS,
  coding: () => writableWhole('dark_lux', 0, LUX_MAX, 'lux', 'Lux, 0 to 254; 254: at any light; 0: never by motion'),
})
