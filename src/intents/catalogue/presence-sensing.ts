import { record } from '../coding/coding.ts'
import { time, whole } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { POWER_AND_SENSE } from '../models.ts'

const SENSITIVITY_MAX = 20
const HOURS_MAX = 3

export const presenceSensing = readOnly({
  id: 'presence_sensing',
  title: 'Presence sensing',
  meaning:
    'How many detections (Sensitivity, 0 to 20) must fall within the Detection Timer before the appliance turns on in automatic mode. 0 acts as 1: the first detection is enough.',
  when: 'An appliance turns on when somebody merely passes, or only long after people came in.',
  notWhen: 'Temperature decides about the appliance: while a climate rule is set, presence does not.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for presence.",
  asks: ['How much movement does the office fan need before it turns on?'],
  explainRank: 12,
  unit: 'detections',
  meanings: { sensitivity: { 0: 'acts as 1' } },
  models: POWER_AND_SENSE,
  coding: () =>
    record({
      sensitivity: whole('presence_sensitivity', 0, SENSITIVITY_MAX, 'Detections needed'),
      detectionTimerMinutes: time(
        'detection_timer_h',
        'detection_timer_min',
        HOURS_MAX,
        0,
        'Minutes within which they must fall',
      ),
    }),
})
