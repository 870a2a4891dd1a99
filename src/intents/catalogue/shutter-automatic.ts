import { record } from '../coding/coding.ts'
import { time, whole } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { SHUTTER } from '../models.ts'

const HOURS_MAX = 23
const STEP_SECONDS_MAX = 60
const ALIGNMENT_MAX = 14

export const shutterAutomatic = readOnly({
  id: 'shutter_automatic',
  title: 'Automatic movement',
  meaning:
    'How often the shutter may step by itself in Eco mode (Move Time Frame, in minutes), how many seconds one step lasts (Auto Movement), and how near to an end a position counts as the end (Alignment, 0 to 14 percent).',
  when: 'A shutter moves too often or in too large steps by itself.',
  notWhen: 'The room is too bright or too dark in Eco mode: use shutter_eco_light.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for automatic movement.",
  asks: ['How often does the study blind move on its own?'],
  explainRank: 13,
  meanings: { moveFrameMinutes: { 0: 'acts as 1 min' } },
  models: SHUTTER,
  coding: () =>
    record({
      moveFrameMinutes: time(
        'move_frame_h',
        'move_frame_min',
        HOURS_MAX,
        0,
        'Minutes between automatic steps; 0 acts as 1',
      ),
      stepSeconds: whole('auto_movement_s', 1, STEP_SECONDS_MAX, 'Seconds that one step lasts'),
      alignmentPercent: whole('alignment', 0, ALIGNMENT_MAX, 'Percent: a target this near to an end goes to the end'),
    }),
})
