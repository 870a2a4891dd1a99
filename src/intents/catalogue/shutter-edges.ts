import { record } from '../coding/coding.ts'
import { flag, words } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { SHUTTER } from '../models.ts'

export const shutterEdges = readOnly({
  id: 'shutter_edges',
  title: 'Edges and passage',
  meaning:
    'Whether touches at the rim of the switch are ignored (Ignore Edge), and whether the shutter covers a window or a passage (Passage/Remote): a passage takes no downward command and no automatic downward step, so that nobody is shut out; ' +
    'with passage_schedules its own schedules may still close it, with passage only a touch does.',
  when: 'A shutter refuses to close from the app, or reacts to touches at its rim.',
  notWhen: 'The shutter does not answer at all: then the refusal says so.',
  sideEffects: 'None: it is only shown. Where it is a passage, close and lower positions are refused.',
  guidance:
    "Set it in the app, in the unit's menu for edges and passage; think of people outside before making a passage a window.",
  asks: ['Why can I not close the terrace shutter from here?'],
  models: SHUTTER,
  coding: () =>
    record({
      ignoreEdge: flag('ignore_edge', 'Whether touches at the rim of the face are ignored'),
      passage: words(
        'passage_remote',
        { 0: 'window', 1: 'passage', 2: 'passage_schedules' },
        'window: closes by anything; passage: no remote or automatic down; passage_schedules: down only from schedules',
      ),
    }),
})
