import { record } from '../coding/coding.ts'
import { whole, words } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { LIGHTS, MODULES, POWER_AND_SENSE } from '../models.ts'

const GROUP_MAX = 255

export const groupsAndSensors = readOnly({
  id: 'groups_and_sensors',
  title: 'Group and sensor',
  meaning:
    'The group code that a unit belongs to (0: none), and which motion and light sensor a module listens to: none, its own, or a paired one.',
  when: 'A module does not react to motion, or a unit acts together with others.',
  notWhen: 'The house-wide all-off is meant: see all_off_group.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set the group and the sensor in the app, in the unit's menu for groups.",
  asks: ['Which sensor does the hall module use?'],
  meanings: { groupCode: { 0: 'none' } },
  models: [...LIGHTS, ...POWER_AND_SENSE],
  coding: ({ model }) => {
    const groupCode = whole('group_code', 0, GROUP_MAX, 'Group code; 0: none')
    const sensor = words(
      'module_sensor',
      { 0: 'none', 1: 'built_in', 2: 'paired' },
      'The sensor that the module listens to',
    )
    return record(MODULES.includes(model) ? { groupCode, sensor } : { groupCode })
  },
})
