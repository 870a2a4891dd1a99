import { oneRegister, record } from '../coding/coding.ts'
import { together } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { LIGHTS, POWER_AND_SENSE, SWITCH_GANGS } from '../models.ts'

/**
 * `safety_mode` in digits: the ones name the mode, the tens whether the load stays on, the hundreds the timer's unit.
 */
const MODE_OF: Readonly<Record<number, string>> = { 1: 'auto', 2: 'eco', 3: 'manual' }
const TIMER_MAX = 23
const MINUTES_IN_HOUR = 60

interface SafetyMode {
  readonly mode: string
  readonly staysOn: boolean
  readonly timerUnit: 'hours' | 'minutes'
}

function safetyMode(raw: number): SafetyMode | null {
  const mode = MODE_OF[raw % 10]
  const [tens, hundreds] = [Math.floor(raw / 10) % 10, Math.floor(raw / 100)]
  if (mode === undefined || tens > 1 || hundreds > 1) return null
  return { mode, staysOn: tens === 1, timerUnit: hundreds === 1 ? 'minutes' : 'hours' }
}

export const safetyOffInManual = readOnly({
  id: 'safety_off_in_manual',
  title: 'Safety off in Manual',
  meaning:
    'How long a unit or gang stays in Manual mode without a touch or a command before it turns the load off (Safety Timer, shown in minutes; 0 means never), which mode it then goes to, and whether the load stays on after all (Safety Mode).',
  when: 'A load that was turned on by hand goes off by itself, or a forgotten heater never does.',
  notWhen: 'The unit is in Auto or Eco mode: there off_after_no_motion counts.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set the Safety Timer and the Safety Mode in the app, in the unit's menu for modes.",
  asks: ["Does the iron's socket turn off by itself when I forget it?"],
  explainRank: 9,
  unsaid: ['timerUnit'],
  meanings: { afterMinutes: { 0: 'never' } },
  models: [...LIGHTS, ...POWER_AND_SENSE],
  gangs: SWITCH_GANGS,
  coding: () =>
    record({
      afterMinutes: together(
        ['safety_timer', 'safety_mode'],
        {
          type: 'integer',
          minimum: 0,
          maximum: TIMER_MAX * MINUTES_IN_HOUR,
          description: 'Minutes in Manual before it acts; 0: never',
        },
        (timer = 0, mode = 0) => {
          const coding = safetyMode(mode)
          if (coding === null || timer > TIMER_MAX) return null
          return coding.timerUnit === 'hours' ? timer * MINUTES_IN_HOUR : timer
        },
      ),
      timerUnit: oneRegister(
        'safety_mode',
        { type: 'string', enum: ['hours', 'minutes'], description: 'What the unit counts its timer in' },
        (raw) => safetyMode(raw)?.timerUnit ?? null,
      ),
      thenMode: oneRegister(
        'safety_mode',
        { type: 'string', enum: Object.values(MODE_OF), description: 'The mode it then goes to' },
        (raw) => safetyMode(raw)?.mode ?? null,
      ),
      loadStaysOn: oneRegister(
        'safety_mode',
        { type: 'boolean', description: 'Whether the load stays on when the mode changes' },
        (raw) => safetyMode(raw)?.staysOn ?? null,
      ),
    }),
})
