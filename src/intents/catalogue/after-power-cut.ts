import { record } from '../coding/coding.ts'
import { flag, words } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { ALL, ALL_GANGS } from '../models.ts'

export const afterPowerCut = readOnly({
  id: 'after_power_cut',
  title: 'After a power cut',
  meaning:
    'What the unit or gang does when mains returns: off, on or as before (a shutter closes, opens or stays), in which mode, and whether its own schedules stay on.',
  when: "Lights are on in the morning after a power cut, or a freezer's socket stays off.",
  notWhen: 'The load is off for another reason: ask explain.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for mains return.",
  asks: ["What happens to the freezer's socket after a power cut?"],
  explainRank: 11,
  models: ALL,
  gangs: ALL_GANGS,
  coding: () =>
    record({
      load: words('mains_load', { 0: 'off', 1: 'on', 2: 'as_before' }, 'What the load does'),
      mode: words('mains_mode', { 0: 'as_before', 1: 'auto', 2: 'eco', 3: 'manual' }, 'The mode it comes back in'),
      schedulesStayOn: flag('mains_schedules', "Whether the unit's own schedules stay on"),
    }),
})
