import { single } from '../coding/coding.ts'
import { time } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { DIMMER_AND_SINGLE, POWER_AND_SENSE, SHUTTER } from '../models.ts'

const HOURS_MAX = 9

export const sleepTimer = readOnly({
  id: 'sleep_timer',
  title: 'Sleep timer',
  meaning:
    'How many minutes after Sleep mode starts the load turns off, or a shutter closes, and the unit goes to Manual mode. 0 means as soon as Sleep mode starts.',
  when: 'A light goes off, or a shutter closes, too early or too late after bedtime.',
  notWhen: 'Sleep mode itself should start: that is done at the unit, not over the API.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for modes.",
  asks: ['How long does the reading light stay on in sleep mode?'],
  explainRank: 10,
  unit: 'min',
  meanings: { value: { 0: 'at once' } },
  models: [...DIMMER_AND_SINGLE, ...POWER_AND_SENSE, ...SHUTTER],
  coding: () => single(time('sleep_h', 'sleep_min', HOURS_MAX, 0, 'Minutes; 0: at once')),
})
