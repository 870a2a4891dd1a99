import { record, inSteps, time, flag, words, whole, oneRegister, together, writableWhole } from '../coding/coding.ts'
import { readOnly, SHUTTER, writable } from './intent.ts'

const MINUTES_MAX = 9
const TENTHS = 10

export const shutterTravel = readOnly({
  id: 'shutter_travel',
  title: 'Travel times',
  meaning:
    'Times in seconds: all the way up, all the way down, from power to motion (Activating Time), and for turning the slats when the direction changes (Flip Time).',
  when: 'A shutter stops short of an end, or its position is wrong.',
  notWhen: 'The shutter should stand elsewhere: use set_position.',
  guidance: "Measure both ways with a watch and set the times in the app, in the unit's menu for travel.",
  asks: ['How long does the living room shutter take to open?'],
  models: SHUTTER,
  coding: () =>
    record({
      upSeconds: time('up_time_min', 'up_time_s', MINUTES_MAX, 1, 'Seconds from closed to open'),
      downSeconds: time('down_time_min', 'down_time_s', MINUTES_MAX, 1, 'Seconds from open to closed'),
      activatingSeconds: inSteps('activating_time', TENTHS, 'Seconds from power to motion, in tenths'),
      flipSeconds: inSteps('flip_time', TENTHS, 'Seconds for turning the slats, in tenths'),
    }),
})

export const shutterEdges = readOnly({
  id: 'shutter_edges',
  title: 'Edges and passage',
  meaning:
    'Shows if touches at the rim of the switch are ignored (Ignore Edge), and if the shutter covers a window or a passage (Passage/Remote). A passage refuses downward commands and automatic downward steps, so that nobody is shut out; ' +
    'with passage_schedules its own schedules may still close it, with passage only a touch does.',
  when: 'A shutter refuses to close from the app, or reacts to touches at its rim.',
  notWhen: 'The shutter does not answer at all: then the refusal says so.',
  sideEffects: 'It is read-only. A passage refuses close and lower positions.',
  guidance:
    "Set it in the app, in the unit's menu for edges and passage; think of people outside before making a passage a window.",
  asks: ['Why can I not close the terrace shutter from here?'],
  models: SHUTTER,
  coding: () =>
    record({
      ignoreEdge: flag('ignore_edge', 'True if touches at the rim of the switch are ignored'),
      passage: words(
        'passage_remote',
        { 0: 'window', 1: 'passage', 2: 'passage_schedules' },
        'window: closes by anything; passage: no remote or automatic down; passage_schedules: down only from schedules',
      ),
    }),
})

const HOURS_MAX = 23
const STEP_SECONDS_MAX = 60
const ALIGNMENT_MAX = 14

export const shutterAutomatic = readOnly({
  id: 'shutter_automatic',
  title: 'Automatic movement',
  meaning:
    'The minutes between automatic steps in Eco mode (Move Time Frame), the seconds of one step (Auto Movement), and the distance from an end at which a position counts as the end (Alignment, 0 to 14 percent).',
  when: 'A shutter moves too often or in too large steps by itself.',
  notWhen: 'The room is too bright or too dark in Eco mode: use shutter_eco_light.',
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
      alignmentPercent: whole('alignment', 0, ALIGNMENT_MAX, 'Percent: a target this close to an end moves to the end'),
    }),
})

/**
 * Older shutters store 1 off and 2 on, newer ones 2 off and 3 on: `led_coding` 12 or 23 tells them apart (Spec 2.7).
 */
const CODINGS: Readonly<Record<number, { readonly off: number; readonly on: number }>> = {
  12: { off: 1, on: 2 },
  23: { off: 2, on: 3 },
}

export const shutterLeds = readOnly({
  id: 'shutter_leds',
  title: 'Shutter LEDs',
  meaning:
    'Shows if the LEDs of a shutter switch are on. Shutters code this in two ways: 1 off and 2 on, or 2 off and 3 on. The raw number is shown with its coding.',
  when: 'The LEDs of a shutter switch disturb, or are missed.',
  notWhen: 'The LEDs of another switch are meant: use led_mode.',
  guidance: "Turn the LEDs on or off in the app, in the unit's menu for keys.",
  asks: ['Are the LEDs of the bedroom shutter on?'],
  models: SHUTTER,
  coding: () =>
    record({
      on: together(
        ['shutter_leds', 'led_coding'],
        { type: 'boolean', description: 'True if the LEDs are on' },
        (held, coding) => {
          const meaning = CODINGS[coding ?? 0]
          if (meaning === undefined || (held !== meaning.on && held !== meaning.off)) return null
          return held === meaning.on
        },
      ),
      held: oneRegister(
        'shutter_leds',
        { type: 'integer', minimum: 1, maximum: 3, description: 'The number as stored in the unit' },
        (raw) => (raw >= 1 && raw <= 3 ? raw : null),
      ),
      coding: oneRegister(
        'led_coding',
        { type: 'string', enum: ['1/2', '2/3'], description: 'The numbers that mean off and on' },
        (raw) => ({ 12: '1/2', 23: '2/3' })[raw] ?? null,
      ),
    }),
})

export const shutterEcoLight = writable({
  id: 'shutter_eco_light',
  title: 'Light in Eco mode',
  meaning:
    'The light level in lux that a shutter maintains in the room in Eco mode: it closes a step when the room is a tenth brighter and opens a step when it is a tenth darker.',
  when: 'A room is too bright or too dark while its shutter controls the light.',
  notWhen: 'The shutter should stand at a certain position: use set_position.',
  prerequisites: ['The shutter is in Eco mode (set_mode eco).'],
  sideEffects:
    'The shutter moves at most one step in each move frame (shutter_automatic), so reaching a new level takes a while.',
  examples: [{ ask: 'Keep the living room at about 400 lux with the blinds.', value: 400 }],
  unit: 'lx',
  models: SHUTTER,
  coding: () => writableWhole('eco_lux', 1, 1_000, 'lux', 'Lux, 1 to 1000'),
})
