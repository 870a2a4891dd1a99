import { oneRegister, record } from '../coding/coding.ts'
import { words } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { ALL_GANGS, LIGHTS, POWER, SHUTTER } from '../models.ts'

/** Spec 2.7: 250 all lights, 251 all shutters, 252 all power units, 170 outside the global group. */
const GROUPS: Readonly<Record<number, string>> = {
  170: 'none',
  250: 'all_lights',
  251: 'all_shutters',
  252: 'all_power_units',
}

export const allOffGroup = readOnly({
  id: 'all_off_group',
  title: 'All-off group',
  meaning:
    'Whether the unit or gang follows the house-wide all-off, and with which group: all lights, all shutters (they close) or all power units; or that it is outside the global group.',
  when: 'Something goes off with the house-wide all-off and should not, or stays on and should go off.',
  notWhen: 'A few units should go off together: make a scene of them.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for groups.",
  asks: ['Does the aquarium light go off when I switch everything off?'],
  models: [...LIGHTS, ...POWER, ...SHUTTER],
  gangs: ALL_GANGS,
  coding: () =>
    record({
      follows: oneRegister(
        'all_off_group',
        { type: 'boolean', description: 'Whether it follows the house-wide all-off' },
        (raw) => (GROUPS[raw] === undefined ? null : GROUPS[raw] !== 'none'),
      ),
      group: words('all_off_group', GROUPS, 'The group that it follows'),
    }),
})
