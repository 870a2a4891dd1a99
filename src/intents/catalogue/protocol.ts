import { record } from '../coding/coding.ts'
import { flag, multiples, whole } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { ALL, MODULES } from '../models.ts'

const SWITCHES_MIN = 2
const SWITCHES_MAX = 4

export const protocol = readOnly({
  id: 'protocol',
  title: 'Unit protocol',
  meaning:
    'Whether the unit acknowledges every control (Acknowledge Control) and reports changes at once; on a module also its number of switches and the pause between gangs that are turned on together.',
  when: 'Changes made at the wall show up late, or a technician asks.',
  notWhen: 'The unit does not answer at all: then commands answer unit_unreachable.',
  sideEffects: 'None: it is only shown.',
  guidance: "Leave it as it is; a technician finds it in the app, in the unit's menu for the protocol.",
  asks: ['Does the cellar switch report its changes at once?'],
  models: ALL,
  coding: ({ model }) => {
    const common = {
      acknowledgeControl: flag('acknowledge_control', 'Whether the unit acknowledges every control'),
      instantReporting: flag('instant_reporting', 'Whether changes are reported at once; otherwise once a minute'),
    }
    if (!MODULES.includes(model)) return record(common)
    return record({
      ...common,
      switches: whole('switch_count', SWITCHES_MIN, SWITCHES_MAX, 'Number of switches'),
      switchOnPauseMs: multiples('switch_on_speed', 10, 0, 'Milliseconds between gangs that are turned on together'),
    })
  },
})
